// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wavefront by full/empty words: each cell is empty until it is computed, a task computes a row, and
// waits for the cells above.
#pragma once

#include <hocket/hocket.hpp>

#include <cstddef>

#include "common/chunks.hpp"
#include "wavefront/wavefront.hpp"

namespace hocket::apps {

// empty_cells() makes every cell of the grid an empty word, in parallel; the border stays full. The sweep
// fills all of them again.
inline void empty_cells(wave_grid& grid) {
  for_chunks(0, grid.rows(), 1, [&grid](std::size_t row, std::size_t end) {
    for (; row < end; ++row) {
      for (std::size_t column = 0; column < grid.columns(); ++column) hocket::empty(grid.at(row, column));
    }
  });
}

// word_sweep computes a grid whose cells are empty.
class word_sweep {
 public:
  explicit word_sweep(wave_grid& grid) : grid_(grid) {}

  // run() is called once, by a task.
  void run() {
    hocket::begin([this] { compute_row(0); });
    over_.wait();
  }

 private:
  // A row begins the next one, so that at most one row at a time has not begun: the newest virtual task is
  // run first, and if all were made at once, those that must wait longest would begin first.
  void compute_row(std::size_t row) {
    const bool is_last = row + 1 == grid_.rows();
    if (!is_last) hocket::begin([this, row] { compute_row(row + 1); });
    const std::size_t columns = grid_.columns();
    long left = 0;
    for (std::size_t column = 0; column < columns; ++column) {
      left = wave_grid::value(row, column, hocket::readFF(grid_.above(row, column)), left);
      hocket::writeF(grid_.at(row, column), left);
    }
    if (is_last) over_.set();  // it has needed all others
  }

  wave_grid& grid_;
  hocket::event over_;
};

}  // namespace hocket::apps
