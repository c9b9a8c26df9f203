// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting in a list: what need not be inline.
#include "sync/waiting.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "sched/deque.hpp"
#include "sched/held_task.hpp"
#include "sched/kernel.hpp"
#include "sched/scheduler.hpp"
#include "sched/stopping.hpp"

namespace hocket::detail {
namespace {

/// On the next stack: the waiter is suspended, and may be found.
void unlock_list(void* list, real_task*) { static_cast<wait_list*>(list)->unlock(); }

}  // namespace

wake wait_released(list_waiter& w, const wait_note& note, deadline until, bool stoppable,
                   void (*release)(void* argument, real_task*), void* argument) {
  real_task* t = w.who.task;
  if (HOCKET_LIKELY(t != nullptr && until == never && (!stoppable || token_in_force(t) == nullptr))) {
    w.only_listed = true;
    suspend(note, release, argument);
    return wake::done;
  }
  release(argument, t);
  return park(w.who, note, until, stoppable);
}

wake wait_list::wait(list_waiter& w, const wait_note& note, deadline until, bool stoppable) {
  if (HOCKET_UNLIKELY(forked_away())) {
    remove(&w);
    unlock();
    throw_outside_run("something was waited for");
  }
  const wake why = wait_released(w, note, until, stoppable, &unlock_list, this);
  if (HOCKET_LIKELY(w.only_listed)) return why;
  // Through the lock: who let it go has left it, so the caller may destroy the list.
  const std::lock_guard g(*this);
  if (w.linked) remove(&w);
  return why;
}

unsigned looks_before_waiting(real_task* t) {
  if (t == nullptr) return 0;
  const worker* w = t->on;
  const bool has_other_work =
      w->queues.ready_hint() + w->queues.virtual_hint() != 0 || w->kernel_->has_bound(w) || has_children(t);
  return has_other_work ? 0 : w->kernel_->join_spins;
}

ready_list::~ready_list() {
  while (held_ != nullptr)
    let_begin(std::exchange(held_, held_->next)->who.holds);  // which may end the waiter
  if (may_block_ && first_ != nullptr && first_ == last_) {
    hand_worker_to(first_);
    return;
  }
  while (first_ != nullptr) make_ready(std::exchange(first_, first_->link));
}

void refuse_end(const char* what, const void* at) {
  std::fprintf(
      stderr,
      "hocket: %s at %p was destroyed while tasks or threads wait for it; let it live until they have gone "
      "on\n",
      what, at);
  std::abort();
}

}  // namespace hocket::detail
