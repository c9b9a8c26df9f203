// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting in a list: what need not be inline.
#include "sync/waiting.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "sched/kernel.hpp"
#include "sched/scheduler.hpp"
#include "sched/stopping.hpp"

namespace hocket::detail {
namespace {

/// On the next stack: the waiter is suspended, and may be found.
void unlock_list(void* list, real_task*) { static_cast<wait_list*>(list)->unlock(); }

}  // namespace

wake wait_list::wait(list_waiter& w, const wait_note& note, deadline until, bool stoppable) {
  real_task* t = w.who.task;
  if (HOCKET_LIKELY(t != nullptr && until == never && (!stoppable || token_in_force(t) == nullptr))) {
    w.only_listed = true;
    suspend(note, &unlock_list, this);
    return wake::done;
  }
  if (HOCKET_UNLIKELY(forked_away())) {
    remove(&w);
    unlock();
    throw_outside_run("something was waited for");
  }
  unlock();
  const wake why = park(w.who, note, until, stoppable);
  if (why != wake::done) {
    const std::lock_guard g(*this);
    if (w.linked) remove(&w);
  }
  return why;
}

ready_list::~ready_list() {
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
