// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wavefront: a square grid in which each cell needs its upper and its left neighbour, and does a few
// nanoseconds of work. Every variant's grid must be the serial sweep's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "common/harness.hpp"

namespace hkbench {

/// wave_grid has a border of zeros above and to the left, so that every cell has both neighbours.
class wave_grid {
 public:
  explicit wave_grid(long side)
      : side_(static_cast<std::size_t>(side)), values_((side_ + 1) * (side_ + 1), 0) {}

  std::size_t side() const { return side_; }
  long& at(std::size_t row, std::size_t column) { return values_[(row + 1) * (side_ + 1) + column + 1]; }

  /// compute() does the work of one cell, whose neighbours are there.
  void compute(std::size_t row, std::size_t column) {
    long* const cell = &at(row, column);
    const long above = *(cell - side_ - 1);
    const long left = *(cell - 1);
    *cell = std::max(above, left) + weight(row, column);
  }

  void sweep() {
    for (std::size_t row = 0; row < side_; ++row) {
      for (std::size_t column = 0; column < side_; ++column) compute(row, column);
    }
  }

  void clear() { std::fill(values_.begin(), values_.end(), 0); }
  long last() const { return values_.back(); }
  long sum() const { return std::accumulate(values_.begin(), values_.end(), 0L); }

 private:
  /// weight() is 1 to 256: a hash of the place, so that no cell can be guessed from another.
  static long weight(std::size_t row, std::size_t column) {
    std::uint64_t h = (static_cast<std::uint64_t>(row) << 32 | column) * 0x9e3779b97f4a7c15U;
    h = (h ^ (h >> 32)) * 0xff51afd7ed558ccdU;
    return static_cast<long>(h >> 56) + 1;
  }

  std::size_t side_;
  std::vector<long> values_;
};

/// run_wavefront() samples fill(grid), which must compute every cell once; with `lanes` above 1 the grid is
/// swept that many times at once, each on memory of its own.
template <class F>
void run_wavefront(request& rq, unsigned lanes, long default_side, F fill) {
  const long side = rq.number("side", default_side, 1, 30000);
  rq.check_all_read();
  wave_grid grid(side);
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
