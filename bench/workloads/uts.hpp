// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an unbalanced tree search is measured; the tree is the example program's with the cheap hash, shaped
// like T1, so that the runtime and not SHA-1 is measured.
#pragma once

#include "common/harness.hpp"
#include "uts/cheap_tree.hpp"

namespace hkbench {

using tree = hocket::apps::uts_cheap_tree;

inline long count_serially(const tree& shape, const tree::node& node) {
  long nodes = 1;
  const int children = shape.child_count(node);
  for (int i = 0; i < children; ++i) nodes += count_serially(shape, shape.child(node, i));
  return nodes;
}

/// run_uts() samples `search(tree)`, which must return the number of nodes; lanes as for run_nqueens().
template <class F>
void run_uts(request& rq, unsigned lanes, F search) {
  const tree shape(static_cast<int>(rq.number("depth", 10, 1, 20)));
  rq.check_all_read();
  const long nodes = count_serially(shape, shape.root());
  sample(rq, "ns_per_node", static_cast<double>(nodes) * lanes, [&] {
    long found = 0;
    const double seconds = seconds_of([&] { found = search(shape); });
    check_equal("the number of nodes of the tree", found, nodes);
    return seconds;
  });
}

}  // namespace hkbench
