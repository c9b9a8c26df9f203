// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a search for all placements of n queens is measured; the board itself is the one of the example
// program.
#pragma once

#include "common/harness.hpp"
#include "nqueens/nqueens.hpp"

namespace hkbench {

using board = hocket::apps::queens_board;

inline board with_queen(board b, int row, int column) {
  b.column[static_cast<std::size_t>(row)] = static_cast<char>(column);
  return b;
}

/// run_nqueens() samples `search(queens)`, which must return the number of placements. `lanes` threads each
/// search the whole tree (the floor of several threads); a parallel search has one lane.
template <class F>
void run_nqueens(request& rq, unsigned lanes, F search) {
  const int queens = static_cast<int>(rq.number("queens", 12, 1, hocket::apps::queens_largest));
  rq.check_all_read();
  const auto index = static_cast<std::size_t>(queens);
  const double nodes = static_cast<double>(hocket::apps::queens_nodes[index]) * lanes;
  sample(rq, "ns_per_node", nodes, [&] {
    long found = 0;
    const double seconds = seconds_of([&] { found = search(queens); });
    check_equal("the number of placements of " + std::to_string(queens) + " queens", found,
                hocket::apps::queens_solutions[index]);
    return seconds;
  });
}

}  // namespace hkbench
