// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timers of a run: a wheel of wheels. To add one, to remove one and to let one expire each cost a constant
// number of steps, however many there are.
#pragma once
#include <cstddef>
#include <cstdint>

#include <hocket/detail/atomic.hpp>
#include <hocket/detail/deadline.hpp>

#include "base/spin_lock.hpp"

namespace hocket::detail {

struct descriptor;
struct parked;
struct real_task;

/// A timer, in memory of whoever set it. It wakes a waiter, or starts a task.
struct timer {
  deadline due = never;
  parked* wakes = nullptr;
  descriptor* starts = nullptr;  // for a task that is to start; then the timer is in heap memory
  timer* next = nullptr;         // the links, and whether it is pending, are guarded by the wheel's lock
  timer* previous = nullptr;
  std::uint16_t place = 0;
  bool pending = false;
};

/// What expired: tasks to make ready and timers whose task is to start, in lists.
struct expired {
  real_task* ready = nullptr;  // linked by real_task::link, the earliest first
  real_task* last_ready = nullptr;
  timer* starts = nullptr;  // linked by timer::next
};

class timer_wheel {
 public:
  timer_wheel();
  /// add() sets a timer; true if it is due before all others.
  bool add(timer*);
  /// remove() takes it off; false if it has expired. After it, the wheel does not touch the timer.
  bool remove(timer*);
  /// expire() takes off all that are due at `now`, and fires those that wake.
  expired expire(deadline now);
  /// When to call expire() next: not after the first timer is due, perhaps before. Any thread, without the
  /// lock.
  deadline next() const { return next_.load(std::memory_order_acquire); }
  std::size_t pending() const { return pending_.load(std::memory_order_acquire); }

 private:
  static constexpr unsigned levels = 6, slot_bits = 6, slots = 1u << slot_bits;
  static constexpr unsigned tick_bits = 14;  // 16 us: within a tick, each timer's own time counts
  static std::uint64_t tick_of(deadline t) { return static_cast<std::uint64_t>(t) >> tick_bits; }

  void insert(timer*);
  void take_off(timer*);
  bool first_slot(unsigned& level, unsigned& slot) const;
  std::uint64_t start_of(unsigned level, unsigned slot) const;
  void set_next();

  spin_lock lock_;
  std::uint64_t base_;  // every timer of an earlier tick has expired
  timer* first_[levels][slots] = {};
  std::uint64_t used_[levels] = {};  // a bit a slot that is not empty
  atomic<deadline> next_{never};     // release under the lock; acquire by next()
  atomic<std::size_t> pending_{0};   // the same
};

}  // namespace hocket::detail
