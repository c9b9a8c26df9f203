// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A count that tasks wait for to reach zero (the counter form of PPL's sync; the PPL paper, §2).
// Examples: examples/counter.cpp.
#pragma once
#include <cstdint>

#include <hocket/detail/atomic.hpp>
#include <hocket/detail/wait_list.hpp>

namespace hocket {

class counter;
namespace detail {
struct list_waiter;
bool enlist(counter&, list_waiter&);  // for futures: false if the count is zero
}  // namespace detail

/// counter counts what is still to be done. Those who wait go on when it reaches zero, also if it is raised
/// again at once; a future (future.hpp) may begin then. Tasks and threads alike. It may be raised again
/// afterwards.
///
/// Who finds it at zero after a wait may destroy it, if nobody else waits or will count. To destroy it while
/// somebody waits ends the program with a sentence.
class counter {
 public:
  /// Between 0 and max(). Throws error(misuse) else.
  explicit counter(std::int64_t initial = 0);
  ~counter() {
    if (HOCKET_UNLIKELY(!waiters_.empty())) detail::refuse_end("a counter", this);
  }
  counter(const counter&) = delete;
  counter& operator=(const counter&) = delete;

  /// add() raises it by n >= 0. Never blocks. Throws error(misuse) if it would be more than max(). Cost: a
  /// locked instruction.
  void add(std::int64_t n = 1);
  /// done() lowers it by n >= 0; at zero, lets go all who wait. Never blocks. What was written before is
  /// visible to who finds it at zero. Throws error(misuse) if it would be less than zero. Cost: a locked
  /// instruction.
  bool done(std::int64_t n = 1);
  /// value() is the count a moment ago.
  std::int64_t value() const { return state_.load(std::memory_order_acquire) / one; }
  static constexpr std::int64_t max() { return INT64_MAX / one - 1; }

  /// wait() returns once the count is, or has been meanwhile, zero; suspends the task, or parks the thread if
  /// the caller is none. Throws cancelled if the task is asked to stop.
  void wait() { wait_until_deadline(detail::never); }
  /// wait_for(), wait_until(): as wait(), but at most so long; true if the count has been zero.
  template <class Rep, class Period>
  bool wait_for(const std::chrono::duration<Rep, Period>& d) {
    return wait_until_deadline(detail::deadline_after(d));
  }
  template <class Clock, class Duration>
  bool wait_until(const std::chrono::time_point<Clock, Duration>& t) {
    return wait_until_deadline(detail::deadline_at(t));
  }
  bool try_wait() { return wait_until_deadline(detail::at_once); }

 private:
  friend bool detail::enlist(counter&, detail::list_waiter&);
  bool wait_until_deadline(detail::deadline);
  bool reach_zero(std::int64_t n);
  bool announce();
  bool is_zero();

  // The count, and in the lowest bit whether somebody may wait: then zero is only reached under the list's
  // lock. So whoever sees zero without that bit, or has passed through the lock, knows that nobody touches
  // the counter any more. Lowered: acq_rel; looked at: acquire.
  static constexpr std::int64_t waited_for = 1, one = 2;
  detail::atomic<std::int64_t> state_;
  detail::wait_list waiters_;
};

}  // namespace hocket
