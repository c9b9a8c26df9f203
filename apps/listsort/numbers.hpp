// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list that is sorted: made anew from the same numbers as often as wanted, and checked.
#pragma once

#include "listsort/listsort.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace hocket::apps {

// SACLIB's single words: below this in absolute value.
inline constexpr std::int32_t single_word_bound = 1 << 29;

inline std::vector<std::int32_t> random_single_words(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int32_t> numbers(n);
  for (std::int32_t& number : numbers) {
    // 30 random bits, moved to both sides of zero; the one number that is too low becomes zero.
    number = static_cast<std::int32_t>(random() >> 34) - single_word_bound;
    if (number == -single_word_bound) number = 0;
  }
  return numbers;
}

// What tells whether two lists hold the same numbers, each as often, in whatever order: their number, their
// sum, and the sum of their hashes.
struct numbers_digest {
  std::uint64_t count = 0;
  std::int64_t sum = 0;
  std::uint64_t hash = 0;

  void add(std::int32_t number) {
    auto x = static_cast<std::uint64_t>(static_cast<std::uint32_t>(number)) + 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    ++count;
    sum += number;
    hash += x ^ (x >> 31);
  }
  friend bool operator==(const numbers_digest&, const numbers_digest&) = default;
};

// A list of these numbers, in cells that lie one behind the other.
class number_list {
 public:
  explicit number_list(const std::vector<std::int32_t>& numbers) : numbers_(numbers), cells_(numbers.size()) {
    for (const std::int32_t number : numbers) digest_.add(number);
  }

  // make() links the cells anew, in the order of the numbers; null if there are none.
  list_cell* make() {
    list_cell* rest = nullptr;
    for (std::size_t i = cells_.size(); i-- > 0;) {
      cells_[i] = {rest, numbers_[i]};
      rest = &cells_[i];
    }
    return rest;
  }

  // problem_of() says what is wrong with a list that should hold the numbers, sorted; null if nothing is.
  const char* problem_of(const list_cell* list) const {
    numbers_digest found;
    for (const list_cell* cell = list; cell != nullptr; cell = cell->rest) {
      if (cell->rest != nullptr && cell->rest->first < cell->first) return "the list is not sorted";
      if (found.count == digest_.count) return "the list is longer than it was";
      found.add(cell->first);
    }
    return found == digest_ ? nullptr : "the sorted numbers are not those of the list";
  }

 private:
  const std::vector<std::int32_t>& numbers_;
  std::vector<list_cell> cells_;
  numbers_digest digest_;
};

}  // namespace hocket::apps
