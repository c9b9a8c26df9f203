// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All ways to place n queens on an n by n board, a fork for every queen that can be placed.
#pragma once

#include <hocket/hocket.hpp>

#include <array>
#include <cstdint>

namespace hocket::apps {

inline constexpr int queens_largest = 16;

// The classic board: column of the queen in each row filled so far.
struct queens_board {
  std::array<char, queens_largest> column;
};

// queens_free() tells whether a queen at (row, column) is attacked by none of the rows above.
inline bool queens_free(const queens_board& board, int row, int column) {
  for (int i = 0; i < row; ++i) {
    const int other = board.column[static_cast<std::size_t>(i)];
    const int distance = row - i;
    if (column == other || column == other - distance || column == other + distance) return false;
  }
  return true;
}

// Known solution counts, and the numbers of queens placed on the way (full boards included, the empty board
// not): the nodes of the search tree less its root, which is the number of forks. Index: n.
inline constexpr std::array<long, queens_largest + 1> queens_solutions = {
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
inline constexpr std::array<long, queens_largest + 1> queens_nodes = {
    0,    1,     2,      5,      16,      53,       152,       551,       2056,
    8393, 35538, 166925, 856188, 4674889, 27358552, 171129071, 1141190302};

// queens_serial() counts the solutions below a board whose first `row` rows are filled.
inline long queens_serial(const queens_board& board, int row, int n) {
  if (row == n) return 1;
  long solutions = 0;
  queens_board next = board;
  for (int column = 0; column < n; ++column) {
    if (!queens_free(board, row, column)) continue;
    next.column[static_cast<std::size_t>(row)] = static_cast<char>(column);
    solutions += queens_serial(next, row + 1, n);
  }
  return solutions;
}

inline long queens_forked(const queens_board& board, int row, int n);

// What is forked: a board by value, so that no child looks into its parent's frame.
struct queens_child {
  queens_board board;
  std::int32_t row;
  std::int32_t n;
  long operator()() const { return queens_forked(board, row, n); }
};

// queens_forked() counts the same, with a fork for every queen placed and no cut-off.
inline long queens_forked(const queens_board& board, int row, int n) {
  if (row == n) return 1;
  hocket::fork_scope<queens_child> scope;
  for (int column = 0; column < n; ++column) {
    if (!queens_free(board, row, column)) continue;
    queens_child child{board, row + 1, n};
    child.board.column[static_cast<std::size_t>(row)] = static_cast<char>(column);
    scope.fork(child);
  }
  long solutions = 0;
  scope.join([&solutions](long found) { solutions += found; });
  return solutions;
}

}  // namespace hocket::apps
