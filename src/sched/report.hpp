// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports of who waits for what: on SIGUSR1, and at a deadlock.
#pragma once
#include <cstddef>
#include <cstdint>

#include "sched/wait_note.hpp"

namespace hocket::detail {

class kernel;
struct real_task;

/// Writes every suspended task, what it waits for and since when, to a file descriptor; with a backtrace each
/// if the option `backtrace` is set. From a thread that is no worker, while tasks run: a snapshot.
void report_suspended(kernel&, int fd);

/// Writes the same of a run that stands still for good, and what waits for what in a circle, if anything.
void report_deadlock(kernel&, int fd);

/// Who holds what a task waits for. `task` is null for a thread that is none; a `number` of 0: nobody.
struct holder {
  const real_task* task;
  std::uint64_t number;
};

/// How reports find that out for things of layers above: by a copy of so many bytes of the thing, which may
/// be gone when they look.
struct wait_describer {
  std::size_t bytes;
  holder (*held_by)(const void* copy);
};
/// Call once for a kind, when the program starts; the describer lives for ever. Returns true.
bool describe_waits(wait_kind, const wait_describer*);

}  // namespace hocket::detail
