// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The task that runs the caller.
// Examples: examples/this_task.cpp, yield.cpp, sleep.cpp.
#pragma once
#include <cstddef>
#include <cstdint>

#include <hocket/detail/deadline.hpp>

namespace hocket::detail {
void sleep_task_until(deadline, bool may_have_passed);
}

namespace hocket::this_task {

/// yield() lets others run: the oldest ready task next; every 61st scheduling decision of a worker takes the
/// oldest virtual task instead, so that a task that yields until another has acted does not wait for ever.
/// Returns at once if nothing else can run. On a thread that is not a task: std::this_thread::yield.
void yield();

/// check() is a place at which the caller may be interrupted: it throws cancelled if the task is asked to
/// stop (stop.hpp), and yields if its time slice is over (option `slice`). For long computations that neither
/// fork nor wait. Cost: some ns. Does nothing on a thread that is not a task.
void check();

/// sleep_for(), sleep_until() suspend the task for that time, not less; a thread that is no task sleeps.
/// Throw cancelled if the task is asked to stop. Cost: some 200 ns; lateness: docs/time.md.
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& d) {
  hocket::detail::sleep_task_until(hocket::detail::deadline_after(d), d <= d.zero());
}
template <class Clock, class Duration>
void sleep_until(const std::chrono::time_point<Clock, Duration>& t) {
  hocket::detail::sleep_task_until(hocket::detail::deadline_at(t), true);
}

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
