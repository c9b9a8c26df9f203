// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock for a few instructions that never wait; works with std::lock_guard.
#pragma once
#include <cstdint>

#include <hocket/detail/atomic.hpp>

#include "base/cpu_pause.hpp"

namespace hocket::detail {

class spin_lock {
 public:
  void lock() {
    for (unsigned i = 0; held_.exchange(1, std::memory_order_acquire) != 0;) {
      while (held_.load(std::memory_order_relaxed) != 0) back_off(i++);
    }
  }
  void unlock() { held_.store(0, std::memory_order_release); }  // pairs with lock's exchange

 private:
  atomic<std::uint32_t> held_{0};
};

}  // namespace hocket::detail
