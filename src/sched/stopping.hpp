// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the scheduler knows of stop scopes.
#pragma once
#include <stop_token>

namespace hocket::detail {

struct real_task;
struct slot;

/// The token that the task's waits look at; null if there is none, or a shield is up. The task itself only.
const std::stop_token* token_in_force(real_task*);

/// The token under which a child that has been taken from its parent's deque was forked. Before the child
/// ends.
std::stop_token token_at_fork(slot*);

}  // namespace hocket::detail
