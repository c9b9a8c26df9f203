// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for any of several descriptors: a waiter hangs in the list of each, and the first that ends fires
// the group.
#include "sched/waiters.hpp"

#include <vector>

#include "base/cpu_pause.hpp"
#include "base/futex.hpp"
#include "sched/real_task.hpp"
#include "sched/scheduler.hpp"
#include "sched/tasks.hpp"

namespace hocket::detail {

/// A group is armed once it hangs in all lists; only then may its task run again, since its frame holds the
/// waiters.
enum group_state : std::uint32_t { arming = 0, armed = 1, fired = 2 };

struct wait_group {
  real_task* task = nullptr;            // null: a thread, which sleeps on `state`
  atomic<std::uint32_t> state{arming};  // fire: exchange(acq_rel); arm: compare_exchange(acq_rel)
};

struct waiter {
  waiter* next = nullptr;
  waiter* previous = nullptr;
  wait_group* group = nullptr;
  bool linked = false;  // guarded by the descriptor's lock, as the links are
};

namespace {
using namespace task_word;

void lock(descriptor* d) {
  for (unsigned i = 0;; ++i) {
    std::uint64_t v = d->word.load(std::memory_order_relaxed);
    if ((v & locked) == 0 &&
        d->word.compare_exchange_weak(v, v | locked, std::memory_order_acquire, std::memory_order_relaxed)) {
      return;
    }
    back_off(i);
  }
}

/// Hangs w into d's list; false if d is done.
bool link(descriptor* d, waiter* w) {
  lock(d);
  if ((d->word.load(std::memory_order_relaxed) & state_mask) == done) {
    d->word.fetch_sub(locked, std::memory_order_release);
    return false;
  }
  w->next = d->waiters;
  w->previous = nullptr;
  if (w->next != nullptr) w->next->previous = w;
  d->waiters = w;
  w->linked = true;
  const std::uint64_t flag = (d->word.load(std::memory_order_relaxed) & has_waiters) == 0 ? has_waiters : 0;
  d->word.fetch_add(flag - locked, std::memory_order_release);
  return true;
}

void unlink(descriptor* d, waiter* w) {
  lock(d);
  std::uint64_t flag = 0;
  if (w->linked) {
    (w->previous != nullptr ? w->previous->next : d->waiters) = w->next;
    if (w->next != nullptr) w->next->previous = w->previous;
    if (d->waiters == nullptr) flag = has_waiters;
  }
  d->word.fetch_sub(locked + flag, std::memory_order_release);
}

struct request {
  descriptor* const* list;
  std::size_t n;
  waiter* waiters;
  wait_group* group;
};

/// Links all; true if the group has been fired before it was armed, so that its owner need not wait.
bool arm(const request& r) {
  bool need_not = false;
  for (std::size_t i = 0; i < r.n && !need_not; ++i) {
    r.waiters[i].group = r.group;
    need_not = !link(r.list[i], &r.waiters[i]);
  }
  if (need_not) r.group->state.store(fired, std::memory_order_relaxed);  // a late fire() sees nothing to do
  std::uint32_t expected = arming;
  return need_not || !r.group->state.compare_exchange_strong(expected, armed, std::memory_order_acq_rel);
}

void arm_task(void* argument, real_task* t) {
  auto* r = static_cast<request*>(argument);
  r->group->task = t;
  if (arm(*r)) make_ready(t);
}

}  // namespace

real_task* fire_all(waiter* list) {
  real_task* first = nullptr;
  while (list != nullptr) {
    waiter* w = list;
    list = w->next;
    w->linked = false;
    wait_group* g = w->group;
    real_task* t = g->task;
    if (g->state.exchange(fired, std::memory_order_acq_rel) != armed)
      continue;  // fired before, or its owner will see
    if (t == nullptr) {
      futex_wake(g->state);
    } else if (first == nullptr) {
      first = t;
    } else {
      make_ready(t);
    }
  }
  return first;
}

void wait_blocked(descriptor* const* list, std::size_t n) {
  waiter one;
  std::vector<waiter> many;
  if (n > 1) many.resize(n);
  wait_group group;
  request r{list, n, n > 1 ? many.data() : &one, &group};
  if (current_task() != nullptr) {
    suspend(&arm_task, &r);
  } else if (!arm(r)) {
    while (group.state.load(std::memory_order_acquire) == armed) futex_wait(group.state, armed);
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (r.waiters[i].group != nullptr) unlink(list[i], &r.waiters[i]);
  }
}

}  // namespace hocket::detail
