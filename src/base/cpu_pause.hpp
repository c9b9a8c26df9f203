// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells the processor that the caller spins.
#pragma once

namespace hocket::detail {
inline void cpu_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}
}  // namespace hocket::detail
