// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Suspending and resuming tasks: the primitive on which everything that blocks is built.
#pragma once
#include <cstdint>

#include <hocket/detail/config.hpp>

#include "sched/wait_note.hpp"

namespace hocket::detail {

struct descriptor;
struct real_task;
struct worker;

/// suspend() leaves the calling task and runs others on its worker. hook(argument, task) is called on the
/// next stack, when the task's registers are saved: it makes the task known to whoever will call make_ready()
/// for it, or calls make_ready() itself if there is nothing to wait for any more. Returns when the task has
/// been made ready and its turn has come, perhaps on another worker. Tasks only. The hook must not block, and
/// must not throw. The note is for reports.
void suspend(const wait_note&, void (*hook)(void* argument, real_task*), void* argument);

/// make_ready() puts a suspended task into the ready queue, exactly once for each suspend(). Any thread.
/// Everything before it is visible to the task after suspend() returns.
void make_ready(real_task*);

/// hand_worker_to() makes a suspended task ready as make_ready() does; if nothing else is ready here, it runs
/// at once, in the place of the calling task, which is ready. For operations that may block anyway.
void hand_worker_to(real_task*);

/// Puts a task into the ready queue of its level, or of its shepherd. From a worker.
void queue_ready(worker*, real_task*);

/// The base of every stack: runs what it begins with, then is a scheduler until it has been left for good.
void base_loop();

/// Enters the scheduler on the calling OS thread, which is that worker; returns when the kernel stops.
void run_worker(worker*);

/// this_task::yield().
void yield_task();

/// Yields if the time slice of the calling task is over.
void end_slice(real_task*);

/// Prepares a free stack anew, so that its memory below the first page may be given back, and gives it back.
void discard_stack(real_task*);

/// A stack of the class, from the worker's pool or fresh.
real_task* take_stack(worker*, unsigned stack_class);

/// A number for a task that begins on a stack.
std::uint64_t fresh_id(worker*);

/// Runs a claimed descriptor on this stack; drops `references`; returns a task that waited, which is to be
/// run next.
real_task* execute(descriptor*, unsigned references);

/// From now on the calling thread runs no task; in a forked child.
void leave_task();

[[noreturn]] void throw_not_a_task(const char* what);
[[noreturn]] void throw_not_running(descriptor*);
[[noreturn]] void throw_outside_run(const char* what);  // "a task was made"
void drop_spare_segments(real_task*, worker*);

}  // namespace hocket::detail
