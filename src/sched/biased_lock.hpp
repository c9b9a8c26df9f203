// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock that costs its owner two plain stores, and anybody else a heavy fence.
#pragma once
#include <cstdint>

#include <hocket/detail/atomic.hpp>

#include "base/cpu_pause.hpp"
#include "base/fences.hpp"

namespace hocket::detail {

/// enter()/leave(): the owning worker only; no task switch in between. try_enter_other()/leave_other(): any
/// other thread.
class biased_lock {
 public:
  HOCKET_ALWAYS_INLINE void enter() {
    inside_.store(1, std::memory_order_relaxed);
    light_fence();  // store inside, then load revoked; the mirror image is in try_enter_other
    // acquire: what the other thread did before leave_other.
    if (HOCKET_UNLIKELY(revoked_.load(std::memory_order_acquire) != 0)) wait_for_other();
  }
  HOCKET_ALWAYS_INLINE void leave() {
    inside_.store(0, std::memory_order_release);
  }  // pairs with try_enter_other

  /// False if another thief is inside, or if the owner stays inside for long (it may have lost its core).
  bool try_enter_other() {
    if (others_.exchange(1, std::memory_order_acquire) != 0) return false;
    revoked_.store(1, std::memory_order_seq_cst);
    heavy_fence();
    for (int i = 0; i < 1000; ++i) {
      if (inside_.load(std::memory_order_acquire) == 0) return true;
      cpu_pause();
    }
    leave_other();
    return false;
  }
  void leave_other() {
    revoked_.store(0, std::memory_order_release);  // pairs with enter
    others_.store(0, std::memory_order_release);   // pairs with the next thief's exchange
  }

 private:
  HOCKET_COLD void wait_for_other() {
    do {
      inside_.store(0, std::memory_order_release);
      for (unsigned i = 0; revoked_.load(std::memory_order_relaxed) != 0; ++i) back_off(i);
      inside_.store(1, std::memory_order_relaxed);
      light_fence();
    } while (revoked_.load(std::memory_order_acquire) != 0);
  }

  atomic<std::uint32_t> inside_{0};
  atomic<std::uint32_t> revoked_{0};
  atomic<std::uint32_t> others_{0};
};

}  // namespace hocket::detail
