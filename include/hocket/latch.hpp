// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A count that goes down to zero once, and lets go all who wait for that.
// Examples: examples/latch.cpp.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>

#include <hocket/detail/atomic.hpp>
#include <hocket/detail/deadline.hpp>
#include <hocket/detail/wait_list.hpp>

namespace hocket {

/// latch is open once its count is zero, for good; std::latch's operations. Tasks and threads alike, inside a
/// run and outside. It must outlive those who wait; the last one that wait() let go may destroy it, though
/// the count_down that opened it is still on its way out. To destroy it while somebody waits ends the program
/// with a sentence.
///
/// A count below zero or above max(), or to count down by more than is left, throws error(misuse).
class latch {
 public:
  explicit latch(std::ptrdiff_t expected);
  ~latch();
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  /// count_down() takes n off, and at zero lets go all who wait. Never blocks. Cost: one locked instruction,
  /// if it is not the last, or nobody waits.
  void count_down(std::ptrdiff_t n = 1) {
    if (HOCKET_UNLIKELY(n < 0 || n > max())) refuse_count();
    const std::int64_t was = word_.fetch_sub(n * one, std::memory_order_acq_rel);
    if (HOCKET_UNLIKELY(was < (n + 1) * one)) reach_zero(was, n);
  }
  /// try_wait() never blocks: whether it is open. False, too, for the moment in which others are let go.
  bool try_wait() const noexcept { return word_.load(std::memory_order_acquire) <= 0; }
  /// wait() returns once it is open. What was written before each count_down() is visible. Throws cancelled
  /// if the task is asked to stop while it waits.
  void wait() {
    if (!try_wait()) wait_slowly(detail::never);
  }
  /// wait_for(), wait_until(): as wait(), but at most so long; true if it is open. A time that has passed
  /// makes them a try.
  template <class Rep, class Period>
  bool wait_for(const std::chrono::duration<Rep, Period>& d) {
    return try_wait() || wait_slowly(detail::deadline_after(d));
  }
  template <class Clock, class Duration>
  bool wait_until(const std::chrono::time_point<Clock, Duration>& t) {
    return try_wait() || wait_slowly(detail::deadline_at(t));
  }
  /// arrive_and_wait() is count_down() and wait(). If it throws cancelled, it has counted down.
  void arrive_and_wait(std::ptrdiff_t n = 1) {
    count_down(n);
    wait();
  }

  /// max() is the highest count.
  static constexpr std::ptrdiff_t max() noexcept {
    return std::numeric_limits<std::ptrdiff_t>::max() / one - 1;
  }

 private:
  static constexpr std::int64_t waiting = 1, one = 2;
  [[noreturn]] static void refuse_count();
  void reach_zero(std::int64_t was, std::ptrdiff_t n);
  bool wait_slowly(detail::deadline);

  // The count, and `waiting` once somebody has been in the list: at zero it stays until these are let go, so
  // that nobody passes, and destroys the latch, before who opens it has locked the list. Counted down by
  // acq_rel; who passes reads it by acquire.
  detail::atomic<std::int64_t> word_;
  detail::wait_list list_;
};

}  // namespace hocket
