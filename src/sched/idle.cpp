// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker does that has nothing to run: it steals, it sleeps, it is woken, and it finds out that the
// run has ended.
//
// No wake-up is lost: who makes work publishes it, then (light fence) reads how many sleep; who falls asleep
// raises that number, then (heavy fence) looks for work once more. While a worker searches, nobody else need
// be woken: it wakes the next one when it has found something, and looks again before it sleeps.
#include <algorithm>
#include <ctime>

#include "base/clock.hpp"
#include "base/cpu_pause.hpp"
#include "base/defaults.hpp"
#include "base/futex.hpp"
#include "sched/depot.hpp"
#include "sched/deque.hpp"
#include "sched/kernel.hpp"
#include "sched/scheduler.hpp"
#include "sched/tasks.hpp"
#include "sched/tracing.hpp"

namespace hocket::detail {
namespace {

/// How long a worker looks before it takes what costs the owner an interrupt.
constexpr deadline patience_ns = 2000;

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
    if (v == w || !may_steal_from(w, v)) continue;
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
  deadline began = now_ns();
  slot* child = nullptr;
  for (;;) {
    bool found_any = stopping() || take_injected(w) || has_bound(w) ||
                     w->queues.ready_hint() + w->queues.virtual_hint() != 0;
    const deadline now = now_ns();
    if (HOCKET_UNLIKELY(timers.next() <= now)) {
      run_timers(w);
      found_any = true;
    }
    const bool last_look = now - began > spin_ns_;
    if (!found_any && workers.size() > 1 && stealing_ != stealing::none) {
      found_any = try_steal(w, last_look || now - began > patience_ns, child) != found::nothing;
    }
    if (found_any) {
      // The last one that searched wakes another: there may be more.
      if (searching_.fetch_sub(1, std::memory_order_seq_cst) == 1) wake_one();
      return child;
    }
    if (workers.size() == 1 || last_look) {
      searching_.fetch_sub(1, std::memory_order_seq_cst);
      if (!fall_asleep(w)) searching_.fetch_add(1, std::memory_order_seq_cst);  // else who woke it counted it
      w = current_task()->on;  // a stop callback may have waited, and gone on elsewhere
      began = now_ns();
    } else {
      for (int i = 0; i < 20; ++i) cpu_pause();
    }
  }
}

bool kernel::anything_to_do(const worker* w) {
  if (stopping()) return true;
  if (injected_tasks_.load(std::memory_order_relaxed) != nullptr) return true;
  if (injected_descriptors_.load(std::memory_order_relaxed) != 0) return true;
  if (has_bound(w)) return true;
  if (timers.next() != never && timers.next() <= now_ns()) return true;
  for (auto& v : workers) {
    if (v.get() != w && !may_steal_from(w, v.get())) continue;
    if (v->queues.ready_hint() + v->queues.virtual_hint() != 0) return true;
    real_task* t = v.get() == w ? nullptr : v->current.load(std::memory_order_acquire);
    if (t != nullptr && (has_shared_child(t) || (have_membarrier && has_private_child(t)))) return true;
  }
  return false;
}

/// True if another thread woke it (and counted it as searching), false if it need not sleep after all, or if
/// the time has come for which it slept.
bool kernel::fall_asleep(worker* w) {
  w->falls.publish();  // before it counts as asleep: see standstill.cpp
  w->asleep.store(worker::sleeps, std::memory_order_seq_cst);
  sleeping_.fetch_add(1, std::memory_order_seq_cst);
  for (auto& v : workers) {  // from now on their forks take the slow path, which wakes
    real_task* t = v.get() == w ? nullptr : v->current.load(std::memory_order_acquire);
    if (t != nullptr) ask_for_children(t);
  }
  become_keeper(w);
  heavy_fence();
  bool stays = anything_to_do(w), daemons_alone = false;
  if (!stays && main_done_.load(std::memory_order_acquire)) {
    const ending end = close_if_all_ended();
    if (end == ending::closed) stop();
    daemons_alone = end == ending::but_daemons && !daemon_stop_.stop_requested();
    stays = daemons_alone || end == ending::closed;
  }
  if (!stays) sleep(w);
  const std::uint32_t state = w->asleep.exchange(worker::is_awake, std::memory_order_seq_cst);
  const bool woken = state == worker::is_awake;
  if (!woken) sleeping_.fetch_sub(1, std::memory_order_seq_cst);
  worker* self = w;
  if (keeper_.compare_exchange_strong(self, nullptr, std::memory_order_seq_cst) || state == worker::nudged)
    find_keeper();
  if (daemons_alone) daemon_stop_.request_stop();  // awake: it makes tasks ready, and others look who sleeps
  if (ticker_) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // not asleep, then the ticker's flag
    ticker_->workers_awake();
  }
  return woken;
}

