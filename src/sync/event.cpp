// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// event: one word that holds the list of waiters until it is set.
#include <hocket/event.hpp>

#include "base/futex.hpp"
#include "sched/real_task.hpp"
#include "sched/scheduler.hpp"

namespace hocket {
namespace {
using namespace detail;

/// A waiter on its own stack; `woken` is for threads that are not tasks.
struct event_waiter {
  event_waiter* next;
  real_task* task;
  atomic<std::uintptr_t>* state;
  atomic<std::uint32_t> woken{0};
};

/// Hangs the waiter into the list; false if the event is set.
bool push(event_waiter* w, std::uintptr_t is_set) {
  std::uintptr_t seen = w->state->load(std::memory_order_acquire);
  do {
    if (seen == is_set) return false;
    w->next = reinterpret_cast<event_waiter*>(seen);
    // release: the waiter and the task's saved registers, for set().
  } while (!w->state->compare_exchange_weak(seen, address(w), std::memory_order_acq_rel,
                                            std::memory_order_acquire));
  return true;
}

void hang_in(void* argument, real_task* t) {
  auto* w = static_cast<event_waiter*>(argument);
  w->task = t;
  if (!push(w, 1)) make_ready(t);
}

}  // namespace

void event::wait() {
  if (ready()) return;
  event_waiter w{nullptr, nullptr, &state_, {0}};
  if (detail::current_task() != nullptr) {
    detail::suspend(&hang_in, &w);
  } else if (push(&w, is_set)) {
    while (w.woken.load(std::memory_order_acquire) == 0) detail::futex_wait(w.woken, 0);
  }
}

void event::set() {
  const std::uintptr_t before = state_.exchange(is_set, std::memory_order_acq_rel);
  if (before == is_set) return;
  // The newest first: to turn the list around would touch every waiter's stack twice. The event itself is not
  // touched any more.
  for (auto* next = reinterpret_cast<event_waiter*>(before); next != nullptr;) {
    event_waiter* w = next;
    next = w->next;  // w is gone once its owner runs
    if (w->task != nullptr) {
      detail::make_ready(w->task);
    } else {
      w->woken.store(1, std::memory_order_release);
      detail::futex_wake(w->woken);  // a wake of a dead word is harmless: its owner looks at the value
    }
  }
}

}  // namespace hocket
