// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker does that has nothing to run: it steals, it sleeps, it is woken, and it finds out that the
// run has ended.
//
// No wake-up is lost: who makes work publishes it, then (light fence) reads how many sleep; who falls asleep
// raises that number, then (heavy fence) looks for work once more. While a worker searches, nobody else need
// be woken: it wakes the next one when it has found something, and looks again before it sleeps.
#include <time.h>

#include "base/cpu_pause.hpp"
#include "base/defaults.hpp"
#include "base/futex.hpp"
#include "base/trace.hpp"
#include "sched/depot.hpp"
#include "sched/deque.hpp"
#include "sched/kernel.hpp"
#include "sched/scheduler.hpp"

namespace hocket::detail {
namespace {

std::uint64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec);
}

/// How long a worker looks before it takes what costs the owner an interrupt.
constexpr std::uint64_t patience_ns = 2000;

std::size_t next_random(worker* w) {
  w->random ^= w->random << 13;
  w->random ^= w->random >> 7;
  w->random ^= w->random << 17;
  return static_cast<std::size_t>(w->random >> 11);
}

}  // namespace

kernel::found kernel::try_steal(worker* w, bool insist, slot*& child) {
  const std::size_t n = workers.size();
  const std::size_t start = next_random(w) % n;
  for (std::size_t i = 0; i < n; ++i) {
    worker* v = workers[(start + i) % n].get();
    if (v == w) continue;
    real_task* t = v->current.load(std::memory_order_acquire);
    if (t != nullptr && (child = steal_child(t, w)) != nullptr) return found::child;
    const std::size_t waiting = v->queues.virtual_hint() + v->queues.ready_hint();
    if (waiting != 0 && insist) {
      if (const std::size_t got = w->queues.steal_from(v->queues); got != 0) {
        w->counts.queue_steals.add(got);
        return found::queued;
      }
    }
    if (insist && t != nullptr && have_membarrier && expose_children(t)) {
      w->counts.exposed.bump();
      if ((child = steal_child(t, w)) != nullptr) return found::child;
    }
  }
  return found::nothing;
}

slot* kernel::look_for_work(worker* w) {
  searching_.fetch_add(1, std::memory_order_seq_cst);
  std::uint64_t began = now_ns();
  slot* child = nullptr;
  for (;;) {
    bool found_any = stopping() || take_injected(w);
    const std::uint64_t looked = now_ns() - began;
    const bool last_look = looked > spin_ns_;
    if (!found_any && workers.size() > 1) {
      found_any = try_steal(w, last_look || looked > patience_ns, child) != found::nothing;
    }
    if (found_any) {
      // The last one that searched wakes another: there may be more.
      if (searching_.fetch_sub(1, std::memory_order_seq_cst) == 1) wake_one();
      return child;
    }
    if (workers.size() == 1 || last_look) {
      searching_.fetch_sub(1, std::memory_order_seq_cst);
      if (!fall_asleep(w)) searching_.fetch_add(1, std::memory_order_seq_cst);  // else who woke it counted it
      began = now_ns();
    } else {
      for (int i = 0; i < 20; ++i) cpu_pause();
    }
  }
}

bool kernel::anything_to_do(worker* w) {
  if (stopping()) return true;
  if (injected_tasks_.load(std::memory_order_relaxed) != nullptr) return true;
  if (injected_descriptors_.load(std::memory_order_relaxed) != nullptr) return true;
  for (auto& v : workers) {
    if (v->queues.ready_hint() + v->queues.virtual_hint() != 0) return true;
    real_task* t = v.get() == w ? nullptr : v->current.load(std::memory_order_acquire);
    if (t != nullptr && (has_shared_child(t) || (have_membarrier && has_private_child(t)))) return true;
  }
  return false;
}

