// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The trees of the public UTS benchmark (Olivier et al., LCPC 2006): binomial, geometric and hybrid, drawn
// from a splittable random generator made of SHA-1, so that everybody's tree of given parameters is the same.
#pragma once

#include <nettle/sha1.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>

namespace hocket::apps {

enum class uts_kind { binomial = 0, geometric = 1, hybrid = 2 };              // option -t
enum class uts_shape { linear = 0, exponential = 1, cyclic = 2, fixed = 3 };  // option -a

// The benchmark's parameters; the comments name its options.
struct uts_parameters {
  uts_kind kind = uts_kind::geometric;   // -t
  uts_shape shape = uts_shape::linear;   // -a: how the mean number of children falls with the depth
  double root_branching = 4;             // -b: children of the root (binomial), mean at the root (geometric)
  int depth = 6;                         // -d: where geometric trees end
  double child_probability = 15.0 / 64;  // -q: that a binomial node has children
  int children = 4;                      // -m: how many it then has
  double shift = 0.5;                    // -f: hybrid trees become binomial at this part of `depth`
  std::uint32_t seed = 0;                // -r

  bool operator==(const uts_parameters&) const = default;
};

class uts_sha1_tree {
 public:
  using state = std::array<std::uint32_t, 5>;  // a digest, as SHA-1's own words

  struct node {
    state random;
    int depth;
  };

  static constexpr int most_children = 100;  // for all but the root of a binomial tree

  explicit uts_sha1_tree(const uts_parameters& parameters) : is_(parameters) {}

  node root() const { return {hash({0, 0, 0, 0, is_.seed}, 5), 0}; }

  // A child's generator is the digest of its parent's with the child's number appended.
  node child(const node& parent, int i) const {
    const state& s = parent.random;
    return {hash({s[0], s[1], s[2], s[3], s[4], static_cast<std::uint32_t>(i)}, 6), parent.depth + 1};
  }

  int child_count(const node& parent) const {
    switch (is_.kind) {
      case uts_kind::binomial:
        return parent.depth == 0 ? static_cast<int>(is_.root_branching)
                                 : std::min(binomial(parent), most_children);
      case uts_kind::geometric:
        return std::min(geometric(parent), most_children);
      case uts_kind::hybrid:
        return std::min(parent.depth < is_.shift * is_.depth ? geometric(parent) : binomial(parent),
                        most_children);
    }
    return 0;
  }

 private:
  // hash() is SHA-1 of the first `count` (<= 13) of the words, taken as big-endian bytes. Such a message with
  // its padding fills one block, so the compression function is called directly.
  static state hash(const std::array<std::uint32_t, 6>& words, unsigned count) {
    std::array<std::uint32_t, 16> block{};
    for (unsigned i = 0; i < count; ++i) block[i] = big_endian(words[i]);
    block[count] = big_endian(0x80000000);
    block[15] = big_endian(32 * count);
    std::array<std::uint8_t, sizeof block> bytes;
    std::memcpy(bytes.data(), block.data(), sizeof block);
    state digest = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    nettle_sha1_compress(digest.data(), bytes.data());
    return digest;
  }

  static std::uint32_t big_endian(std::uint32_t word) {
    return std::endian::native == std::endian::big ? word : __builtin_bswap32(word);
  }

  // uniform() is the node's random number in [0, 1): 31 bits.
  static double uniform(const node& at) {
    return static_cast<double>(at.random[4] & 0x7fffffff) / 2147483648.0;
  }

  int binomial(const node& at) const { return uniform(at) < is_.child_probability ? is_.children : 0; }

  int geometric(const node& at) const {
    const double p = 1 / (1 + mean_children(at.depth));
    return static_cast<int>(std::floor(std::log(1 - uniform(at)) / std::log(1 - p)));
  }

  double mean_children(int depth) const {
    const double at_root = is_.root_branching;
    if (depth == 0) return at_root;
    switch (is_.shape) {
      case uts_shape::linear:
        return at_root * (1 - static_cast<double>(depth) / is_.depth);
      case uts_shape::exponential:
        return at_root * std::pow(depth, -std::log(at_root) / std::log(is_.depth));
      case uts_shape::cyclic:
        if (depth > 5 * is_.depth) return 0;
        return std::pow(at_root, std::sin(2 * std::numbers::pi * depth / is_.depth));
      case uts_shape::fixed:
        return depth < is_.depth ? at_root : 0;
    }
    return 0;
  }

  uts_parameters is_;
};

}  // namespace hocket::apps
