// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An asymmetric fence: light_fence() is free where the kernel has membarrier, heavy_fence() costs a system
// call and interrupts the other workers. Between a store and a load on one side and the mirror image on the
// other, one light and one heavy fence do what two full fences would.
#pragma once
#include <atomic>

#include <hocket/detail/atomic.hpp>

namespace hocket::detail {

/// Whether light_fence() may be a compiler fence; decided once, by register_membarrier().
extern bool have_membarrier;
void register_membarrier();
void membarrier_now();

inline void light_fence() {
  if (HOCKET_LIKELY(have_membarrier)) {
    compiler_fence();
  } else {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
}
inline void heavy_fence() {
  if (have_membarrier) {
    membarrier_now();
  } else {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
}

}  // namespace hocket::detail
