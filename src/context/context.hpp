// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A suspended computation: a stack pointer under which its registers lie. Two ways to switch, one interface:
// our own assembly (x86-64) or Boost.Context (elsewhere, or with HOCKET_SWITCH=boost).
#pragma once
#include <cstddef>

#include <hocket/detail/config.hpp>

namespace hocket::detail {

struct context {
  void* sp = nullptr;
};

/// prepare() makes `c` start entry() on the stack that ends at `top` (16-byte aligned). entry must not
/// return.
void prepare(context& c, void* top, std::size_t size, void (*entry)());

#if defined(HOCKET_SWITCH_BOOST)
void switch_full(context& from, context& to);
inline void switch_shared(context& from, context& to) { switch_full(from, to); }
#else
// Every register that the switch does not keep. Missing one here is a crash far away: the vector registers
// that AVX-512 adds are named when the compiler may use them.
#if defined(__AVX512F__)
#define HOCKET_SWITCH_LOSES_MORE                                                                       \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", \
      "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define HOCKET_SWITCH_LOSES_MORE
#endif
#define HOCKET_SWITCH(symbol)                                                                               \
  void** save = &from.sp;                                                                                   \
  void* sp = to.sp;                                                                                         \
  asm volatile("leaq 1f(%%rip), %%rax\n\tjmp " symbol "\n1:"                                                \
               : "+D"(save), "+S"(sp)                                                                       \
               :                                                                                            \
               : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc", \
                 "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",   \
                 "xmm11", "xmm12", "xmm13", "xmm14", "xmm15" HOCKET_SWITCH_LOSES_MORE)

/// switch_full() saves what the ABI asks a call to keep, mxcsr and the x87 control word included, and
/// continues `to`.
HOCKET_ALWAYS_INLINE void switch_full(context& from, context& to) { HOCKET_SWITCH("hocket_switch_full"); }
/// switch_shared() leaves the floating-point environment alone. Both kinds share one layout.
HOCKET_ALWAYS_INLINE void switch_shared(context& from, context& to) { HOCKET_SWITCH("hocket_switch_shared"); }
#undef HOCKET_SWITCH
#undef HOCKET_SWITCH_LOSES_MORE
#endif

}  // namespace hocket::detail