/// Sleeps until it is woken, or until the first timer is due if it keeps them.
void kernel::sleep(worker* w) {
  w->counts.sleeps.bump();
  if (HOCKET_UNLIKELY(watching)) watch_worker_sleeps(w);
  const std::size_t keep = settings.stack_keep != 0 ? settings.stack_keep : default_stack_keep;
  constexpr deadline a_while = 100'000'000;
  const deadline began = now_ns();
  deadline look_again = all_asleep() ? look_at_standstill(began) : never;
  for (;;) {
    std::uint32_t state = w->asleep.load(std::memory_order_acquire);
    if (state == worker::is_awake) break;
    if (state == worker::nudged) {
      w->asleep.compare_exchange_strong(state, worker::sleeps, std::memory_order_acq_rel);
      become_keeper(w);
      continue;
    }
    const bool trims = the_depot().above(keep);
    const deadline now = now_ns();
    deadline until = keeper_.load(std::memory_order_relaxed) == w ? timers.next() : never;
    if (until <= now) break;
    if (look_again <= now) look_again = look_at_standstill(began);
    until = std::min({until, look_again, trims ? now + a_while : never});
    const timespec limit = as_timespec(until - now);
    futex_wait(w->asleep, worker::sleeps, until == never ? nullptr : &limit);
    while (w->asleep.load(std::memory_order_acquire) ==
           worker::sleeps) {  // a few at a time: it may be wanted meanwhile
      const std::size_t released = trims ? the_depot().trim(keep) : 0;
      w->counts.stacks_released.add(released);
      if (released == 0) break;
    }
  }
  if (HOCKET_UNLIKELY(watching)) watch_worker_wakes(w);
}

