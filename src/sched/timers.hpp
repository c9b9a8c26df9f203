// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timers of a run: a wheel of wheels. To add one, to remove one and to let one expire each cost a
// constant number of steps, however many there are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

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
  timer* next = nullptr;         // in expired::starts
  // Where the wheel holds it; guarded by the wheel's lock.
  std::uint32_t index = 0;
  std::uint16_t place = 0;
  bool pending = false;
};

/// What expired: tasks to make ready, and timers whose task is to start, in lists.
struct expired {
  real_task* ready = nullptr;  // linked by real_task::link
  real_task* last_ready = nullptr;
  timer* starts = nullptr;  // linked by timer::next
  timer* last_start = nullptr;
};

class timer_wheel {
 public:
  /// How many timers one call of expire() takes off at most: so many are still in the cache when they run.
  static constexpr std::size_t most_at_once = 128;

  explicit timer_wheel(deadline now);
  /// add() sets a timer; true if it is due before all others.
  bool add(timer*);
  /// remove() takes it off; false if it has expired. After it, the wheel does not touch the timer.
  bool remove(timer*);
  /// expire() takes off those that are due at `now`, at most so many, and fires those that wake: in order of
  /// time to 65 us. If there are more, next() says so.
  expired expire(deadline now);
  /// When to call expire() next: not after the first timer is due, perhaps before. Any thread, without the
  /// lock.
  deadline next() const { return next_.load(std::memory_order_acquire); }
  std::size_t pending() const { return pending_.load(std::memory_order_acquire); }

 private:
  static constexpr unsigned levels = 6, slot_bits = 6, slots = 1u << slot_bits;
  static constexpr unsigned tick_bits = 16;  // 65 us: within a tick, each timer's own time counts
  static std::uint64_t tick_of(deadline t) { return static_cast<std::uint64_t>(t) >> tick_bits; }

  /// The wheel holds the times beside one another: to look through a slot touches no timer.
  struct entry {
    deadline due;
    timer* t;
  };
  using slot_list = std::vector<entry>;

  // noexcept: without memory the program ends, since who waits would else never wake.
  void insert(entry) noexcept;
  void take_off(timer*);
  void move_down(unsigned level, unsigned slot) noexcept;
  void expire_one(const entry&, expired&);
  bool expire_slot(unsigned slot, deadline now, std::size_t& room, expired&);
  bool first_slot(unsigned& level, unsigned& slot) const;
  std::uint64_t start_of(unsigned level, unsigned slot) const;
  void set_next();

  spin_lock lock_;
  std::uint64_t base_;  // every timer of an earlier tick has expired
  slot_list at_[levels][slots];
  std::uint64_t used_[levels] = {};  // a bit a slot that is not empty
  slot_list moving_;                 // scratch of expire
  atomic<deadline> next_{never};     // release under the lock; acquire by next()
  atomic<std::size_t> pending_{0};   // the same
};

}  // namespace hocket::detail
