// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Circles among those who wait for each other.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "sched/wait_snapshot.hpp"

namespace hocket::detail {

/// One sentence for each circle, at most so many: "task 'a' (#1) waits for task 'b' (#2), which waits for
/// task 'a' (#1)".
std::vector<std::string> circles_among(const std::vector<waiting_task>&, std::size_t most);

}  // namespace hocket::detail
