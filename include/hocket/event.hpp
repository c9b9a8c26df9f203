// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A flag that tasks wait for.
// Examples: examples/event.cpp.
#pragma once
#include <cstdint>

#include <hocket/detail/atomic.hpp>

namespace hocket {

/// event is set once and wakes all who wait. It must outlive its waiters; it may be destroyed by a task that
/// wait() let go.
class event {
 public:
  event() = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;

  /// wait() returns once the event is set; suspends the task, or parks the thread if the caller is none.
  /// What was written before set() is visible after wait().
  void wait();
  /// set() sets it and makes all waiters ready, in no promised order. Never blocks. Any thread. Setting it
  /// again does nothing.
  void set();
  bool ready() const { return state_.load(std::memory_order_acquire) == is_set; }
  /// reset() makes it unset again. Nobody may wait or set meanwhile.
  void reset() { state_.store(0, std::memory_order_relaxed); }

 private:
  static constexpr std::uintptr_t is_set = 1;
  detail::atomic<std::uintptr_t> state_{
      0};  // 0, is_set, or the list of waiters (release when pushed, acquire by set)
};

}  // namespace hocket
