// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Unbalanced Tree Search: counts an implicit random tree, a fork for every child, no cut-off.
// uts_search() works on any tree type that has `node`, `root()`, `child_count(node)` and `child(node, i)`.
#pragma once

#include "common/deep.hpp"

#include <hocket/hocket.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hocket::apps {

// What a search finds out: sizes add up, the depth is the largest.
struct uts_tally {
  std::uint64_t nodes = 0;
  std::uint64_t leaves = 0;
  std::uint64_t depth = 0;

  static uts_tally leaf(int at_depth) { return {1, 1, static_cast<std::uint64_t>(at_depth)}; }
  static uts_tally inner(int at_depth) { return {1, 0, static_cast<std::uint64_t>(at_depth)}; }
  void add(const uts_tally& other) {
    nodes += other.nodes;
    leaves += other.leaves;
    depth = std::max(depth, other.depth);
  }
  bool operator==(const uts_tally&) const = default;
};

// The least a search can find out, for benchmarks of the forks alone.
struct uts_count {
  std::uint64_t nodes = 0;

  static uts_count leaf(int) { return {1}; }
  static uts_count inner(int) { return {1}; }
  void add(const uts_count& other) { nodes += other.nodes; }
};

template <class Tally, class Tree>
Tally uts_visit(const Tree& tree, const typename Tree::node& node);

// What is forked for each child.
template <class Tally, class Tree>
struct uts_child {
  const Tree* tree;
  typename Tree::node node;
  Tally operator()() const { return uts_visit<Tally>(*tree, node); }
};

template <class Tally, class Tree>
Tally uts_visit_children(const Tree& tree, const typename Tree::node& node, int children) {
  hocket::fork_scope<uts_child<Tally, Tree>> scope;
  for (int i = 0; i < children; ++i) scope.fork(uts_child<Tally, Tree>{&tree, tree.child(node, i)});
  Tally sum = Tally::inner(node.depth);
  scope.join([&sum](const Tally& found) { sum.add(found); });
  return sum;
}

// uts_visit() counts the tree below and with `node`. Trees are up to 20,000 levels deep, stacks are not, so
// every few levels it looks whether to go on with a fresh one.
template <class Tally, class Tree>
Tally uts_visit(const Tree& tree, const typename Tree::node& node) {
  constexpr int levels_between_looks = 4;
  const int children = tree.child_count(node);
  if (children == 0) return Tally::leaf(node.depth);
  if (node.depth % levels_between_looks == levels_between_looks - 1)
    return with_stack([&] { return uts_visit_children<Tally>(tree, node, children); });
  return uts_visit_children<Tally>(tree, node, children);
}

// uts_search() counts the whole tree; it must be called from a task.
template <class Tally = uts_tally, class Tree>
Tally uts_search(const Tree& tree) {
  return uts_visit<Tally>(tree, tree.root());
}

// uts_search_serial() does the same by a loop with a list of nodes still to visit.
template <class Tally = uts_tally, class Tree>
Tally uts_search_serial(const Tree& tree) {
  Tally sum{};
  std::vector<typename Tree::node> to_visit{tree.root()};
  while (!to_visit.empty()) {
    const typename Tree::node node = to_visit.back();
    to_visit.pop_back();
    const int children = tree.child_count(node);
    sum.add(children == 0 ? Tally::leaf(node.depth) : Tally::inner(node.depth));
    for (int i = 0; i < children; ++i) to_visit.push_back(tree.child(node, i));
  }
  return sum;
}

}  // namespace hocket::apps
