// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wavefront: a grid in which each cell needs its upper and its left neighbour. The grid, the work of a
// cell, the serial sweep, and the check of a grid that somebody else has computed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace hocket::apps {

// wave_grid has a border of zeros above and to the left, so that every cell has both neighbours.
class wave_grid {
 public:
  wave_grid(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), values_((rows + 1) * (columns + 1), 0) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  long& at(std::size_t row, std::size_t column) { return values_[index(row, column)]; }
  long at(std::size_t row, std::size_t column) const { return values_[index(row, column)]; }

  // above() is the upper neighbour: a cell, or of the border.
  long& above(std::size_t row, std::size_t column) { return values_[index(row, column) - columns_ - 1]; }

  // compute() does the work of one cell, whose neighbours are there.
  void compute(std::size_t row, std::size_t column) {
    long* const cell = &at(row, column);
    *cell = value(row, column, *(cell - columns_ - 1), *(cell - 1));
  }
  // value() is that of a cell with these neighbours: the larger of them, and the place's weight.
  static long value(std::size_t row, std::size_t column, long above, long left) {
    return std::max(above, left) + weight(row, column);
  }

  // sweep() is the serial program: all cells, row by row.
  void sweep() {
    for (std::size_t row = 0; row < rows_; ++row) {
      for (std::size_t column = 0; column < columns_; ++column) compute(row, column);
    }
  }
  // first_wrong() is the first cell that is not what a serial sweep gives, as (row, column), if there is one.
  // It sweeps in a single row beside the grid, which needs no second one.
  std::optional<std::pair<std::size_t, std::size_t>> first_wrong() const {
    std::vector<long> swept(columns_, 0);
    for (std::size_t row = 0; row < rows_; ++row) {
      long left = 0;
      for (std::size_t column = 0; column < columns_; ++column) {
        left = swept[column] = value(row, column, swept[column], left);
        if (at(row, column) != left) return std::pair(row, column);
      }
    }
    return std::nullopt;
  }

  void clear() { std::fill(values_.begin(), values_.end(), 0); }
  long last() const { return values_.back(); }
  long sum() const { return std::accumulate(values_.begin(), values_.end(), 0L); }

 private:
  // weight() is 1 to 256: a hash of the place, so that no cell can be guessed from another.
  static long weight(std::size_t row, std::size_t column) {
    std::uint64_t h = (static_cast<std::uint64_t>(row) << 32 | column) * 0x9e3779b97f4a7c15U;
    h = (h ^ (h >> 32)) * 0xff51afd7ed558ccdU;
    return static_cast<long>(h >> 56) + 1;
  }
  std::size_t index(std::size_t row, std::size_t column) const {
    return (row + 1) * (columns_ + 1) + column + 1;
  }

  std::size_t rows_;
  std::size_t columns_;
  std::vector<long> values_;
};

}  // namespace hocket::apps
