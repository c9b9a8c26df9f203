// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wavefront with a future for each cell, which begins when its neighbours are done: `counter`: a counter
// of those that are missing; `word`: the neighbours' words, full once they are computed.
#include <hocket/counter.hpp>
#include <hocket/full_empty.hpp>
#include <hocket/future.hpp>

#include <algorithm>
#include <memory>
#include <vector>

#include "hocket_benches.hpp"
#include "workloads/wavefront.hpp"

namespace hkbench {
namespace {

/// So many rows of futures exist at most: the maker waits for the oldest, so that memory stays bounded.
constexpr std::size_t band = 64;

/// in_bands() calls make_row(row) for each row, which returns the row's last task, and waits for all.
template <class F>
void in_bands(std::size_t side, F make_row) {
  std::vector<hocket::task<void>> last_of(side);
  for (std::size_t row = 0; row < side; ++row) {
    if (row >= band) last_of[row - band].wait();
    last_of[row] = make_row(row);
  }
  last_of.back().get();
}

/// missing_cells has a counter for each cell of the rows that are under way, and of the one below them.
class missing_cells {
 public:
  explicit missing_cells(std::size_t side)
      : side_(side), counters_(std::make_unique<hocket::counter[]>((band + 1) * side)) {}

  hocket::counter& of(std::size_t row, std::size_t column) {
    return counters_[row % (band + 1) * side_ + column];
  }
  /// Each cell of the row misses the cell above it, if there is a row above, and that to its left.
  void raise_row(std::size_t row) {
    for (std::size_t column = 0; column < side_; ++column)
      of(row, column).add((row > 0 ? 1 : 0) + (column > 0 ? 1 : 0));
  }

 private:
  std::size_t side_;
  std::unique_ptr<hocket::counter[]> counters_;
};

void fill_by_counters(wave_grid& grid) {
  const std::size_t side = grid.side();
  missing_cells missing(side);
  missing.raise_row(0);
  in_bands(side, [&](std::size_t row) {
    if (row + 1 < side) missing.raise_row(row + 1);
    hocket::task<void> last;
    for (std::size_t column = 0; column < side; ++column) {
      last = hocket::future(missing.of(row, column), [&grid, &missing, row, column] {
        grid.compute(row, column);
        if (row + 1 < grid.side()) missing.of(row + 1, column).done();
        if (column + 1 < grid.side()) missing.of(row, column + 1).done();
      });
    }
    return last;
  });
}

void fill_by_words(wave_grid& grid) {
  const std::size_t side = grid.side();
  in_bands(side, [&](std::size_t row) {
    for (std::size_t column = 0; column < side; ++column) hocket::empty(grid.at(row, column));
    hocket::task<void> last;
    for (std::size_t column = 0; column < side; ++column) {
      // The border is full, as memory is that nobody has emptied.
      const hocket::when neighbours(hocket::full(grid.at(row - 1, column)),
                                    hocket::full(grid.at(row, column - 1)));
      last = hocket::future(neighbours, [&grid, row, column] {
        grid.compute(row, column);
        hocket::fill(grid.at(row, column));
      });
    }
    return last;
  });
}

}  // namespace

void hocket_wavefront(request& rq) {
  const bool counters = rq.choice("form", {"counter", "word"}) == "counter";
  in_run(rq, [&] { run_wavefront(rq, 1, 3162, counters ? fill_by_counters : fill_by_words); });
}

}  // namespace hkbench
