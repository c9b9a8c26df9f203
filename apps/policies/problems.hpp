// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the policies are tried on: the linear recursion and the divide-and-conquer tree of the PACLIB paper
// (section 3.2, figure 1), each with a result that a formula tells.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hocket::apps {

inline constexpr std::uint64_t linear_longest = 1'000'000;
inline constexpr int tree_deepest = 24;

// The recursion is in one task, and as deep as it is long; it touches what it needs of this.
inline constexpr std::size_t linear_stack = std::size_t{1} << 30;

// linear_value() is f(n) below: the sum of the first n odd numbers.
constexpr std::uint64_t linear_value(std::uint64_t n) { return n * n; }
constexpr std::uint64_t linear_forks(std::uint64_t n) { return n; }

// linear() is f(x) = if x == 0 then 0 else g(x) + f(x - 1), with g(x) = 2x - 1, forked on the way down and
// joined on the way back; work() is done for each g. The forks are all there before the first is joined.
template <class Policy, class Work>
std::uint64_t linear(Policy& policy, std::uint64_t x, const Work& work) {
  if (x == 0) return 0;
  auto g = policy.fork([x, &work] {
    work();
    return 2 * x - 1;
  });
  const std::uint64_t rest = linear(policy, x - 1, work);
  return g.join() + rest;
}

// tree_value() is how many leaves the tree below has.
constexpr std::uint64_t tree_value(int depth) { return std::uint64_t{1} << depth; }
constexpr std::uint64_t tree_forks(int depth) { return 2 * tree_value(depth) - 2; }

// tree() forks both halves, as figure 1 has it: every task makes two, and waits. work() is done for each
// leaf.
template <class Policy, class Work>
std::uint64_t tree(Policy& policy, int depth, const Work& work) {
  if (depth == 0) {
    work();
    return 1;
  }
  auto left = policy.fork([&policy, depth, &work] { return tree(policy, depth - 1, work); });
  auto right = policy.fork([&policy, depth, &work] { return tree(policy, depth - 1, work); });
  const std::uint64_t leaves = right.join();
  return leaves + left.join();
}

}  // namespace hocket::apps
