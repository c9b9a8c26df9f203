// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for any of several descriptors: a waiter hangs in the list of each, and the first that ends fires
// the one record that all of them name.
#include "sched/waiters.hpp"

#include <vector>

#include "base/cpu_pause.hpp"
#include "sched/park.hpp"
#include "sched/priorities.hpp"
#include "sched/real_task.hpp"
#include "sched/scheduler.hpp"
#include "sched/tasks.hpp"

namespace hocket::detail {

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

}  // namespace

bool enlist(descriptor* d, waiter& w) { return link(d, &w); }

real_task* fire_all(waiter* list) {
  real_task* first = nullptr;
  while (list != nullptr) {
    waiter* w = list;
    list = w->next;
    w->linked = false;
    real_task* t = nullptr;
    fire(w->who, wake::done, t);
    if (t == nullptr) continue;  // fired before, or its owner will see, or it is a thread
    if (first == nullptr) {
      first = t;
    } else {
      make_ready(t);
    }
  }
  return first;
}

wake wait_blocked(descriptor* const* list, std::size_t n, deadline until) {
  waiter one;
  std::vector<waiter> many;
  if (n > 1) many.resize(n);
  waiter* waiters = n > 1 ? many.data() : &one;
  parked who;
  std::size_t hung = 0;
  bool need_not = false;
  while (hung < n && !need_not) {
    waiters[hung].who = &who;
    need_not = !link(list[hung], &waiters[hung]);
    hung += !need_not;
  }
  wake why = wake::done;
  if (!need_not) {
    if (n == 1) begin_lending(who.task, list[0]);
    why = park(who,
               {n == 1 ? wait_kind::task : wait_kind::any_task,
                n == 1 ? list[0] : static_cast<const void*>(list), n},
               until);
    if (n == 1) end_lending(who.task);
  }
  for (std::size_t i = 0; i < hung; ++i) unlink(list[i], &waiters[i]);
  return why;
}

}  // namespace hocket::detail
