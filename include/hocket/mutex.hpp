// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mutex for tasks: who waits for it leaves its worker to others.
// Examples: examples/mutex.cpp.
#pragma once
#include <cstdint>

#include <hocket/detail/atomic.hpp>
#include <hocket/detail/deadline.hpp>

namespace hocket {

namespace detail {
struct mutex_waiter;
struct real_task;
}  // namespace detail

/// mutex excludes; works with std::lock_guard, std::unique_lock and std::scoped_lock. Those who wait get it
/// in their order (FIFO, handed over by unlock). It may be held across any wait; the task may unlock it on
/// another worker. A waiter lends its priority to the task that holds it. Tasks and threads alike.
///
/// Not recursive: to lock it again, or to unlock what one does not hold, throws error(misuse); a lock that
/// nobody can release any more is reported as a deadlock, with its owner. A task is the owner together with
/// all that runs inlined on its stack. No wait for it throws cancelled: code that cleans up may lock.
class mutex {
 public:
  mutex() = default;
  ~mutex() {
    if (HOCKET_UNLIKELY(state_.load(std::memory_order_relaxed) != free)) refuse_end();
  }
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  /// lock() blocks until the caller holds it. What former owners did is visible. Cost: one locked instruction
  /// if it is free.
  void lock() { lock_until_deadline(detail::never); }
  /// try_lock() never blocks.
  bool try_lock();
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& d) {
    return lock_until_deadline(detail::deadline_after(d));
  }
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& t) {
    return lock_until_deadline(detail::deadline_at(t));
  }
  /// unlock() releases it, or hands it to who has waited longest. Never blocks. Cost: one locked instruction
  /// if nobody waits.
  void unlock();

  /// For reports: who holds it, null for a thread or nobody; and that task's number.
  detail::real_task* owner() const { return owner_.load(std::memory_order_relaxed); }
  std::uint64_t owner_number() const { return owner_number_.load(std::memory_order_relaxed); }

 private:
  bool lock_until_deadline(detail::deadline);
  bool lock_slowly(detail::deadline);
  void hand_over();
  void take_off(detail::mutex_waiter*);
  void set_owner(detail::real_task*, std::uint64_t number);
  void refuse_end() const;

  static constexpr std::uint32_t free = 0, held = 1, wanted = 2;
  // Lock: compare_exchange(acquire); unlock: release. `wanted`, while somebody may wait, is changed under
  // guard_.
  detail::atomic<std::uint32_t> state_{free};
  detail::atomic<std::uint32_t> guard_{0};  // a spin lock over the list; acquire and release
  detail::atomic<detail::real_task*> owner_{
      nullptr};  // relaxed: written by the owner, or for it by hand_over
  detail::atomic<std::uint64_t> owner_number_{0};
  detail::mutex_waiter* first_ = nullptr;
  detail::mutex_waiter* last_ = nullptr;
  std::uint8_t highest_ = 0;  // priority that a waiter had since the list was last empty; guarded
};

}  // namespace hocket
