// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells the processor that the caller spins.
#pragma once
#include <sched.h>

#include <hocket/detail/atomic.hpp>

namespace hocket::detail {
#ifndef HOCKET_ATOMIC_HEADER  // which brings its own
inline void cpu_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}
#endif

/// What to do in the i-th round of waiting for another thread to leave a few instructions: it may have lost
/// its core.
inline void back_off(unsigned i) {
  if (i < 1000) {
    cpu_pause();
  } else {
    sched_yield();
  }
}
}  // namespace hocket::detail