/// True if another thread woke it (and counted it as searching), false if it need not sleep after all.
bool kernel::fall_asleep(worker* w) {
  w->asleep.store(1, std::memory_order_seq_cst);
  sleeping_.fetch_add(1, std::memory_order_seq_cst);
  for (auto& v : workers) {  // from now on their forks take the slow path, which wakes
    real_task* t = v.get() == w ? nullptr : v->current.load(std::memory_order_acquire);
    if (t != nullptr) ask_for_children(t);
  }
  heavy_fence();
  bool need_not = anything_to_do(w);
  if (!need_not && main_done_.load(std::memory_order_acquire) && close_if_all_ended()) {
    stop();
    need_not = true;
  }
  if (need_not) {
    if (w->asleep.exchange(0, std::memory_order_seq_cst) == 0) return true;  // woken meanwhile
    sleeping_.fetch_sub(1, std::memory_order_seq_cst);
    return false;
  }
  w->counts.sleeps.bump();
  trace(trace_kind::sleep, w->number, nullptr);
  const std::size_t keep = settings.stack_keep != 0 ? settings.stack_keep : default_stack_keep;
  const timespec a_while{0, 100'000'000};
  while (w->asleep.load(std::memory_order_acquire) == 1) {
    const bool trims = the_depot().above(keep);
    futex_wait(w->asleep, 1, trims ? &a_while : nullptr);
    while (w->asleep.load(std::memory_order_acquire) == 1) {  // a few at a time: it may be wanted meanwhile
      const std::size_t released = trims ? the_depot().trim(keep) : 0;
      w->counts.stacks_released.add(released);
      if (released == 0) break;
    }
  }
  trace(trace_kind::wake, w->number, nullptr);
  return true;
}

/// Wakes one worker that sleeps, counting it as searching on its behalf and beforehand, so that a burst of
/// work wakes one at a time. If that count kept another from waking a worker which this one did not find
/// asleep, it looks again.
HOCKET_COLD void kernel::wake_a_sleeper() {
  for (unsigned round = 0;; back_off(round++)) {
    std::uint32_t nobody = 0;
    if (!searching_.compare_exchange_strong(nobody, 1, std::memory_order_seq_cst))
      return;  // who searches looks again
    for (auto& v : workers) {
      if (v->asleep.load(std::memory_order_relaxed) == 1 &&
          v->asleep.exchange(0, std::memory_order_seq_cst) == 1) {
        sleeping_.fetch_sub(1, std::memory_order_seq_cst);
        futex_wake(v->asleep);
        if (real_task* self = current_task()) self->on->counts.wakes.bump();
        return;
      }
    }
    searching_.fetch_sub(1, std::memory_order_seq_cst);
    if (sleeping_.load(std::memory_order_seq_cst) == 0) return;
  }
}

/// Whether all tasks made so far have ended, at some moment during the call; then no other thread can make
/// one any more. Ends are read before makings, so that every task whose end is counted has its making
/// counted.
bool kernel::close_if_all_ended() {
  std::uint64_t foreign = foreign_made_.load(std::memory_order_acquire);
  if ((foreign & closed) != 0) return false;  // another has done it
  std::uint64_t ended_count = 0, made = foreign / foreign_one;
  for (auto& v : workers) ended_count += v->counts.finished.observe();
  for (auto& v : workers) {
    made += v->counts.spawned.observe() + v->counts.begun.observe() + v->counts.started.observe();
  }
  return ended_count == made &&
         foreign_made_.compare_exchange_strong(foreign, foreign | closed, std::memory_order_acq_rel);
}

bool kernel::admit_foreign(bool detached) {
  if ((foreign_made_.fetch_add(foreign_one, std::memory_order_acq_rel) & closed) != 0) return false;
  (detached ? foreign_begun : foreign_spawned).fetch_add(1, std::memory_order_relaxed);
  return true;
}

void kernel::stop() {
  stopping_.store(true, std::memory_order_seq_cst);
  for (auto& v : workers) {
    searching_.fetch_add(1, std::memory_order_seq_cst);  // on behalf of the woken, beforehand
    if (v->asleep.exchange(0, std::memory_order_seq_cst) == 1) {
      sleeping_.fetch_sub(1, std::memory_order_seq_cst);
      futex_wake(v->asleep);
    } else {
      searching_.fetch_sub(1, std::memory_order_seq_cst);
    }
  }
}

}  // namespace hocket::detail
