// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mutex for tasks that many may hold shared, to read, or one alone, to write.
// Examples: examples/shared_mutex.cpp.
#pragma once
#include <cstdint>

#include <hocket/detail/atomic.hpp>
#include <hocket/detail/deadline.hpp>
#include <hocket/detail/wait_list.hpp>

namespace hocket {

namespace detail {
struct real_task;
}  // namespace detail

/// shared_mutex has the operations of std::shared_timed_mutex; works with std::shared_lock and the locks that
/// work with mutex. Those who wait get it in their order (FIFO, handed over): who comes to read waits behind
/// a writer that waits, so neither side starves. It may be held across any wait; a task may give it up on
/// another worker. A waiter lends its priority to the task that holds it alone. Tasks and threads alike.
///
/// Not recursive. To lock it, in either way, while one holds it alone, and to unlock what is not held, throw
/// error(misuse). Who holds it shared is not known: to lock it again may wait for ever, behind a writer. No
/// wait for it throws cancelled: code that cleans up may lock. To destroy it while it is held ends the
/// program with a sentence; the next owner may destroy it, though the unlock that let it go is still on its
/// way out.
class shared_mutex {
 public:
  shared_mutex() = default;
  ~shared_mutex();
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;

  /// lock() blocks until the caller holds it alone. What former owners, of both kinds, did is visible. Cost:
  /// one locked instruction if it is free.
  void lock() {
    if (!try_lock()) lock_slowly(true, detail::never);
  }
  /// try_lock() never blocks.
  bool try_lock();
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& d) {
    return try_lock() || lock_slowly(true, detail::deadline_after(d));
  }
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& t) {
    return try_lock() || lock_slowly(true, detail::deadline_at(t));
  }
  /// unlock() ends it, or hands it to who has waited longest, and those that read next behind. Never blocks.
  /// Cost: one locked instruction if nobody waits.
  void unlock();

  /// lock_shared() blocks until the caller holds it with others that read. What those who held it alone did
  /// is visible. Cost: one locked instruction if nobody holds it alone or waits.
  void lock_shared() {
    if (HOCKET_UNLIKELY(!try_lock_shared())) lock_slowly(false, detail::never);
  }
  /// try_lock_shared() never blocks. False if somebody holds it alone, or waits.
  bool try_lock_shared() {
    std::uint64_t seen = word_.load(std::memory_order_relaxed);
    while ((seen & (held | waiting)) == 0) {
      if (HOCKET_LIKELY(word_.compare_exchange_weak(seen, seen + reader, std::memory_order_acquire,
                                                    std::memory_order_relaxed))) {
        return true;
      }
    }
    return false;
  }
  template <class Rep, class Period>
  bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& d) {
    return try_lock_shared() || lock_slowly(false, detail::deadline_after(d));
  }
  template <class Clock, class Duration>
  bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& t) {
    return try_lock_shared() || lock_slowly(false, detail::deadline_at(t));
  }
  /// unlock_shared(): the last one hands it over. Never blocks. Cost: one locked instruction if others hold
  /// it too, or nobody waits.
  void unlock_shared() {
    std::uint64_t seen = word_.load(std::memory_order_relaxed);
    while (seen >= 2 * reader || (seen & ~waiting) == seen) {
      if (HOCKET_UNLIKELY(seen < reader)) break;
      if (HOCKET_LIKELY(word_.compare_exchange_weak(seen, seen - reader, std::memory_order_release,
                                                    std::memory_order_relaxed))) {
        return;
      }
    }
    unlock_shared_slowly();
  }

  /// For reports: who holds it alone, null for a thread or nobody; and that task's number.
  detail::real_task* owner() const { return owner_.load(std::memory_order_relaxed); }
  std::uint64_t owner_number() const { return owner_number_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t held = 1, waiting = 2, reader = 4;
  bool lock_slowly(bool alone, detail::deadline);
  bool take_or_announce(bool alone);
  void unlock_shared_slowly();
  void hand_over(detail::ready_list&);
  void set_owner(detail::real_task*, std::uint64_t number);

  // `held` alone, or so many times `reader`; and `waiting` while somebody is in the list: then nobody comes
  // in or is the last to go out without the list's lock. Lock: acquire; unlock: release.
  detail::atomic<std::uint64_t> word_{0};
  detail::atomic<detail::real_task*> owner_{
      nullptr};  // relaxed: written by the owner, or for it by hand_over
  detail::atomic<std::uint64_t> owner_number_{0};
  detail::wait_list list_;
  std::uint8_t highest_ = 0;  // priority that a waiter had since the list was last empty; under its lock
};

}  // namespace hocket
