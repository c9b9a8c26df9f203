// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slow half of the deque of forked children: what owners call seldom, and all that thieves do.
// The protocol, and why each step is where it is: docs/fork-join.md; its proof: tests/models/split_deque.cpp.
#pragma once
#include <hocket/detail/segment.hpp>

#include "sched/real_task.hpp"

namespace hocket::detail {

struct worker;

/// Makes a fresh segment empty; one that was used keeps its epoch going.
void reset_segment(segment*, real_task* owner, segment* previous);

/// share_all() publishes every private child of the owner's top segment. The owner only, before it leaves its
/// worker.
void share_all(segment*);

/// give_newest() takes the newest child out of the caller's own deque, for its worker to run next: a task
/// that blocks often waits for what its newest child does. Null if there is none. The owner only; its join
/// then finds the child taken.
slot* give_newest(real_task* self);

/// Whether children that nobody has taken wait in the caller's own deque.
bool has_children_listed(real_task* self);
inline bool has_children(real_task* self) {
  const segment* g = self->top;  // a task that never forks: its first segment, and that is as it was
  if (HOCKET_LIKELY(g == self->first() && g->head.load(std::memory_order_relaxed) == g->slots)) return false;
  return has_children_listed(self);
}

/// steal_child() takes the oldest shared child of a task, or null; then it has asked the owner for more.
slot* steal_child(real_task* victim, worker* thief);

/// expose_children() publishes half of the private children of a task that runs on another worker and does
/// not look at requests; true if it did. Needs membarrier. Costs a system call that interrupts the owner.
bool expose_children(real_task* victim);

/// Whether a thief would find a shared child.
bool has_shared_child(real_task* victim);

/// Whether it has children that could be exposed. Exact after a heavy fence, if the task has been asked for
/// children.
bool has_private_child(real_task* victim);

/// ask_for_children() makes the task's next fork or join take its slow path.
void ask_for_children(real_task* victim);

}  // namespace hocket::detail
