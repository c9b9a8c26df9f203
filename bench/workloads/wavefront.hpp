// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wavefront: a square grid in which each cell needs its upper and its left neighbour, and does a few
// nanoseconds of work. Every variant's grid must be the serial sweep's.
#pragma once

#include "common/harness.hpp"
#include "wavefront/wavefront.hpp"

namespace hkbench {

using hocket::apps::wave_grid;

/// run_wavefront() samples fill(grid), which must compute every cell once; with `lanes` above 1 the grid is
/// swept that many times at once, each on memory of its own.
template <class F>
void run_wavefront(request& rq, unsigned lanes, long default_side, F fill) {
  const long side = rq.number("side", default_side, 1, 30000);
  rq.check_all_read();
  const auto n = static_cast<std::size_t>(side);
  wave_grid grid(n, n);
  grid.sweep();
  const long last = grid.last();
  const long sum = grid.sum();
  sample(rq, "ns_per_cell", static_cast<double>(side) * static_cast<double>(side) * lanes, [&] {
    grid.clear();
    const double seconds = seconds_of([&] { fill(grid); });
    check_equal("the last cell", grid.last(), last);
    check_equal("the sum of the cells", grid.sum(), sum);
    return seconds;
  });
}

}  // namespace hkbench
