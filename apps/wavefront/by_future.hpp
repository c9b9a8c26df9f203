// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wavefront by futures: a task for each cell, which requires the tasks of its two neighbours. All are
// made at once.
#pragma once

#include <hocket/hocket.hpp>

#include <cstddef>
#include <vector>

#include "wavefront/wavefront.hpp"

namespace hocket::apps {

// sweep_by_future() keeps the handles of one row: a later one needs no earlier.
inline void sweep_by_future(wave_grid& grid) {
  std::vector<task<void>> latest(grid.columns());
  for (std::size_t row = 0; row < grid.rows(); ++row) {
    for (std::size_t column = 0; column < grid.columns(); ++column) {
      hocket::when neighbours;
      if (row > 0) neighbours.and_also(latest[column]);
      if (column > 0) neighbours.and_also(latest[column - 1]);
      latest[column] = hocket::future(neighbours, [&grid, row, column] { grid.compute(row, column); });
    }
  }
  latest.back().get();  // it has needed all others
}

}  // namespace hocket::apps
