// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run consists of: shepherds, workers, and tasks by state.
// Examples: examples/shepherds.cpp.
#pragma once
#include <cstdint>

namespace hocket {

/// A shepherd is a group of workers that are near to one another (by default, that share a last-level cache
/// or a NUMA node), numbered from 0. A task may name one (task_attributes::shepherd): its workers alone run
/// it then. The options `shepherds` and `steal` choose the regime: several workers a shepherd and stealing
/// everywhere (the default), or, e.g., one worker a shepherd and no stealing (Qthreads' two regimes; see
/// docs/scheduling.md). Throw error(not_running) outside a run. Any thread.
unsigned shepherds();
/// workers() is the number of workers of the run; workers_of(), of one shepherd, 0 if there is no such.
unsigned workers();
unsigned workers_of(unsigned shepherd);

/// How many tasks there are now. While tasks run, a snapshot whose parts are of slightly different moments.
struct task_counts {
  std::uint64_t running = 0;    // on a worker
  std::uint64_t ready = 0;      // with a stack, in a queue
  std::uint64_t suspended = 0;  // waiting
  std::uint64_t virtual_tasks =
      0;  // without a stack, in a queue (tasks that were run through a handle may still count)
};
/// tasks_by_state() counts them; all zero outside a run. Any thread. Cost: as stats().
task_counts tasks_by_state();

namespace this_task {
/// shepherd() is the one whose worker runs the caller now; any_shepherd outside a task.
unsigned shepherd();
}  // namespace this_task

}  // namespace hocket
