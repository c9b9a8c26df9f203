// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bubble-merge sort of a linked list (SACLIB's LBIBMS; PACLIB, section 4.3): a short list is sorted by
// bubble sort, a longer one is split in halves, which are sorted, one of them perhaps by a task, and merged.
// It is done in place: by exchanging the numbers of short lists, and by linking the cells of long ones.
#pragma once

#include <hocket/hocket.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace hocket::apps {

struct list_cell {
  list_cell* rest;  // null: the last
  std::int32_t first;
};

inline constexpr std::size_t listsort_short = 10;  // numbers of a list that is bubble-sorted
inline constexpr std::size_t listsort_real_cut = 300;
inline constexpr std::size_t listsort_virtual_cut = 40;

inline void bubble_sort(list_cell* list) {
  const list_cell* sorted_from = nullptr;  // what follows is in its place
  while (list != sorted_from) {
    const list_cell* last_exchange = list;
    for (list_cell* here = list; here->rest != sorted_from; here = here->rest) {
      if (here->rest->first < here->first) {
        std::swap(here->first, here->rest->first);
        last_exchange = here->rest;
      }
    }
    sorted_from = last_exchange;
  }
}

// split_list() cuts the list behind its first `n` cells, of which there are more, and returns the others.
inline list_cell* split_list(list_cell* list, std::size_t n) {
  while (--n != 0) list = list->rest;
  return std::exchange(list->rest, nullptr);
}

// merge_lists() links two sorted lists into one.
inline list_cell* merge_lists(list_cell* a, list_cell* b) {
  list_cell* merged = nullptr;
  list_cell** end = &merged;
  while (a != nullptr && b != nullptr) {
    list_cell*& less = b->first < a->first ? b : a;
    *end = less;
    end = &less->rest;
    less = less->rest;
  }
  *end = a != nullptr ? a : b;
  return merged;
}

// listsort_tasks() is how many tasks it takes to sort n numbers, if lists of at most `cut` make none.
constexpr std::uint64_t listsort_tasks(std::size_t n, std::size_t cut) {
  if (n <= listsort_short || n <= cut) return 0;
  return 1 + listsort_tasks(n / 2, cut) + listsort_tasks(n - n / 2, cut);
}

// The variants sort the first `n` cells of a list that has no more, and return its new beginning.
inline list_cell* listsort_serial(list_cell* list, std::size_t n) {
  if (n <= listsort_short) {
    bubble_sort(list);
    return list;
  }
  list_cell* const others = split_list(list, n / 2);
  list_cell* const one = listsort_serial(list, n / 2);
  return merge_lists(one, listsort_serial(others, n - n / 2));
}

// make(f) makes a task of f, and returns its handle; lists of at most `cut` numbers make none.
template <class Make>
list_cell* listsort_by_handles(list_cell* list, std::size_t n, std::size_t cut, const Make& make) {
  if (n <= listsort_short || n <= cut) return listsort_serial(list, n);
  list_cell* const others = split_list(list, n / 2);
  const auto child =
      make([others, n, cut, &make] { return listsort_by_handles(others, n - n / 2, cut, make); });
  list_cell* const one = listsort_by_handles(list, n / 2, cut, make);
  return merge_lists(one, child.get());
}

inline list_cell* listsort_virtual(list_cell* list, std::size_t n, std::size_t cut) {
  return listsort_by_handles(list, n, cut, [](auto f) { return hocket::spawn(f); });
}

inline list_cell* listsort_real(list_cell* list, std::size_t n, std::size_t cut) {
  return listsort_by_handles(list, n, cut, [](auto f) { return hocket::start(f); });
}

inline list_cell* listsort_structured(list_cell* list, std::size_t n, std::size_t cut) {
  if (n <= listsort_short || n <= cut) return listsort_serial(list, n);
  list_cell* const others = split_list(list, n / 2);
  const auto [one, other] =
      hocket::fork_join([list, n, cut] { return listsort_structured(list, n / 2, cut); },
                        [others, n, cut] { return listsort_structured(others, n - n / 2, cut); });
  return merge_lists(one, other);
}

}  // namespace hocket::apps
