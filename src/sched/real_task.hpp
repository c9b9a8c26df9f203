// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The control block of a real task: a stack, in the area above that stack, with the first segment of its
// deque behind.
#pragma once
#include <cstddef>
#include <cstdint>

#include <hocket/detail/descriptor.hpp>
#include <hocket/detail/segment.hpp>

#include "base/spin_lock.hpp"
#include "context/context.hpp"
#include "context/sanitizer.hpp"
#include "context/stack_arena.hpp"
#include "sched/biased_lock.hpp"
#include "sched/tracing.hpp"
#include "sched/wait_note.hpp"

namespace hocket::detail {

struct local_value;
struct stop_link;
struct worker;

inline constexpr std::uint16_t no_shepherd = 0xffff;

/// A real task is a stack that runs tasks one after the other; an idle one is a scheduler (scheduler.cpp).
/// Between two switches its fields belong to the worker that runs it; a queue hands them on.
struct real_task {
  context saved;
  worker* on;                // the worker that runs it, or ran it last
  segment* top;              // the segment that it forks into
  void* exception_state[2];  // __cxa_eh_globals while it is suspended
  descriptor* begins_with;   // what it runs next time it is switched to as an idle stack
  char* bottom;              // lowest usable byte of the stack
  std::uint64_t id;          // of the outermost task that runs on it: unique in the process
  real_task* link;           // in the injection list
  std::uint32_t stack_class;
  bool guarded;  // by a guard; else `bottom` holds a canary
  atomic<std::uint32_t>
      listed;  // 1 while a virtual queue holds an entry for its deque (seq_cst, see leave_deque)

  // What it waits for while it is suspended, for reports: written by the task, read by any thread (relaxed;
  // `waits` last, release, and read first, acquire).
  atomic<wait_kind> waits;
  atomic<std::uint8_t> level;         // priority: its own, or lent by who waits for it (relaxed)
  atomic<std::uint16_t> bound_to;     // shepherd, or no_shepherd (relaxed)
  atomic<std::uint32_t> suspensions;  // so many; tells two waits for the same thing apart
  atomic<std::uint64_t> since;        // ticks() when it was suspended, to a tenth of a second
  atomic<const void*> waits_on;
  atomic<std::size_t> waits_count;
  atomic<descriptor*> runs;  // the innermost task that runs on it; null on an idle stack
  local_value* locals;       // of task_local variables, of the innermost task first
  // The descriptor that it waits for, for who lends it a priority; guarded by `lending`, whose owner it is.
  descriptor* lends_to;
  biased_lock lending;
  // Its stop scopes, innermost first: changed by the task under the lock, read by itself, or under the lock.
  atomic<stop_link*> scope;
  spin_lock scope_lock;
  checked_stack checked;

  // What watchers keep here (tracing.hpp): its number, 0 while it is an idle stack; and of the task that it
  // is to begin, the number, and how it came to run.
  std::uint64_t watched_as, watched_task;
  begun_as watched_how;

  segment* first() {
    return reinterpret_cast<segment*>(reinterpret_cast<char*>(this) - stack_in_area + segment_offset);
  }
  char* area() { return reinterpret_cast<char*>(this) - stack_in_area; }
  std::size_t stack_bytes() const { return stack_class_bytes(stack_class); }
};
static_assert(sizeof(real_task) <= segment_offset - stack_in_area);

/// What lies at the bottom of a stack without a guard.
inline constexpr std::uint64_t canary = 0x686f636b65742121;

/// Ends the program with a sentence if the stack has been overrun. Call at switches, for stacks without a
/// guard.
void check_canary(const real_task*);

inline real_task* task_in(char* area) { return reinterpret_cast<real_task*>(area + stack_in_area); }

/// What `runs` is while a forked child runs on a stack that is not its parent's.
extern descriptor forked_child;

/// The name of the innermost task that runs on it; "child" for a forked child that runs on a stack of its
/// own.
const char* name_of(const real_task*);

/// The task that runs the caller; null on a thread that runs none.
inline real_task* current_task() { return top_segment()->owner; }

}  // namespace hocket::detail
