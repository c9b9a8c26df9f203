// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The task that runs the caller.
// Examples: examples/this_task.cpp, yield.cpp.
#pragma once
#include <cstddef>
#include <cstdint>

namespace hocket::this_task {

/// yield() lets others run: the oldest ready task next; every 61st scheduling decision of a worker takes the
/// oldest virtual task instead, so that a task that yields until another has acted does not wait for ever.
/// Returns at once if nothing else can run. On a thread that is not a task: std::this_thread::yield.
void yield();

/// id() is the number of the real task (the stack) that runs the caller, unique in the process; 0 outside a
/// task. A virtual task that runs on its waiter's stack has its waiter's.
std::uint64_t id();

/// name() is the name given in task_attributes to the innermost task that runs here, or "task"; never null.
const char* name();

/// stack_left() is the number of bytes of stack below the caller's frame; 0 outside a task.
std::size_t stack_left();

/// stack_size() is the size of the stack that runs the caller, in bytes; 0 outside a task.
std::size_t stack_size();

/// worker() is the number of the worker that runs the caller now, from 0; any call may move the task to
/// another. ~0u outside a task.
unsigned worker();

}  // namespace hocket::this_task
