// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nqueens: the known counts, a fork for every queen placed.
#include "nqueens/nqueens.hpp"

#include "support/workers.hpp"

namespace {

using namespace hocket::apps;

class nqueens_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(nqueens_test);

TEST(queens_board_test, a_queen_attacks_its_column_and_both_diagonals) {
  queens_board board{};
  board.column[0] = 3;
  for (int column = 0; column < 8; ++column)
    EXPECT_EQ(queens_free(board, 1, column), column != 2 && column != 3 && column != 4) << column;
  for (int column = 0; column < 8; ++column)
    EXPECT_EQ(queens_free(queens_board{}, 0, column), true) << "an empty board attacks nothing";
}

TEST(queens_board_test, serial_counts) {
  for (int n = 0; n <= 9; ++n)
    EXPECT_EQ(queens_serial(queens_board{}, 0, n), queens_solutions[static_cast<std::size_t>(n)]) << n;
}

TEST_P(nqueens_test, forked_counts_and_nodes) {
  for (int n = 0; n <= 9; ++n) {
    const auto before = since(&hocket::statistics::forked);
    long found = -1;
    run([&] { found = queens_forked(queens_board{}, 0, n); });
    EXPECT_EQ(found, queens_solutions[static_cast<std::size_t>(n)]) << n;
    EXPECT_EQ(since(&hocket::statistics::forked) - before,
              static_cast<std::uint64_t>(queens_nodes[static_cast<std::size_t>(n)]))
        << n;
  }
}

}  // namespace
