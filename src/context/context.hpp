// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A suspended computation: a stack pointer under which its registers lie. Two ways to switch, one interface:
// our own assembly (x86-64, aarch64) or Boost.Context (elsewhere, or with HOCKET_SWITCH=boost).
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
// Every register that the switch does not keep. Missing one here is a crash far away: the registers that
// AVX-512 and SVE add are named when the compiler may use them.
#if defined(__x86_64__)
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
#elif defined(__aarch64__)
#if defined(__ARM_FEATURE_SVE) && defined(__clang__)  // which has no name for the first-fault register
#define HOCKET_SWITCH_LOSES_MORE \
  , "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15"
#elif defined(__ARM_FEATURE_SVE)
#define HOCKET_SWITCH_LOSES_MORE                                                                          \
  , "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15", \
      "ffr"
#else
#define HOCKET_SWITCH_LOSES_MORE
#endif
// The hint is `bti j`, the mark of a place that is jumped to; without BTI it does nothing.
#define HOCKET_SWITCH(symbol)                                                                               \
  register void** save asm("x0") = &from.sp;                                                                \
  register void* sp asm("x1") = to.sp;                                                                      \
  asm volatile("adr x2, 1f\n\tb " symbol "\n1:\thint #36"                                                   \
               : "+r"(save), "+r"(sp)                                                                       \
               :                                                                                            \
               : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",  \
                 "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", \
                 "x30", "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10",  \
                 "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", \
                 "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31" HOCKET_SWITCH_LOSES_MORE)
#else
#error "no assembly for this processor: configure with HOCKET_SWITCH=boost"
#endif

/// switch_full() saves what the ABI asks a call to keep, the floating-point control words included (mxcsr and
/// x87's; fpcr), and continues `to`.
HOCKET_ALWAYS_INLINE void switch_full(context& from, context& to) { HOCKET_SWITCH("hocket_switch_full"); }
/// switch_shared() leaves the floating-point environment alone. Both kinds share one layout.
HOCKET_ALWAYS_INLINE void switch_shared(context& from, context& to) { HOCKET_SWITCH("hocket_switch_shared"); }
#undef HOCKET_SWITCH
#undef HOCKET_SWITCH_LOSES_MORE
#endif

}  // namespace hocket::detail
