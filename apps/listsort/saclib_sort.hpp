// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle: SACLIB's own LBIBMS, in builds that found SACLIB.
#pragma once

#include <cstdint>
#include <vector>

namespace hocket::apps {

struct saclib_result {
  std::vector<std::int32_t> sorted;  // by the last iteration
  std::vector<double> seconds;       // of each iteration
};

bool saclib_is_here();

// saclib_sort() has SACLIB sort a list of these numbers so often; they are single words. Called by a thread
// outside a run: SACLIB looks for its lists on the stack of the thread that began it.
saclib_result saclib_sort(const std::vector<std::int32_t>& numbers, int iterations);

}  // namespace hocket::apps
