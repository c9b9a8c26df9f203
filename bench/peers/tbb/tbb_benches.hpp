// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The benchmarks on oneTBB that are no fork-join.
#pragma once

#include "common/harness.hpp"

namespace hkbench {

void tbb_counter(request& rq);
void tbb_wavefront(request& rq);

}  // namespace hkbench
