// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers made on the spot for quicksort, and the proof that the result is those numbers, sorted.
#pragma once

#include "common/chunks.hpp"
#include "quicksort/quicksort.hpp"

#include <cstddef>
#include <cstdint>

namespace hocket::apps {

// A digest of a multiset of keys: equal for every order of the same keys.
struct multiset_digest {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t exclusive_or = 0;
  std::uint64_t hashes = 0;

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  void add(std::uint32_t key) {
    ++count;
    sum += key;
    exclusive_or ^= key;
    hashes += mix(key + 0x9e3779b97f4a7c15);
  }
  friend multiset_digest operator+(const multiset_digest& a, const multiset_digest& b) {
    return {a.count + b.count, a.sum + b.sum, a.exclusive_or ^ b.exclusive_or, a.hashes + b.hashes};
  }
  bool operator==(const multiset_digest&) const = default;
};

inline constexpr std::size_t numbers_at_once = std::size_t{1} << 16;

// generate_numbers() fills [first, first + n) in parallel with numbers that depend on `seed` and their place
// alone.
inline multiset_digest generate_numbers(std::uint32_t* first, std::size_t n, std::uint64_t seed) {
  const std::uint64_t stream = multiset_digest::mix(seed + 0x9e3779b97f4a7c15);
  return reduce_chunks(0, n, numbers_at_once, [first, stream](std::size_t begin, std::size_t end) {
    multiset_digest digest;
    for (std::size_t i = begin; i < end; ++i) {
      first[i] = static_cast<std::uint32_t>(multiset_digest::mix(stream + i * 0x9e3779b97f4a7c15) >> 32);
      digest.add(first[i]);
    }
    return digest;
  });
}

inline multiset_digest digest_of(const std::uint32_t* first, std::size_t n) {
  return reduce_chunks(0, n, numbers_at_once, [first](std::size_t begin, std::size_t end) {
    multiset_digest digest;
    for (std::size_t i = begin; i < end; ++i) digest.add(first[i]);
    return digest;
  });
}

// count_descents() is the number of places where a key is less than the one before it: 0 if sorted.
inline std::size_t count_descents(const std::uint32_t* first, std::size_t n) {
  return reduce_chunks(0, n, numbers_at_once, [first](std::size_t begin, std::size_t end) {
    std::size_t descents = 0;
    for (std::size_t i = std::max<std::size_t>(begin, 1); i < end; ++i)
      descents += first[i] < first[i - 1] ? 1 : 0;
    return descents;
  });
}

}  // namespace hocket::apps
