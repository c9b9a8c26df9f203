// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting in a list: how everything of this layer blocks but the event and the mutex, which are older.
//
//   ready_list go;                            // lets those go on whom it is given, when it ends
//   const std::lock_guard g(list);            // ends first
//   while (list_waiter* w = list.first()) { ... list.let_go(w, go) ... }
//
//   std::unique_lock g(list);
//   if (...) return;                          // need not wait
//   my_waiter me;                             // derived from list_waiter: what is asked for, what is given
//   list.push_back(&me);
//   switch (list.wait(me, {wait_kind::semaphore, this}, until, true)) { ... }   // unlocks; g.release()
//
// A task that waits without a limit and under no stop token holds the list's lock until it has left its
// stack, so that whoever finds it in the list finds it suspended: neither side then needs a locked
// instruction of its own. All others park (sched/park.hpp): several may fire them.
#pragma once
#include <mutex>
#include <utility>

#include <hocket/detail/wait_list.hpp>

#include "base/cpu_pause.hpp"
#include "sched/park.hpp"
#include "sched/real_task.hpp"

namespace hocket::detail {

/// One who waits, on its own stack. All but `who` is guarded by the list's lock.
struct list_waiter {
  parked who;
  list_waiter* next = nullptr;
  list_waiter* previous = nullptr;
  bool linked = false;
  bool only_listed = false;  // nobody but the list's user can let it go on, and it is suspended
  list_waiter() = default;
  explicit list_waiter(held_task* h) : who(h) {}
};

/// wait_released() blocks the caller, whose waiter has been made known under a lock, and calls
/// release(argument, ...) to unlock: after the caller has left its stack, if it waits without a limit and
/// under no stop token. Anything but wake::done: the waiter may still be linked.
wake wait_released(list_waiter&, const wait_note&, deadline until, bool stoppable,
                   void (*release)(void* argument, real_task*), void* argument);

/// How often to look before waiting: 0, unless the caller runs on a worker that has nothing else to run, and
/// others that could fill what it waits for: then to look for a while costs nobody anything, and saves two
/// switches.
unsigned looks_before_waiting(real_task*);

/// Tasks that are to go on, as soon as this ends: not while a lock is held. In an operation that may block, a
/// single one may take the caller's place on its worker.
class ready_list {
 public:
  enum class caller : bool { stays, may_block };
  explicit ready_list(caller c = caller::stays) : may_block_(c == caller::may_block) {}
  ~ready_list();
  ready_list(const ready_list&) = delete;
  ready_list& operator=(const ready_list&) = delete;
  void add(real_task* t) {
    t->link = nullptr;
    (last_ != nullptr ? last_->link : first_) = t;
    last_ = t;
  }
  void add_held(list_waiter* w) { w->next = std::exchange(held_, w); }  // of a future

 private:
  list_waiter* held_ = nullptr;
  real_task* first_ = nullptr;  // linked by real_task::link, which is free while a task is suspended
  real_task* last_ = nullptr;
  const bool may_block_;
};

inline void wait_list::lock() {
  for (unsigned i = 0; locked_.exchange(1, std::memory_order_acquire) != 0;) {
    while (locked_.load(std::memory_order_relaxed) != 0) back_off(i++);
  }
}
inline void wait_list::unlock() { locked_.store(0, std::memory_order_release); }

inline void wait_list::push_back(list_waiter* w) {
  w->previous = last_;
  w->next = nullptr;
  (last_ != nullptr ? last_->next : first_) = w;
  last_ = w;
  w->linked = true;
}
inline void wait_list::push_front(list_waiter* w) {
  w->previous = nullptr;
  w->next = first_;
  (first_ != nullptr ? first_->previous : last_) = w;
  first_ = w;
  w->linked = true;
}
inline void wait_list::remove(list_waiter* w) {
  (w->previous != nullptr ? w->previous->next : first_) = w->next;
  (w->next != nullptr ? w->next->previous : last_) = w->previous;
  w->linked = false;
}

/// let_go() lets one go on that has been taken off; see wait_list::let_go.
inline bool let_go(list_waiter* w, ready_list& go) {
  if (HOCKET_LIKELY(w->only_listed)) {
    go.add(w->who.task);
    return true;
  }
  if (w->who.holds != nullptr) {
    go.add_held(w);
    return true;
  }
  real_task* ready = nullptr;
  const bool in_time = fire(&w->who, wake::done, ready);  // then w may be gone
  if (ready != nullptr) go.add(ready);
  return in_time;
}

inline bool wait_list::let_go(list_waiter* w, ready_list& go) {
  remove(w);
  return detail::let_go(w, go);
}

}  // namespace hocket::detail
