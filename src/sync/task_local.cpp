// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of task_local variables: found and kept. They end with their task, in execute() (sched/tasks.cpp).
#include <hocket/task_local.hpp>

#include "sched/real_task.hpp"

namespace hocket::detail {
namespace {

atomic<std::uint64_t> local_variables{0};  // relaxed: numbers only

/// The values of a thread that runs no task.
struct thread_values {
  local_value* first = nullptr;
  ~thread_values() {
    while (local_value* v = first) {
      first = v->next;
      v->destroy(v);
    }
  }
};

/// Not inlined: the address is not to be kept where the caller may be a task that changes its thread.
HOCKET_NOINLINE local_value*& values_of_thread() {
  static thread_local thread_values mine;
  return mine.first;
}

/// The list in which the caller's values come first, and whom they belong to. An idle stack is no task: what
/// is destroyed there, such as a task's result, finds the thread's.
local_value*& values(const void*& task) {
  real_task* t = current_task();
  task = t != nullptr ? t->runs.load(std::memory_order_relaxed) : nullptr;
  return task != nullptr ? t->locals : values_of_thread();
}

}  // namespace

std::uint64_t new_local_variable() { return local_variables.fetch_add(1, std::memory_order_relaxed); }

local_value* find_local(std::uint64_t variable) {
  const void* task;
  for (local_value* v = values(task); v != nullptr && v->task == task; v = v->next) {
    if (v->variable == variable) return v;
  }
  return nullptr;
}

void keep_local(local_value* v) {
  local_value*& first = values(v->task);
  v->next = first;
  first = v;
}

}  // namespace hocket::detail
