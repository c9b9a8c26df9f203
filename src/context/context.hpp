// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A suspended computation: a stack pointer under which its registers lie. Two ways to switch, one interface: our own
// assembly (x86-64) or Boost.Context (elsewhere, or with HOCKET_SWITCH=boost).
#pragma once
#include <cstddef>

namespace hocket::detail {

struct context {
  void* sp = nullptr;
};

/// prepare() makes `c` start entry() on the stack that ends at `top` (16-byte aligned). entry must not return.
void prepare(context& c, void* top, std::size_t size, void (*entry)());

#if defined(HOCKET_SWITCH_BOOST)
void switch_full(context& from, context& to);
inline void switch_shared(context& from, context& to) { switch_full(from, to); }
#else
extern "C" void hocket_switch_full(void** save, void* to);
extern "C" void hocket_switch_shared(void** save, void* to);

/// switch_full() saves what the ABI asks a call to keep, mxcsr and the x87 control word included, and continues `to`.
inline void switch_full(context& from, context& to) { hocket_switch_full(&from.sp, to.sp); }
/// switch_shared() leaves the floating-point environment alone. Contexts of both kinds must not be mixed.
inline void switch_shared(context& from, context& to) { hocket_switch_shared(&from.sp, to.sp); }
#endif

}  // namespace hocket::detail
