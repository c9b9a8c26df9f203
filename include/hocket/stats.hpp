// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters, always on.
// Examples: examples/stats.cpp.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace hocket {

/// statistics of the process since its start, over all runs. Plain per-worker and per-slot words: a read
/// while tasks run is a snapshot in which counts of one moment may miss one another by a few; at rest they
/// are exact.
struct statistics {
  // structured fork-join: forked = joined_inline + joined_stolen once all have joined
  std::uint64_t forked = 0;  // children of fork_join, cobegin, fork_scope
  std::uint64_t joined_inline =
      0;  // of these, run by their parent as a plain call: forked less those that thieves took
  std::uint64_t joined_stolen = 0;  // of these, joined by their parent after another worker ran them
  // tasks with a descriptor
  std::uint64_t spawned = 0;   // virtual tasks with a handle
  std::uint64_t begun = 0;     // virtual tasks without
  std::uint64_t started = 0;   // tasks that were real at once
  std::uint64_t finished = 0;  // of these three, ended
  std::uint64_t realised =
      0;  // virtual tasks given a stack of their own: by wait_any, or by a wait with too little stack
  std::uint64_t inlined = 0;  // virtual tasks run on their waiter's stack
  std::uint64_t adopted = 0;  // virtual tasks run by an idle worker, or by a finishing task on its own stack
  // scheduling
  std::uint64_t stolen = 0;        // forked children taken by another worker
  std::uint64_t exposed = 0;       // times that a thief published the private children of a busy worker
  std::uint64_t queue_steals = 0;  // virtual or ready tasks moved from another worker's queues
  std::uint64_t switches = 0;      // from one stack to another
  std::uint64_t yields = 0;        // calls of yield()
  std::uint64_t slices = 0;        // times that a task yielded because its time slice was over
  std::uint64_t suspended = 0;     // times that a task blocked
  std::uint64_t resumed = 0;       // times that a blocked task was made ready
  std::uint64_t sleeps = 0;        // times that an idle worker slept
  std::uint64_t wakes = 0;         // times that one was woken
  // memory
  std::uint64_t stacks_made = 0;       // stacks carved from fresh memory
  std::uint64_t stacks_reused = 0;     // times that a stack was taken from a pool
  std::uint64_t stacks_released = 0;   // free stacks whose memory was given back
  std::uint64_t descriptors_made = 0;  // descriptors carved from fresh memory
  // Real tasks, in runs with the option `stats` or `trace` only: a stack counts as one from when it gets a
  // task until it has none, however many it runs one after the other.
  std::uint64_t reals = 0;          // that came to be
  std::uint64_t reals_at_once = 0;  // the most that existed at one time
};

/// stats() sums the counters. Cost: visits every stack ever made. Any thread may call it.
statistics stats();

/// How deep the tasks of one name went into their stacks, over all runs with the option `stats`; a forked
/// child that ran on a stack of its own, and what ran inlined, count where they ran. Bytes.
struct stack_mark {
  std::string name;
  std::uint64_t tasks = 0;          // that were measured
  std::size_t most_bytes = 0;       // that one of them used: 1,024 at least
  std::size_t stack_bytes = 0;      // that they had
  std::size_t suggested_bytes = 0;  // a stack size that would do (task_attributes::stack_size)
};
/// stack_marks() lists them by name; empty unless a run had the option `stats`. Any thread.
std::vector<stack_mark> stack_marks();

/// print() writes the counters that are not zero, and the stack marks, a line each.
void print(const statistics&, std::FILE*);

}  // namespace hocket
