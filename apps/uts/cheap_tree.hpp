// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tree of the geometric kind, fixed shape, whose nodes cost a few multiplications instead of a SHA-1:
// what is left of a search's time is forks and joins.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace hocket::apps {

class uts_cheap_tree {
 public:
  struct node {
    std::uint64_t state;
    int depth;
  };

  static constexpr int largest_depth = 63;
  static constexpr int most_children = 100;

  // The default is shaped like the tree T1: 4 children on average down to depth 10. 0 <= depth <=
  // largest_depth.
  explicit uts_cheap_tree(int depth = 10, double branching = 4, std::uint64_t seed = 10)
      : root_{mix(seed), 0}, root_children_(static_cast<int>(branching)), depth_(depth) {
    for (int d = 0; d < depth; ++d)
      scale_[static_cast<std::size_t>(d)] = 1 / std::log(1 - 1 / (1 + branching));
  }

  node root() const { return root_; }

  // A geometric distribution by inversion; the root has exactly the mean.
  int child_count(const node& parent) const {
    if (parent.depth >= depth_) return 0;
    if (parent.depth == 0) return root_children_;
    const double u = static_cast<double>(mix(parent.state ^ 0x5bd1e995) >> 11) * 0x1p-53;
    const int count = static_cast<int>(std::log(1 - u) * scale_[static_cast<std::size_t>(parent.depth)]);
    return count < most_children ? count : most_children;
  }

  node child(const node& parent, int i) const {
    return {mix(parent.state * 0x2545F4914F6CDD1D + static_cast<std::uint64_t>(i) + 1), parent.depth + 1};
  }

 private:
  // mix() is the finaliser of splitmix64.
  static constexpr std::uint64_t mix(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  node root_;
  int root_children_;
  int depth_;
  std::array<double, largest_depth + 1> scale_{};  // 1 / log(1 - p) for the p of each depth
};

}  // namespace hocket::apps
