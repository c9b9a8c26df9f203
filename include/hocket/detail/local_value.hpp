// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One task's value of one task_local variable, in the list of all that the tasks of a stack, or a thread,
// have.
#pragma once
#include <cstdint>

namespace hocket::detail {

/// Newest first. Those of the innermost task of a stack come before those of the tasks that wait below it,
/// since it ends first. Nobody but the stack's own task touches the list.
struct local_value {
  local_value* next = nullptr;
  const void* task = nullptr;           // its descriptor, `forked_child`, or null: a thread's
  const std::uint64_t variable;         // its number
  void (*const destroy)(local_value*);  // and frees it
};

/// A number that no other variable has had.
std::uint64_t new_local_variable();
/// The value that the calling task, or thread, has of the variable; null if it has none yet.
local_value* find_local(std::uint64_t variable);
/// Makes a value the calling task's.
void keep_local(local_value*);

}  // namespace hocket::detail
