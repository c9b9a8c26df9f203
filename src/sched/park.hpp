// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parking: how a task or a thread waits for the first of several things - what it asked for, a point in time,
// a request to stop. Everything that blocks is built on it.
//
//   parked me;                                  // on the waiter's stack
//   hang a waiter that names `me` where the thing happens (under that thing's lock)
//   const wake why = park(me, {wait_kind::event, this}, until, stoppable);
//   take the waiter off again, unless it has been taken off
//
// Whoever makes the thing happen calls fire(me, wake::done); the first to fire decides why the waiter goes
// on. A waiter may be fired before it has left its stack (it then need not leave), so it is only made ready
// once it is `armed`: when its registers are saved. Model: tests/models/suspend_wake.cpp.
#pragma once
#include <cstdint>

#include <hocket/detail/atomic.hpp>
#include <hocket/detail/deadline.hpp>

#include "base/clock.hpp"
#include "sched/wait_note.hpp"

namespace hocket::detail {

struct held_task;
struct real_task;

/// Why a waiter goes on.
enum class wake : std::uint32_t { done = 2, timed_out = 3, stopped = 4 };

/// One wait of a task or thread, on its own stack.
struct parked {
  static constexpr std::uint32_t arming = 0, armed = 1;  // else a wake
  real_task* task;                                       // null: a thread, which sleeps on `state`, or
  held_task* holds = nullptr;  // a task that has not begun (held_task.hpp): always armed
  // fire: compare_exchange(acq_rel); arm: compare_exchange(acq_rel); the waiter reads it: acquire.
  atomic<std::uint32_t> state{arming};
  atomic<bool> counted{
      false};  // in parked_threads; written before it is armed (release there), read by who fires
  parked();
  explicit parked(held_task* h) : task(nullptr), holds(h), state(armed) {}
  bool fired() const { return state.load(std::memory_order_acquire) > armed; }
};

/// fire() makes `why` the reason, if there is none yet: then true. A task to make ready is left in `ready`,
/// or null. After a true return the waiter may be gone as soon as it has been made ready, or at once if it
/// was not armed; after false, as soon as the caller lets it take its waiter off.
bool fire(parked*, wake why, real_task*& ready);
/// fire_now() fires and makes the task ready.
bool fire_now(parked*, wake why);

/// park() returns once the record has been fired, by others, or at `until`, or because the caller's task is
/// asked to stop while `stoppable`. Blocks the task, or the thread. The caller has made the record known
/// before.
wake park(parked&, wait_note, deadline until = never, bool stoppable = true);

/// Whether a limit has passed.
inline bool is_over(deadline until) { return until != never && (until == at_once || until <= now_ns()); }

/// Whether the calling task runs under a stop token that has been asked to stop, and no shield is up.
bool stop_wanted();
[[noreturn]] void throw_cancelled();
/// Throws if the calling task is asked to stop: at the beginning of each wait that can be cancelled.
inline void check_stop() {
  if (HOCKET_UNLIKELY(stop_wanted())) throw_cancelled();
}

/// How many threads that are not tasks wait without a limit, in the lower half, and in the upper one how
/// often that number has changed; for a moment it may be one too low, even below zero, never too high. None
/// of those that wait can wake anybody (standstill.cpp). seq_cst.
extern atomic<std::uint64_t> parked_threads;
void count_parked(bool waits);

}  // namespace hocket::detail
