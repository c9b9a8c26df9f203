// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The context switch for x86-64 (System V ABI), entered by a jump from in-lined code (context.hpp), which declares every
// register but rbx, rbp and rsp as lost: so the compiler saves what it needs, and only that. Neither a call nor a return
// is made: the processor's return predictor, which knows nothing of other stacks, stays in step with the functions that
// are left and entered.
//
//   rdi: where to save the stack pointer   rsi: the stack pointer to continue   rax: where to resume
//   layout under a saved stack pointer:  [mxcsr, x87]  rbp rbx resume-address  (128 bytes of red zone)
// Both sides have the same layout, so the call frame information holds across the swap.

        .macro  ENTER
        .cfi_startproc
        .cfi_def_cfa rsp, 0
        .cfi_register rip, rax
        leaq    -128(%rsp), %rsp        // the function that jumped here may use its red zone
        .cfi_adjust_cfa_offset 128
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbx, 0
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbp, 0
        leaq    -8(%rsp), %rsp
        .cfi_adjust_cfa_offset 8
        .endm

        .macro  LEAVE
        leaq    8(%rsp), %rsp
        .cfi_adjust_cfa_offset -8
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbp
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbx
        popq    %rax
        .cfi_adjust_cfa_offset -8
        leaq    128(%rsp), %rsp
        .cfi_adjust_cfa_offset -128
        jmp     *%rax
        .cfi_endproc
        .endm

        .macro  FUNCTION name
        .text
        .globl  \name
        .hidden \name
        .type   \name, @function
        .balign 64
\name:
        .endm

        FUNCTION hocket_switch_full
        ENTER
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        ldmxcsr (%rsp)
        fldcw   4(%rsp)
        LEAVE
        .size   hocket_switch_full, . - hocket_switch_full

        FUNCTION hocket_switch_shared
        ENTER
        movl    $0x1f80, (%rsp)         // the defaults, for a later run that switches in full on the same stacks
        movl    $0x037f, 4(%rsp)
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        LEAVE
        .size   hocket_switch_shared, . - hocket_switch_shared

// Where a fresh stack begins: rbx holds the function. Unwinding ends here (rip undefined), for gdb and for exceptions.
        FUNCTION hocket_stack_root
        .cfi_startproc
        .cfi_undefined rip
        xorl    %ebp, %ebp
        call    *%rbx
        ud2
        .cfi_endproc
        .size   hocket_stack_root, . - hocket_stack_root

        .section .note.GNU-stack, "", @progbits
