// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How deep tasks went into their stacks, by name; measured if the option `stats` is set.
#pragma once

namespace hocket::detail {

struct descriptor;
struct real_task;

/// Runs the task as execute() does, then notes how much of the stack it has used, and clears that for the
/// next. On an idle stack only. Cost: a system call, and a look at every byte used.
real_task* execute_marked(real_task* self, descriptor*, unsigned references);

}  // namespace hocket::detail
