// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parking tasks and threads.
#include "sched/park.hpp"

#include <optional>
#include <stop_token>

#include <hocket/this_task.hpp>

#include "base/clock.hpp"
#include "base/futex.hpp"
#include "sched/held_task.hpp"
#include "sched/kernel.hpp"
#include "sched/real_task.hpp"
#include "sched/scheduler.hpp"
#include "sched/stopping.hpp"
#include "sched/timers.hpp"

namespace hocket::detail {

atomic<std::uint64_t> parked_threads{0};

void count_parked(bool waits) {
  constexpr std::uint64_t changed = std::uint64_t{1} << 32;
  parked_threads.fetch_add(waits ? changed + 1 : changed - 1, std::memory_order_seq_cst);
}

parked::parked() : task(current_task()) {}

bool fire(parked* p, wake why, real_task*& ready) {
  real_task* t = p->task;
  held_task* const holds = p->holds;  // now: afterwards p may be gone
  std::uint32_t seen = p->state.load(std::memory_order_acquire);
  bool counted;
  do {
    if (seen > parked::armed) return false;
    counted =
        p->counted.load(std::memory_order_relaxed);  // as it is when it is armed: afterwards p may be gone
  } while (!p->state.compare_exchange_weak(seen, static_cast<std::uint32_t>(why), std::memory_order_acq_rel,
                                           std::memory_order_acquire));
  if (seen != parked::armed) return true;  // its owner has not left its stack, and will see
  if (t != nullptr) {
    ready = t;
    return true;
  }
  if (holds != nullptr) {
    let_begin(holds);
    return true;
  }
  if (counted) count_parked(false);
  futex_wake(p->state);  // if the thread has gone meanwhile, a wake of a dead word is harmless
  return true;
}

bool fire_now(parked* p, wake why) {
  real_task* ready = nullptr;
  const bool first = fire(p, why, ready);
  if (ready != nullptr) make_ready(ready);
  return first;
}

namespace {

/// On the next stack: from now on the task may be made ready.
void arm(void* argument, real_task* t) {
  std::uint32_t expected = parked::arming;
  if (!static_cast<parked*>(argument)->state.compare_exchange_strong(
          expected, parked::armed, std::memory_order_acq_rel, std::memory_order_acquire)) {
    make_ready(t);
  }
}

wake reason(parked& p) { return static_cast<wake>(p.state.load(std::memory_order_acquire)); }

/// A thread that is not a task. Only it arms, and only it lets its time run out.
wake park_thread(parked& p, deadline until) {
  std::uint32_t seen = parked::arming;
  const bool counted = until == never;
  p.counted.store(counted, std::memory_order_relaxed);
  if (!p.state.compare_exchange_strong(seen, parked::armed, std::memory_order_acq_rel,
                                       std::memory_order_acquire))
    return reason(p);
  if (counted) count_parked(true);  // only now: who fires it armed takes it off the count, perhaps before
  while (p.state.load(std::memory_order_acquire) == parked::armed) {
    if (until == never) {
      futex_wait(p.state, parked::armed);
      continue;
    }
    const deadline left = until - now_ns();
    if (left <= 0) {
      seen = parked::armed;
      p.state.compare_exchange_strong(seen, static_cast<std::uint32_t>(wake::timed_out),
                                      std::memory_order_acq_rel, std::memory_order_acquire);
      break;
    }
    const timespec relative = as_timespec(left);
    futex_wait(p.state, parked::armed, &relative);
  }
  return reason(p);
}

struct stop_firing {
  parked* who;
  void operator()() const noexcept { fire_now(who, wake::stopped); }
};

/// With a time limit or a stop token: out of line, so that a plain wait has a small frame.
HOCKET_NOINLINE wake park_limited(parked& p, const wait_note& note, deadline until,
                                  const std::stop_token* stop) {
  timer t;
  if (until != never) {
    t.due = until;
    t.wakes = &p;
    p.task->on->kernel_->set_timer(&t);
  }
  {
    std::optional<std::stop_callback<stop_firing>> callback;
    if (stop != nullptr) callback.emplace(*stop, stop_firing{&p});
    if (!p.fired()) suspend(note, &arm, &p);
  }  // the callback is over, or will never be made
  const wake why = reason(p);
  // The wheel has let go of a timer before it fires.
  if (until != never && why != wake::timed_out) p.task->on->kernel_->timers.remove(&t);
  return why;
}

}  // namespace

wake park(parked& p, wait_note note, deadline until, bool stoppable) {
  real_task* t = p.task;
  if (t == nullptr) return park_thread(p, until);
  const std::stop_token* stop = stoppable ? token_in_force(t) : nullptr;
  if (HOCKET_UNLIKELY(until != never || stop != nullptr)) return park_limited(p, note, until, stop);
  if (!p.fired()) suspend(note, &arm, &p);
  return reason(p);
}

void sleep_task_until(deadline until, bool may_have_passed) {
  check_stop();
  if (may_have_passed && until <= now_ns()) return;
  parked me;
  if (park(me, {wait_kind::timer}, until) == wake::stopped) throw_cancelled();
}

}  // namespace hocket::detail
