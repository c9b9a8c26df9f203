// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The naive parallel quicksort: pick a pivot, partition in serial, cobegin the two sides; below a depth
// threshold, or a size, the sides are sorted in serial.
#pragma once

#include "common/deep.hpp"

#include <hocket/hocket.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace hocket::apps {

// Where quicksort stops forking.
struct quicksort_limits {
  int depth = 0;          // levels that fork
  std::size_t grain = 1;  // ranges of at most so many elements do not

  // The default forks down to some 2,048 elements: work for microseconds, thousands of times a fork.
  static quicksort_limits for_size(std::size_t n) {
    const int levels = static_cast<int>(std::bit_width(n));
    return {.depth = std::max(0, levels - 12), .grain = 512};
  }
  static quicksort_limits of_depth(int depth) { return {.depth = depth, .grain = 512}; }
  // The Qthreads paper's setting: every range of two elements or more is partitioned and forked.
  static quicksort_limits never_serialise() { return {.depth = std::numeric_limits<int>::max(), .grain = 1}; }
};

// A count of elements that have reached their place, for nobody.
struct no_progress {
  static constexpr bool counts = false;
  void add(std::size_t) const {}
};

// partition_if() moves the elements for which `goes_left` holds to the front, and returns their end. It has
// no branch that depends on the data: mispredicted ones are most of what a textbook partition costs.
template <class T, class Predicate>
T* partition_if(T* first, T* last, Predicate goes_left) {
  T* end_of_left = first;
  for (T* here = first; here != last; ++here) {
    const T element = *here;
    *here = *end_of_left;
    *end_of_left = element;
    end_of_left += goes_left(element) ? 1 : 0;
  }
  return end_of_left;
}

template <class T>
constexpr const T& median_of_three(const T& a, const T& b, const T& c) {
  return a < b ? (b < c ? b : (a < c ? c : a)) : (a < c ? a : (b < c ? c : b));
}

// pick_pivot() is the median of three elements, of large ranges that of three medians; `key` maps an element
// to what is compared. The range has at least one element.
template <class T, class Key>
auto pick_pivot(const T* first, std::size_t n, Key key) {
  const auto at = [&](std::size_t i) { return key(first[i]); };
  if (n < 128) return median_of_three(at(0), at(n / 2), at(n - 1));
  const std::size_t step = n / 9;
  const auto three = [&](std::size_t i) { return median_of_three(at(i), at(i + step), at(i + 2 * step)); };
  return median_of_three(three(0), three(3 * step), three(6 * step));
}

// quicksort_partition() leaves elements below some pivot in [first, result.first), equal ones in
// [result.first, result.second), others behind. The second pass is done only where few elements were below
// the pivot, else equal ones stay on the right; so neither side is ever the whole range, whatever the input.
inline std::pair<std::uint32_t*, std::uint32_t*> quicksort_partition(std::uint32_t* first,
                                                                     std::uint32_t* last) {
  const auto n = static_cast<std::size_t>(last - first);
  const std::uint32_t pivot = pick_pivot(first, n, [](std::uint32_t key) { return key; });
  std::uint32_t* const middle = partition_if(first, last, [pivot](std::uint32_t key) { return key < pivot; });
  if (static_cast<std::size_t>(middle - first) > n / 8) return {middle, middle};
  return {middle, partition_if(middle, last, [pivot](std::uint32_t key) { return key <= pivot; })};
}

inline void insertion_sort(std::uint32_t* first, std::uint32_t* last) {
  for (std::uint32_t* here = first; here != last; ++here) {
    const std::uint32_t key = *here;
    std::uint32_t* hole = here;
    for (; hole != first && key < hole[-1]; --hole) *hole = hole[-1];
    *hole = key;
  }
}

// bad_pivots_allowed() is how deep quicksort may go before its pivots must be called bad.
template <class T>
int bad_pivots_allowed(const T* first, const T* last) {
  return 3 * static_cast<int>(std::bit_width(static_cast<std::size_t>(last - first)));
}

// quicksort_serial() is the same sort without forks. Should pivots turn out badly `levels` times, it goes on
// with std::sort, which is n log n whatever the input.
inline void quicksort_serial(std::uint32_t* first, std::uint32_t* last, int levels) {
  constexpr std::ptrdiff_t small = 24;
  while (last - first > small) {
    if (levels-- == 0) return std::sort(first, last);
    const auto [left_end, right] = quicksort_partition(first, last);
    if (left_end - first < last - right) {
      quicksort_serial(first, left_end, levels);
      first = right;
    } else {
      quicksort_serial(right, last, levels);
      last = left_end;
    }
  }
  insertion_sort(first, last);
}

inline void quicksort_serial(std::uint32_t* first, std::uint32_t* last) {
  quicksort_serial(first, last, bad_pivots_allowed(first, last));
}

// quicksort() sorts [first, last) in parallel; it must be called from a task. `progress` counts elements
// placed.
template <class Progress = const no_progress>
void quicksort(std::uint32_t* first, std::uint32_t* last, quicksort_limits limits,
               Progress& progress = no_progress{}) {
  const auto n = static_cast<std::size_t>(last - first);
  if (limits.depth == 0 || n <= limits.grain) {
    quicksort_serial(first, last);
    return progress.add(n);
  }
  if constexpr (Progress::counts) {
    constexpr std::size_t counted_at_once = 4096;  // one update of the shared count for all of these
    if (n <= counted_at_once) {
      quicksort(first, last, limits);
      return progress.add(n);
    }
  }
  // No structured binding: lambdas cannot capture one portably.
  const std::pair<std::uint32_t*, std::uint32_t*> equal = quicksort_partition(first, last);
  progress.add(static_cast<std::size_t>(equal.second - equal.first));
  limits.depth -= 1;
  with_stack([&] {
    hocket::cobegin([&] { quicksort(first, equal.first, limits, progress); },
                    [&] { quicksort(equal.second, last, limits, progress); });
  });
}

}  // namespace hocket::apps
