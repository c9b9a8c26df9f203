// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the scheduler tells of its tasks: to a trace (option `trace`), and to the count of real tasks that
// exist at once (option `stats`). Off, each place costs one branch that is never taken. The fast path of fork
// and join has none: a forked child that nobody steals is a call.
//
// A real task has a number from when it gets a task to run until it has none: a stack that takes on one task
// after the other without idling is one real task (PACLIB, figure 4). A task's number lies in its
// descriptor's `link` until it runs: odd, so that it is no pointer.
#pragma once
#include <cstdint>

#include "base/trace.hpp"
#include "sched/wait_note.hpp"

namespace hocket::detail {

struct descriptor;
struct real_task;
struct worker;

/// How a task got to run.
enum class begun_as : std::uint8_t { main, start, realise, idle, next, in_line, child };

/// Set before the workers start, taken back when they have ended.
inline bool watching = false;                // anything at all
inline trace_recorder* the_trace = nullptr;  // null if only counts are wanted

// --- told by the scheduler, if `watching`
void watch_made(worker*, descriptor*);      // a task was made, by the task that runs here; null: by a thread
void watch_realised(worker*, descriptor*);  // a waiter will give it a stack
/// A real task comes to be, which is to begin with d.
void watch_begin_with(real_task*, descriptor*, begun_as);
/// The stack that runs here takes on a task, or a forked child of another real task.
void watch_takes_on(real_task*, worker*);
void watch_steals(real_task*, worker*, const real_task* parent);
/// The stack that runs here has nothing to run any more: the real task is over.
void watch_idles(real_task*, worker*);
void watch_inline(real_task*);
void watch_begins(real_task*, descriptor*);
void watch_ends(real_task*);
void watch_enters(worker*, real_task* to);
void watch_suspends(worker*, real_task*, wait_kind);
void watch_ready(worker*, real_task*);  // null: by a thread that is no worker
void watch_worker_sleeps(worker*);
void watch_worker_wakes(worker*);

/// Begins to watch, as the options ask; throws error(invalid_option).
void begin_watching(const char* trace_path, bool counts, unsigned workers);
/// Writes the trace, if there is one, once. All workers have ended, or sleep for good.
void write_trace();
/// Writes it and watches no more. All workers have ended.
void end_watching();

/// Real tasks that came to be, and the most that existed at once, in all runs that were watched.
std::uint64_t real_tasks();
std::uint64_t most_real_tasks();

}  // namespace hocket::detail
