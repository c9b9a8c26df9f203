// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Priorities lent along waits: who waits for a task lends it its own, and so on down the chain of waits.
#pragma once
#include "sched/real_task.hpp"

namespace hocket::detail {

/// begin_lending(), end_lending(): around a task's wait for d. The first raises d, and whoever d waits for,
/// to the waiter's priority. A task keeps what it was lent until it ends. `waiter` may be null (a thread).
/// Cost: some ns; if the waiter has the higher priority, a membarrier and a search of the queues.
void begin_lending(real_task* waiter, descriptor* d);
void end_lending(real_task* waiter);

/// lend_to() raises a real task, and whoever it waits for, to a level; for locks, whose owner it is.
void lend_to(real_task*, std::uint8_t level);

/// raise() raises the level of a task that lies in no queue; false if it is as high already.
bool raise(real_task*, std::uint8_t level);

/// Whether what the task makes is to have more than the usual: a stop token or a priority.
inline bool hands_on(const real_task* t) {
  return t->scope.load(std::memory_order_relaxed) != nullptr ||
         t->level.load(std::memory_order_relaxed) != task_word::usual_level >> task_word::level_shift;
}

}  // namespace hocket::detail
