// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree of PACLIB's section 4.2: an inner node runs one half as a child task and the other itself; all
// work is in the leaves. By virtual tasks, by real ones, by structured forks, and by plain calls.
#pragma once

#include <hocket/hocket.hpp>

#include <concepts>
#include <cstdint>

namespace hocket::apps {

// leaf() does a leaf's work and returns a number; a tree returns the sum of its leaves' numbers.
template <class Leaf>
concept granularity_leaf = requires(const Leaf& leaf) {
  { leaf() } -> std::same_as<long>;
};

inline constexpr int granularity_deepest = 24;  // minutes at a microsecond a leaf

// granularity_tasks() is how many child tasks a tree of that depth makes: its inner nodes.
constexpr std::uint64_t granularity_tasks(int depth) { return (std::uint64_t{1} << depth) - 1; }

template <granularity_leaf Leaf>
long granularity_serial(int depth, const Leaf& leaf) {
  if (depth == 0) return leaf();
  const long one = granularity_serial(depth - 1, leaf);
  return one + granularity_serial(depth - 1, leaf);
}

// granularity_virtual(): the child gets a stack only if somebody is idle (pacVirtual).
template <granularity_leaf Leaf>
long granularity_virtual(int depth, const Leaf& leaf) {
  if (depth == 0) return leaf();
  const auto child = hocket::spawn([depth, &leaf] { return granularity_virtual(depth - 1, leaf); });
  const long own = granularity_virtual(depth - 1, leaf);
  return own + child.get();
}

// granularity_real(): the child has a stack at once (pacStart).
template <granularity_leaf Leaf>
long granularity_real(int depth, const Leaf& leaf) {
  if (depth == 0) return leaf();
  const auto child = hocket::start([depth, &leaf] { return granularity_real(depth - 1, leaf); });
  const long own = granularity_real(depth - 1, leaf);
  return own + child.get();
}

// granularity_structured(): a child that nobody steals is a plain call.
template <granularity_leaf Leaf>
long granularity_structured(int depth, const Leaf& leaf) {
  if (depth == 0) return leaf();
  const auto [own, child] =
      hocket::fork_join([depth, &leaf] { return granularity_structured(depth - 1, leaf); },
                        [depth, &leaf] { return granularity_structured(depth - 1, leaf); });
  return own + child;
}

}  // namespace hocket::apps
