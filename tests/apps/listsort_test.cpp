// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// listsort: all variants sort, at every length about the border of bubble sort and for every order of the
// numbers, and make exactly the tasks they say; the check finds what it should find.
#include "listsort/listsort.hpp"
#include "listsort/numbers.hpp"

#include <algorithm>
#include <numeric>

#include "support/workers.hpp"

namespace {

using namespace hocket::apps;

using numbers = std::vector<std::int32_t>;

numbers of_list(const list_cell* list) {
  numbers found;
  for (; list != nullptr; list = list->rest) found.push_back(list->first);
  return found;
}

numbers sorted(numbers of) {
  std::sort(of.begin(), of.end());
  return of;
}

std::vector<numbers> inputs() {
  std::vector<numbers> all;
  for (const std::size_t n : {0, 1, 2, 3, 9, 10, 11, 19, 20, 21, 22, 40, 41, 301, 1000}) {
    all.push_back(random_single_words(n, n + 1));
    numbers rising(n);
    std::iota(rising.begin(), rising.end(), -5);
    all.push_back(rising);
    all.emplace_back(rising.rbegin(), rising.rend());
    all.emplace_back(n, 7);
    for (std::size_t i = 0; i < n; ++i) rising[i] = static_cast<std::int32_t>(i % 3);
    all.push_back(rising);
  }
  return all;
}

TEST(listsort_parts_test, bubble_sort) {
  numbers order = {1, 2, 3, 4, 5, 5};
  do {
    number_list list(order);
    list_cell* const first = list.make();
    bubble_sort(first);
    EXPECT_EQ(of_list(first), sorted(order));
  } while (std::next_permutation(order.begin(), order.end()));
  bubble_sort(nullptr);
}

TEST(listsort_parts_test, split) {
  const numbers five = {1, 2, 3, 4, 5};
  for (std::size_t n = 1; n < five.size(); ++n) {
    number_list list(five);
    list_cell* const first = list.make();
    list_cell* const others = split_list(first, n);
    EXPECT_EQ(of_list(first).size(), n);
    EXPECT_EQ(of_list(others), numbers(five.begin() + static_cast<std::ptrdiff_t>(n), five.end()));
  }
}

TEST(listsort_parts_test, merge) {
  const std::pair<numbers, numbers> pairs[] = {
      {{}, {}}, {{1}, {}}, {{}, {1}}, {{1, 3, 5}, {2, 4}}, {{1}, {1, 1}}, {{1, 2}, {3, 4}}, {{3, 4}, {1, 2}}};
  for (const auto& [a, b] : pairs) {
    number_list one(a), other(b);
    numbers both = a;
    both.insert(both.end(), b.begin(), b.end());
    EXPECT_EQ(of_list(merge_lists(one.make(), other.make())), sorted(both));
  }
}

TEST(listsort_parts_test, tasks) {
  EXPECT_EQ(listsort_tasks(0, 0), 0u);
  EXPECT_EQ(listsort_tasks(10, 0), 0u);
  EXPECT_EQ(listsort_tasks(11, 0), 1u);
  EXPECT_EQ(listsort_tasks(1000, 0), 127u) << "some 128 in the paper";
  EXPECT_EQ(listsort_tasks(8000, 0), 1023u) << "1024 in the paper";
  EXPECT_EQ(listsort_tasks(8000, 300), 31u) << "fewer by a factor of 30";
  EXPECT_EQ(listsort_tasks(300, 300), 0u);
  EXPECT_EQ(listsort_tasks(301, 300), 1u);
}

TEST(listsort_parts_test, random_numbers_are_single_words) {
  const numbers made = random_single_words(10'000, 3);
  EXPECT_EQ(made, random_single_words(10'000, 3));
  EXPECT_NE(made, random_single_words(10'000, 4));
  for (const std::int32_t number : made) {
    EXPECT_LT(number, single_word_bound);
    EXPECT_GT(number, -single_word_bound);
  }
  EXPECT_LT(*std::min_element(made.begin(), made.end()), 0);
  EXPECT_GT(*std::max_element(made.begin(), made.end()), 0);
}

TEST(listsort_check_test, finds_what_is_wrong) {
  const numbers right = {4, 1, 2};
  const auto problem = [&](const numbers& found) {
    number_list of(right), other(found);
    const char* const what = of.problem_of(other.make());
    return std::string(what == nullptr ? "" : what);
  };
  EXPECT_EQ(problem({1, 2, 4}), "");
  EXPECT_EQ(problem({1, 4, 2}), "the list is not sorted");
  EXPECT_EQ(problem({1, 2, 4, 5}), "the list is longer than it was");
  for (const numbers& other : {numbers{1, 2}, {1, 2, 5}, {1, 1, 5}, {2, 2, 3}, {}})
    EXPECT_EQ(problem(other), "the sorted numbers are not those of the list");
}

TEST(listsort_check_test, ends_for_a_list_in_a_ring) {
  const numbers same = {3, 3};
  number_list list(same);
  list_cell* const first = list.make();
  first->rest->rest = first;
  EXPECT_STREQ(list.problem_of(first), "the list is longer than it was");
}

TEST(listsort_serial_test, sorts) {
  for (const numbers& input : inputs()) {
    number_list list(input);
    EXPECT_EQ(of_list(listsort_serial(list.make(), input.size())), sorted(input));
  }
}

class listsort_test : public hocket_test::on_workers {
 protected:
  void check(list_cell* (*sort)(list_cell*, std::size_t, std::size_t),
             std::uint64_t hocket::statistics::* counter) {
    for (const std::size_t cut : {std::size_t{0}, listsort_virtual_cut, listsort_real_cut}) {
      run([&] {
        for (const numbers& input : inputs()) {
          number_list list(input);
          const auto before = since(counter);
          const list_cell* const out = sort(list.make(), input.size(), cut);
          EXPECT_EQ(since(counter) - before, listsort_tasks(input.size(), cut));
          EXPECT_EQ(of_list(out), sorted(input));
          EXPECT_EQ(list.problem_of(out), nullptr);
        }
      });
    }
  }
};
HOCKET_ON_ALL_WORKERS(listsort_test);

TEST_P(listsort_test, virtual_tasks) { check(&listsort_virtual, &hocket::statistics::spawned); }
TEST_P(listsort_test, real_tasks) { check(&listsort_real, &hocket::statistics::started); }
TEST_P(listsort_test, structured) { check(&listsort_structured, &hocket::statistics::forked); }

}  // namespace
