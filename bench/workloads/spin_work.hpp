// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The efficiency of a balanced tree of leaves of fixed work against the same leaves one after another.
#pragma once

#include <algorithm>

#include "common/harness.hpp"
#include "common/spin.hpp"

namespace hkbench {

using hocket::apps::rounds_for;
using hocket::apps::spin;

/// run_leaf_tree() samples tree(depth, rounds), which must return its number of leaves, and prints the
/// efficiency: serial time / (threads * time). Serial and parallel runs alternate.
template <class F>
void run_leaf_tree(request& rq, F tree) {
  const long depth = rq.number("depth", 14, 1, 24);
  const long rounds = rounds_for(1e-6 * static_cast<double>(rq.number("leaf_us", 1, 1, 1000)));
  rq.check_all_read();
  const long leaves = 1L << depth;
  for (unsigned i = 0; i <= rq.samples(); ++i) {
    const double serial = seconds_of([&] {
      for (long leaf = 0; leaf < leaves; ++leaf) spin(rounds);
    });
    long found = 0;
    const double parallel = seconds_of([&] { found = tree(depth, rounds); });
    check_equal("the number of leaves that ran", found, leaves);
    if (i > 0) rq.row("efficiency", "ratio", serial / (parallel * rq.threads()));
  }
}

/// The serial program: the tree by plain calls.
[[gnu::noinline]] inline long serial_tree(long depth, long rounds) {
  if (depth == 0) return spin(rounds);
  const long one = serial_tree(depth - 1, rounds);
  return one + serial_tree(depth - 1, rounds);
}

/// run_granularity() samples trees(depth, rounds, times), which runs that many such trees one after another
/// and returns how many leaves ran, and prints the efficiency against the serial program: its time / (threads
/// * time). So many trees are run at a time that they take some 20 ms, and serial and parallel ones
/// alternate.
template <class F>
void run_granularity(request& rq, F trees) {
  const long depth = rq.number("depth", 12, 1, 24);
  const long grain_ns = rq.number("grain_ns", 1000, 10, 100000000);
  rq.check_all_read();
  const long rounds = rounds_for(1e-9 * static_cast<double>(grain_ns));
  const long leaves = 1L << depth;
  const long times = std::max(1L, 20'000'000 / (leaves * grain_ns));
  for (unsigned i = 0; i <= rq.samples(); ++i) {
    long found = 0;
    const double serial = seconds_of([&] {
      for (long n = 0; n < times; ++n) found += serial_tree(depth, rounds);
    });
    check_equal("the number of leaves that ran one after another", found, times * leaves);
    const double parallel = seconds_of([&] { found = trees(depth, rounds, times); });
    check_equal("the number of leaves that ran", found, times * leaves);
    if (i > 0) rq.row("efficiency", "ratio", serial / (parallel * rq.threads()));
  }
}

}  // namespace hkbench
