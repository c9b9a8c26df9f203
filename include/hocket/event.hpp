// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A flag that tasks wait for.
// Examples: examples/event.cpp, event_wait_for.cpp.
#pragma once
#include <cstdint>

#include <hocket/detail/atomic.hpp>
#include <hocket/detail/deadline.hpp>

namespace hocket {

class event;
namespace detail {
struct event_waiter;
bool enlist(event&, event_waiter&);  // false if it is set
}  // namespace detail

/// event is set once and lets go all who wait. It must outlive its waiters; the last one that wait() let go
/// may destroy it. To destroy it while somebody waits ends the program with a sentence.
class event {
 public:
  event() = default;
  ~event() {
    if (HOCKET_UNLIKELY(state_.load(std::memory_order_relaxed) > is_set)) refuse_end();
  }
  event(const event&) = delete;
  event& operator=(const event&) = delete;

  /// wait() returns once the event is set; suspends the task, or parks the thread if the caller is none.
  /// What was written before set() is visible after wait(). Throws cancelled if the task is asked to stop.
  void wait();
  /// wait_for(), wait_until(): as wait(), but at most so long; true if the event is set. A time that has
  /// passed makes them a look. Lateness and cost: docs/time.md.
  template <class Rep, class Period>
  bool wait_for(const std::chrono::duration<Rep, Period>& d) {
    return wait_until_deadline(detail::deadline_after(d));
  }
  template <class Clock, class Duration>
  bool wait_until(const std::chrono::time_point<Clock, Duration>& t) {
    return wait_until_deadline(detail::deadline_at(t));
  }
  /// set() sets it and makes all waiters ready, in no promised order. Never blocks. Any thread. Setting it
  /// again does nothing.
  void set();
  bool ready() const { return state_.load(std::memory_order_acquire) == is_set; }
  /// reset() makes it unset again. Nobody may wait or set meanwhile.
  void reset() { state_.store(0, std::memory_order_relaxed); }

 private:
  friend bool detail::enlist(event&, detail::event_waiter&);
  bool wait_until_deadline(detail::deadline);
  void refuse_end() const;

  static constexpr std::uintptr_t is_set = 1;
  // 0, is_set, or the list of waiters with a bit for its lock (release when changed, acquire when locked or
  // set).
  detail::atomic<std::uintptr_t> state_{0};
};

}  // namespace hocket
