// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The context switch for aarch64 (AAPCS64), entered by a jump from in-lined code (context.hpp), which declares every
// register but x29 and sp as lost: so the compiler saves what it needs (of x19-x28, x30 and d8-d15), and only that. It
// is left by a jump too: the processor's return predictor stays in step with the functions that are left and entered.
//
//   x0: where to save the stack pointer   x1: the stack pointer to continue   x2: where to resume
//   layout under a saved stack pointer:  x29 resume-address fpcr (unused)
// Both sides have the same layout, so the call frame information holds across the swap.
//
// Branch targets are marked for BTI (the marks are no-ops elsewhere); leaving by x17 suits marks for calls and for
// jumps. Return addresses are signed where the compiler keeps them (PAC): none is made here.

#define BTI_C   hint #34
#define BTI_JC  hint #38

        .macro  ENTER
        .cfi_startproc
        .cfi_def_cfa sp, 0
        .cfi_register x30, x2
        BTI_C                           // reached through a register where the linker puts a veneer between
        stp     x29, x2, [sp, #-32]!    // no red zone: AAPCS64 has none
        .cfi_adjust_cfa_offset 32
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        .endm

        .macro  LEAVE
        ldp     x29, x17, [sp], #32
        .cfi_adjust_cfa_offset -32
        .cfi_restore x29
        .cfi_register x30, x17
        br      x17
        .cfi_endproc
        .endm

        .macro  FUNCTION name
        .text
        .globl  \name
        .hidden \name
        .type   \name, %function
        .balign 64
\name:
        .endm

        FUNCTION hocket_switch_full
        ENTER
        mrs     x3, fpcr
        str     x3, [sp, #16]
        mov     x4, sp
        str     x4, [x0]
        mov     sp, x1
        ldr     x4, [sp, #16]
        cmp     x3, x4
        b.eq    1f
        msr     fpcr, x4                // slow, hence only when it changes
1:
        LEAVE
        .size   hocket_switch_full, . - hocket_switch_full

        FUNCTION hocket_switch_shared
        ENTER
        str     xzr, [sp, #16]          // the default, for a later run that switches in full on the same stacks
        mov     x4, sp
        str     x4, [x0]
        mov     sp, x1
        LEAVE
        .size   hocket_switch_shared, . - hocket_switch_shared

// Where a fresh stack begins: x29 holds the function. Unwinding ends here (x30 undefined), for gdb and for exceptions,
// and for those that follow frame pointers.
        FUNCTION hocket_stack_root
        .cfi_startproc
        .cfi_undefined x30
        BTI_JC
        mov     x16, x29
        mov     x29, #0
        mov     x30, #0
        blr     x16
        udf     #0
        .cfi_endproc
        .size   hocket_stack_root, . - hocket_stack_root

        .section .note.GNU-stack, "", %progbits

// Says that this file suits BTI and PAC: the linker enables them only if every file does.
        .section .note.gnu.property, "a", %note
        .balign 8
        .word   4                       // bytes of the name
        .word   16                      // bytes of the property
        .word   5                       // NT_GNU_PROPERTY_TYPE_0
        .asciz  "GNU"
        .word   0xc0000000              // GNU_PROPERTY_AARCH64_FEATURE_1_AND
        .word   4
        .word   3                       // BTI, PAC
        .word   0
