// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Suspending and resuming tasks: the primitive on which everything that blocks is built.
#pragma once
#include <hocket/detail/config.hpp>

namespace hocket::detail {

struct descriptor;
struct real_task;
struct worker;

/// suspend() leaves the calling task and runs others on its worker. hook(argument, task) is called on the
/// next stack, when the task's registers are saved: it makes the task known to whoever will call make_ready()
/// for it, or calls make_ready() itself if there is nothing to wait for any more. Returns when the task has
/// been made ready and its turn has come, perhaps on another worker. Tasks only. The hook must not block, and
/// must not throw.
void suspend(void (*hook)(void* argument, real_task*), void* argument);

/// make_ready() puts a suspended task into the ready queue, exactly once for each suspend(). Any thread.
/// Everything before it is visible to the task after suspend() returns.
void make_ready(real_task*);

/// The base of every stack: runs what it begins with, then is a scheduler until it has been left for good.
void base_loop();

/// Enters the scheduler on the calling OS thread, which is that worker; returns when the kernel stops.
void work(worker*);

/// Prepares a free stack anew, so that its memory below the first page may be given back, and gives it back.
void discard_stack(real_task*);

/// A stack of the class, from the worker's pool or fresh.
real_task* take_stack(worker*, unsigned stack_class);

/// Runs a claimed descriptor on this stack; drops `references`; returns a task that waited, which is to be
/// run next.
real_task* execute(descriptor*, unsigned references);

[[noreturn]] void throw_not_a_task(const char* what);
[[noreturn]] void throw_not_running(descriptor*);
void drop_spare_segments(real_task*, worker*);

}  // namespace hocket::detail
