// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the steps of a schedule.
#pragma once
#include <cstddef>

#include "schedule.hpp"

namespace explorer {

/// The last `most` steps: thread, operation, value, place and its source line, if the source is there.
void print_steps(const record&, std::size_t most);

}  // namespace explorer
