// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who waits for what at some moment: read from outside, while tasks run on.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sched/wait_note.hpp"

namespace hocket::detail {

class kernel;
struct descriptor;
struct real_task;

/// A task that waited when it was looked at; a copy of its note.
struct waiting_task {
  const real_task* task;
  std::uint64_t number;
  wait_note waits_for;
  std::uint32_t suspensions;
  std::uint64_t since;  // ticks
  descriptor* runs;
  std::uint8_t level;
};

/// All of them, in the order of their numbers, but those that are ready meanwhile.
std::vector<waiting_task> waiting_tasks(kernel&);
/// Whether the task is still in the same wait.
bool waits_still(const waiting_task&);

/// "task 'name' (#12)", and its priority if that is not the usual one.
std::string name_of(const waiting_task&);
/// "task 'name' (#12)", "any of 3 tasks: ...", "an event at 0x...". At a standstill `for_good`.
std::string awaited_by(const waiting_task&, bool for_good);

/// The code that the innermost task on its stack runs; null if that is not known.
const void* code_of(const waiting_task&);

/// The task that another waits for, and how: "task 'name' (#12)", "a mutex at 0x... held by task 'name'
/// (#12)".
struct blocker {
  const real_task* task;
  std::string text;
};
/// All of them that are known.
std::vector<blocker> blockers_of(const waiting_task&);

}  // namespace hocket::detail
