// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A semaphore for tasks: so many permits, taken and given back in any number.
// Examples: examples/semaphore.cpp.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>

#include <hocket/detail/atomic.hpp>
#include <hocket/detail/deadline.hpp>
#include <hocket/detail/wait_list.hpp>

namespace hocket {

/// semaphore counts permits. Who waits gets his in the order of asking (FIFO), handed over by release(): one
/// who asks for many is not overtaken by those behind who ask for few. Tasks and threads alike, inside a run
/// and outside; anyone may release. It must outlive those who wait; who has got a permit may destroy it,
/// though the release that gave it is still on its way out. To destroy it while somebody waits ends the
/// program with a sentence.
///
/// A count below zero, or above max(), throws error(misuse); so does a release above max(), which changes
/// nothing.
class semaphore {
 public:
  explicit semaphore(std::ptrdiff_t initial);
  ~semaphore();
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;

  /// acquire() takes n permits, and blocks until it has them. What was written before they were released is
  /// visible. Throws cancelled if the task is asked to stop while it waits: then it has taken none. Cost: one
  /// locked instruction if there are enough.
  void acquire(std::ptrdiff_t n = 1) {
    if (HOCKET_UNLIKELY(!try_acquire(n))) acquire_slowly(n, detail::never);
  }
  /// try_acquire() never blocks. False if there are too few, or others wait.
  bool try_acquire(std::ptrdiff_t n = 1) {
    if (HOCKET_UNLIKELY(is_odd(n))) return accept_none(n);
    std::int64_t seen = word_.load(std::memory_order_relaxed);
    while ((seen & waiting) == 0 && seen >= n * permit) {
      if (HOCKET_LIKELY(word_.compare_exchange_weak(seen, seen - n * permit, std::memory_order_acquire,
                                                    std::memory_order_relaxed))) {
        return true;
      }
    }
    return false;
  }
  /// try_acquire_for(), try_acquire_until(): as acquire(), but at most so long; true if it has the permits. A
  /// time that has passed makes them a try.
  template <class Rep, class Period>
  bool try_acquire_for(const std::chrono::duration<Rep, Period>& d, std::ptrdiff_t n = 1) {
    return try_acquire(n) || acquire_slowly(n, detail::deadline_after(d));
  }
  template <class Clock, class Duration>
  bool try_acquire_until(const std::chrono::time_point<Clock, Duration>& t, std::ptrdiff_t n = 1) {
    return try_acquire(n) || acquire_slowly(n, detail::deadline_at(t));
  }
  /// release() gives n permits: to those who wait, the oldest first. Never blocks. Cost: one locked
  /// instruction if nobody waits.
  void release(std::ptrdiff_t n = 1) {
    if (HOCKET_UNLIKELY(is_odd(n)) && accept_none(n)) return;
    std::int64_t seen = word_.load(std::memory_order_relaxed);
    while ((seen & waiting) == 0 && seen <= (max() - n) * permit) {
      if (HOCKET_LIKELY(word_.compare_exchange_weak(seen, seen + n * permit, std::memory_order_release,
                                                    std::memory_order_relaxed))) {
        return;
      }
    }
    release_slowly(n);
  }

  /// max() is the most permits that there can be.
  static constexpr std::ptrdiff_t max() noexcept {
    return std::numeric_limits<std::ptrdiff_t>::max() / permit;
  }

 private:
  static constexpr std::int64_t waiting = 1, permit = 2;
  /// Whether a count is none of the usual: 0, or one that there cannot be.
  static constexpr bool is_odd(std::ptrdiff_t n) {
    return static_cast<std::size_t>(n) - 1 >= static_cast<std::size_t>(max());
  }
  static bool accept_none(std::ptrdiff_t n);  // true if n is 0; throws else
  bool acquire_slowly(std::ptrdiff_t n, detail::deadline);
  void release_slowly(std::ptrdiff_t n);
  void hand_out(std::int64_t available, detail::ready_list&);

  // Permits, and `waiting` while somebody is in the list: then it is changed under the list's lock only, and
  // the permits are those that the first one still finds too few. Taken by acquire, given by release.
  detail::atomic<std::int64_t> word_;
  detail::wait_list list_;
};

}  // namespace hocket
