// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wavefront by counts of dependencies: whoever brings a cell's count to what the cell needs goes on with
// it. Tasks never wait.
#pragma once

#include <hocket/hocket.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "wavefront/wavefront.hpp"

namespace hocket::apps {

// arrival_counts are as many counts of one byte, each for at most 255 arrivals.
class arrival_counts {
 public:
  explicit arrival_counts(std::size_t n) : counts_(n) {}

  // arrive() is called `needed` times for each count, by anybody; true for the last one, who sees what the
  // others did before. Cost: a locked instruction, but none for one who finds that all others have arrived:
  // nobody else will touch the count.
  bool arrive(std::size_t i, unsigned needed) {
    // acquire: pairs with the release of the others' fetch_add.
    if (counts_[i].load(std::memory_order_acquire) + 1U == needed) return true;
    return counts_[i].fetch_add(1, std::memory_order_acq_rel) + 1U == needed;
  }

 private:
  std::vector<std::atomic<std::uint8_t>> counts_;
};

// When the cell below and the cell to the right can both begin: which one the task goes on with itself; the
// other becomes a virtual task.
enum class onward { right, below };

// counted_sweep computes a grid in blocks of `block` times `block` cells, smaller ones at the edges; each
// block has a count, and is one step of a task.
template <onward Way>
class counted_sweep {
 public:
  counted_sweep(wave_grid& grid, std::size_t block)
      : grid_(grid),
        block_(block),
        rows_((grid.rows() + block - 1) / block),
        columns_((grid.columns() + block - 1) / block),
        counts_(rows_ * columns_) {}

  // run() is called once, by a task, on a grid of zeros.
  void run() {
    go_on_from(0, 0);
    over_.wait();
  }

 private:
  void go_on_from(std::size_t row, std::size_t column) {
    for (;;) {
      compute(row, column);
      const bool has_below = row + 1 < rows_;
      const bool has_right = column + 1 < columns_;
      if (!has_below && !has_right) {
        over_.set();
        return;
      }
      // When both have been told and neither is ours, others may end the sweep: nothing of it is touched
      // after.
      const bool below = has_below && arrive(row + 1, column);
      const bool right = has_right && arrive(row, column + 1);
      if (below && right) make_task(row, column);
      if (right && (Way == onward::right || !below)) {
        ++column;
      } else if (below) {
        ++row;
      } else {
        return;
      }
    }
  }

  void make_task(std::size_t row, std::size_t column) {
    if constexpr (Way == onward::right) {
      hocket::begin([this, row, column] { go_on_from(row + 1, column); });
    } else {
      hocket::begin([this, row, column] { go_on_from(row, column + 1); });
    }
  }

  bool arrive(std::size_t row, std::size_t column) {
    return counts_.arrive(row * columns_ + column, (row > 0 ? 1U : 0U) + (column > 0 ? 1U : 0U));
  }

  void compute(std::size_t block_row, std::size_t block_column) {
    if (block_ == 1) {
      grid_.compute(block_row, block_column);
      return;
    }
    const std::size_t first_column = block_column * block_;
    const std::size_t end_row = std::min((block_row + 1) * block_, grid_.rows());
    const std::size_t end_column = std::min(first_column + block_, grid_.columns());
    for (std::size_t row = block_row * block_; row < end_row; ++row) {
      for (std::size_t column = first_column; column < end_column; ++column) grid_.compute(row, column);
    }
  }

  wave_grid& grid_;
  std::size_t block_;
  std::size_t rows_, columns_;  // of blocks
  arrival_counts counts_;
  hocket::event over_;
};

inline void sweep_by_counter(wave_grid& grid, std::size_t block, onward way) {
  if (way == onward::right) {
    counted_sweep<onward::right>(grid, block).run();
  } else {
    counted_sweep<onward::below>(grid, block).run();
  }
}

}  // namespace hocket::apps
