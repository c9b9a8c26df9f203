// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A condition variable for tasks: to wait, with a lock given up meanwhile, until another says that something
// has changed. Examples: examples/condition_variable.cpp.
#pragma once
#include <condition_variable>
#include <cstdint>

#include <hocket/detail/atomic.hpp>
#include <hocket/detail/deadline.hpp>
#include <hocket/detail/wait_list.hpp>

namespace hocket {

/// condition_variable has std::condition_variable_any's operations. The lock is anything with lock() and
/// unlock() that others may take meanwhile: std::unique_lock<hocket::mutex>, std::shared_lock<shared_mutex>,
/// a mutex itself. Tasks and threads alike, inside a run and outside. No wait returns without a reason; who
/// is notified first goes on first (FIFO), but has to lock again, so a condition is to be looked at anew:
/// give a predicate. It may be destroyed once all who wait have been notified, though they have not returned
/// yet, and by one of them, though the notification is still on its way out. To destroy it while somebody
/// waits ends the program with a sentence.
class condition_variable {
 public:
  condition_variable() = default;
  ~condition_variable();
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;

  /// wait() unlocks, blocks until notified, and locks again; no notification that comes after the unlocking
  /// is lost. With a predicate: until that is true. Throws cancelled if the task is asked to stop while it
  /// waits, and has not been notified; the lock is held again then. What unlock() and lock() of the lock
  /// throw comes out; lock() should be one that cannot be cancelled.
  template <class Lock>
  void wait(Lock& lock) {
    wait_until_deadline(as_lock(lock), detail::never);
  }
  template <class Lock, class Predicate>
  void wait(Lock& lock, Predicate done) {
    while (!done()) wait(lock);
  }
  /// wait_for(), wait_until(): as wait(), but at most so long, and as long as it takes to lock again. A time
  /// that has passed makes them unlock, and lock again. With a predicate: what that says at last.
  template <class Lock, class Rep, class Period>
  std::cv_status wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& d) {
    return status(wait_until_deadline(as_lock(lock), detail::deadline_after(d)));
  }
  template <class Lock, class Rep, class Period, class Predicate>
  bool wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& d, Predicate done) {
    return wait_for_predicate(lock, detail::deadline_after(d), done);
  }
  template <class Lock, class Clock, class Duration>
  std::cv_status wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& t) {
    return status(wait_until_deadline(as_lock(lock), detail::deadline_at(t)));
  }
  template <class Lock, class Clock, class Duration, class Predicate>
  bool wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& t, Predicate done) {
    return wait_for_predicate(lock, detail::deadline_at(t), done);
  }

  /// notify_one() lets go who has waited longest, notify_all() all who wait. Never block. Any thread, with
  /// the lock or without; but what the condition depends on is to be changed with it. Cost: a look if nobody
  /// waits.
  void notify_one() {
    if (waiting_.load(std::memory_order_acquire) != 0) notify(false);
  }
  void notify_all() {
    if (waiting_.load(std::memory_order_acquire) != 0) notify(true);
  }

 private:
  struct any_lock {
    void* object;
    void (*lock)(void*);
    void (*unlock)(void*);
  };
  template <class Lock>
  static any_lock as_lock(Lock& l) {
    return {&l, [](void* p) { static_cast<Lock*>(p)->lock(); },
            [](void* p) { static_cast<Lock*>(p)->unlock(); }};
  }
  static std::cv_status status(bool notified) {
    return notified ? std::cv_status::no_timeout : std::cv_status::timeout;
  }
  template <class Lock, class Predicate>
  bool wait_for_predicate(Lock& lock, detail::deadline until, Predicate& done) {
    while (!done()) {
      if (!wait_until_deadline(as_lock(lock), until)) return done();
    }
    return true;
  }
  bool wait_until_deadline(const any_lock&, detail::deadline);
  void notify(bool all);
  void take_off(detail::list_waiter&);

  // Whether the list has members; written under its lock (release), before the user's lock is given up: who
  // notifies after having had that lock sees it (acquire).
  detail::atomic<std::uint32_t> waiting_{0};
  detail::wait_list list_;
};

}  // namespace hocket
