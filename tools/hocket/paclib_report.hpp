// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The PACLIB paper's figures 2, 3 and 5 from what `hocket bench paclib` has measured: a page with tables
// beside the paper's numbers, and plots.
#pragma once

#include <string>
#include <vector>

#include "bench_results.hpp"

namespace hocket::tool {

/// write_paclib_report() writes the page to `path`, which ends in .md, and beside it a plot of figures 3 and
/// 5 each, drawn by gnuplot if that is installed. Throws std::runtime_error with a sentence if a file cannot
/// be written.
void write_paclib_report(const std::string& path, const std::vector<figure>& figures);

}  // namespace hocket::tool
