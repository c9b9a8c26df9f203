// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Figures as a table for people.
#pragma once

#include <string>
#include <vector>

#include "bench_results.hpp"

namespace hocket::tool {

/// as_table() lays the figures of one group out in columns: variant, metric, median, least to most,
/// parameters.
std::string as_table(const std::vector<figure>& figures);

}  // namespace hocket::tool
