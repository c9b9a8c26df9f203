// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The skynet benchmark (github.com/atemerev/skynet): a tree of tasks whose leaves return their numbers, which
// every level sums; by virtual tasks, by real ones and by structured forks.
#pragma once

#include <hocket/hocket.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace hocket::apps {

inline constexpr std::uint64_t skynet_most_leaves = 1'000'000'000;  // their sum fits, and minutes are enough

// skynet_value() is the sum of the numbers 0, 1, ..., leaves - 1, by the closed formula.
constexpr std::uint64_t skynet_value(std::uint64_t leaves) {
  return leaves % 2 == 0 ? leaves / 2 * (leaves - 1) : (leaves - 1) / 2 * leaves;
}

// skynet_depth() is the d for which branches^d == leaves, if there is one; branches > 1.
constexpr std::optional<int> skynet_depth(std::uint64_t leaves, std::uint64_t branches) {
  if (leaves == 0) return std::nullopt;
  int depth = 0;
  for (; leaves % branches == 0; leaves /= branches) ++depth;
  if (leaves != 1) return std::nullopt;
  return depth;
}

// skynet_tasks() is how many children all tasks of a full tree have: its nodes less the root.
constexpr std::uint64_t skynet_tasks(std::uint64_t leaves, std::uint64_t branches) {
  std::uint64_t tasks = 0;
  for (; leaves > 1; leaves /= branches) tasks += leaves;
  return tasks;
}

// A node stands for the `leaves` leaves from number `first` on; leaves is a power of branches.
struct skynet_node {
  std::uint64_t first;
  std::uint64_t leaves;
  std::uint64_t branches;
  skynet_node child(std::uint64_t i) const {
    const std::uint64_t share = leaves / branches;
    return {first + i * share, share, branches};
  }
};

// make_child(node) makes a task of one child and returns its handle; all are made, then waited for in order.
template <class Make>
std::uint64_t skynet_by_handles(const skynet_node& node, const Make& make_child) {
  if (node.leaves == 1) return node.first;
  std::vector<task<std::uint64_t>> children;
  children.reserve(node.branches);
  for (std::uint64_t i = 0; i < node.branches; ++i) children.push_back(make_child(node.child(i)));
  std::uint64_t sum = 0;
  for (const auto& child : children) sum += child.get();
  return sum;
}

// skynet_spawned(): every child a virtual task, which gets a stack only if somebody is idle.
inline std::uint64_t skynet_spawned(const skynet_node& node) {
  return skynet_by_handles(node, [](const skynet_node& child) {
    return hocket::spawn([child] { return skynet_spawned(child); });
  });
}

// skynet_started(): every child has a stack at once, as a thread or a goroutine has. Ready tasks are run
// first in, first out, so that in the end there are about as many stacks as leaves.
inline std::uint64_t skynet_started(const skynet_node& node) {
  return skynet_by_handles(node, [](const skynet_node& child) {
    return hocket::start([child] { return skynet_started(child); });
  });
}

inline std::uint64_t skynet_forked(const skynet_node& node);

struct skynet_child {
  skynet_node node;
  std::uint64_t operator()() const { return skynet_forked(node); }
};

// skynet_forked(): structured; a child that nobody steals is a plain call.
inline std::uint64_t skynet_forked(const skynet_node& node) {
  if (node.leaves == 1) return node.first;
  hocket::fork_scope<skynet_child> scope;
  for (std::uint64_t i = 0; i < node.branches; ++i) scope.fork({node.child(i)});
  std::uint64_t sum = 0;
  scope.join([&sum](std::uint64_t value) { sum += value; });
  return sum;
}

}  // namespace hocket::apps