/// One of those who sleep keeps the time. Who sets a timer that is due before all others makes a full fence
/// and then looks for the keeper (set_timer); here the keeper is named, and then the timers are looked at.
void kernel::become_keeper(worker* w) {
  worker* k = keeper_.load(std::memory_order_seq_cst);
  // One that is on its way out of its sleep keeps no time any more.
  while (k == nullptr || k->asleep.load(std::memory_order_seq_cst) == worker::is_awake) {
    if (keeper_.compare_exchange_weak(k, w, std::memory_order_seq_cst)) break;
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// If there are timers and nobody keeps them, and somebody sleeps, he does: called by whoever took the
/// keeper, or one that was to become it, out of its sleep.
void kernel::find_keeper() {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // no keeper, then the timers; set_timer the other way
  if (timers.next() == never || keeper_.load(std::memory_order_seq_cst) != nullptr) return;
  if (sleeping_.load(std::memory_order_seq_cst) == 0) return;  // the next one that falls asleep does
  for (auto& v : workers) {
    if (nudge(v.get())) return;
  }
}

/// Has a sleeping worker look at the timers, and sleep on.
bool kernel::nudge(worker* v) {
  std::uint32_t state = worker::sleeps;
  if (!v->asleep.compare_exchange_strong(state, worker::nudged, std::memory_order_seq_cst)) return false;
  futex_wake(v->asleep);
  return true;
}

void kernel::set_timer(timer* t) {
  if (!timers.add(t)) return;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (worker* k = keeper_.load(std::memory_order_seq_cst)) {
    nudge(k);  // it sleeps for too long; if it does not sleep, it will look again
    return;
  }
  find_keeper();
}

void kernel::run_timers(worker* w) {
  const expired e = timers.expire(now_ns());
  for (real_task* next = e.ready; next != nullptr;) {
    real_task* t = std::exchange(next, next->link);
    w->counts.resumed.bump();
    if (HOCKET_UNLIKELY(watching)) watch_ready(w, t);
    queue_ready(w, t);
    // Its frames, which lie above the red zone: by the time it runs they are in the cache.
    for (int i = 0; i < 6; ++i) __builtin_prefetch(static_cast<char*>(t->saved.sp) + 128 + 64 * i);
  }
  start_expired(e.starts);
}

/// Wakes that worker if it sleeps, counting it as searching on its behalf and beforehand.
bool kernel::wake_this(worker* v) {
  searching_.fetch_add(1, std::memory_order_seq_cst);
  if (const auto state = v->asleep.exchange(worker::is_awake, std::memory_order_seq_cst);
      state != worker::is_awake) {
    sleeping_.fetch_sub(1, std::memory_order_seq_cst);
    futex_wake(v->asleep);
    if (state == worker::nudged) find_keeper();
    if (real_task* self = current_task()) self->on->counts.wakes.bump();
    return true;
  }
  // The count may have kept another from waking a worker, so whoever takes it down to zero looks to that;
  // a worker of any shepherd will do, since what a thread injects, all take.
  if (searching_.fetch_sub(1, std::memory_order_seq_cst) == 1 &&
      sleeping_.load(std::memory_order_seq_cst) != 0) {
    wake_anyone();
  }
  return false;
}

HOCKET_COLD void kernel::wake_a_sleeper() {
  if (HOCKET_UNLIKELY(stealing_ != stealing::all) && current_task() != nullptr) {
    wake_a_neighbour(current_task()->on);
  } else {
    wake_anyone();
  }
}

/// Wakes one worker that sleeps, counting it as searching on its behalf and beforehand, so that a burst of
/// work wakes one at a time. If that count kept another from waking a worker which this one did not find
/// asleep, it looks again.
void kernel::wake_anyone() {
  for (unsigned round = 0;; back_off(round++)) {
    std::uint32_t nobody = 0;
    if (!searching_.compare_exchange_strong(nobody, 1, std::memory_order_seq_cst))
      return;  // who searches looks again
    const worker* keeper = keeper_.load(std::memory_order_relaxed);
    for (const bool keeper_too : {false, true}) {  // the one that keeps the time last
      for (auto& v : workers) {
        if ((v.get() == keeper) != keeper_too ||
            v->asleep.load(std::memory_order_relaxed) == worker::is_awake)
          continue;
        const std::uint32_t state = v->asleep.exchange(worker::is_awake, std::memory_order_seq_cst);
        if (state == worker::is_awake) continue;
        sleeping_.fetch_sub(1, std::memory_order_seq_cst);
        futex_wake(v->asleep);
        if (state == worker::nudged) find_keeper();
        if (real_task* self = current_task()) self->on->counts.wakes.bump();
        return;
      }
    }
    searching_.fetch_sub(1, std::memory_order_seq_cst);
    if (sleeping_.load(std::memory_order_seq_cst) == 0) return;
  }
}

/// Where not everybody may take what lies in a worker's queues: one that may. Whether others search says
/// nothing.
void kernel::wake_a_neighbour(const worker* w) {
  for (auto& v : workers) {
    if (v.get() != w && may_steal_from(v.get(), w) &&
        v->asleep.load(std::memory_order_relaxed) != worker::is_awake && wake_this(v.get())) {
      return;
    }
  }
}

/// Whether all tasks made so far have ended, at some moment during the call; then no other thread can make
/// one any more. Ends are read before makings, so that every task whose end is counted has its making
/// counted.
kernel::ending kernel::close_if_all_ended() {
  const std::uint64_t daemons_over = daemons_ended.load(std::memory_order_acquire);
  const std::uint64_t foreign_daemons = foreign_daemons_.load(std::memory_order_acquire);
  std::uint64_t foreign = foreign_made_.load(std::memory_order_acquire);
  if ((foreign & closed) != 0) return ending::not_yet;  // another has done it
  std::uint64_t ended_count = 0, made = foreign / foreign_one - foreign_daemons;
  for (auto& v : workers) ended_count += v->counts.finished.observe();
  for (auto& v : workers) {
    made += v->counts.spawned.observe() + v->counts.begun.observe() + v->counts.started.observe();
  }
  if (ended_count != made) return ending::not_yet;
  if (daemons_over != daemons_made.load(std::memory_order_acquire)) return ending::but_daemons;
  return foreign_made_.compare_exchange_strong(foreign, foreign | closed, std::memory_order_acq_rel)
             ? ending::closed
             : ending::not_yet;
}

HOCKET_COLD void kernel::end_daemons_if_alone() {
  if (daemons_made.load(std::memory_order_acquire) == daemons_ended.load(std::memory_order_acquire)) return;
  switch (close_if_all_ended()) {
    case ending::closed:
      stop();
      break;
    case ending::but_daemons:
      daemon_stop_.request_stop();
      break;
    case ending::not_yet:
      break;
  }
}

bool kernel::admit_foreign(const descriptor* d) {
  const bool late = (foreign_made_.fetch_add(foreign_one, std::memory_order_acq_rel) & closed) != 0;
  if (late) foreign_made_.fetch_sub(foreign_one, std::memory_order_relaxed);
  if (late) return false;
  const std::uint64_t v = d->word.load(std::memory_order_relaxed);
  if ((v & task_word::daemon) != 0) {
    daemons_made.fetch_add(1, std::memory_order_release);
    foreign_daemons_.fetch_add(1, std::memory_order_release);
  }
  if ((v & task_word::detached) != 0) foreign_begun.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void kernel::stop() {
  stopping_.store(true, std::memory_order_seq_cst);
  for (auto& v : workers) wake_this(v.get());
}

}  // namespace hocket::detail
