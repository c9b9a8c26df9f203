// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// quicksort of numbers: every size, depth and kind of input comes out as from std::sort; elements are counted
// once.
#include "quicksort/quicksort.hpp"

#include "quicksort/sort_numbers.hpp"
#include "support/workers.hpp"

#include <atomic>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace hocket::apps;
using numbers = std::vector<std::uint32_t>;

class quicksort_test : public hocket_test::on_workers {
 protected:
  // std::sort, the oracle, takes some 2 KB a level under AddressSanitizer.
  template <class F>
  void run(F f) {
    on_workers::run(f, {.stack_size = static_cast<std::size_t>(hocket_test::sized(0, 1 << 20))});
  }
};
HOCKET_ON_ALL_WORKERS(quicksort_test);

struct input_kind {
  const char* name;
  std::uint32_t (*at)(std::size_t i, std::size_t n, std::mt19937& random);
};
const input_kind kinds[] = {
    {"random",
     [](std::size_t, std::size_t, std::mt19937& random) { return static_cast<std::uint32_t>(random()); }},
    {"ascending", [](std::size_t i, std::size_t, std::mt19937&) { return static_cast<std::uint32_t>(i); }},
    {"descending",
     [](std::size_t i, std::size_t n, std::mt19937&) { return static_cast<std::uint32_t>(n - i); }},
    {"all equal", [](std::size_t, std::size_t, std::mt19937&) { return 7u; }},
    {"all least", [](std::size_t, std::size_t, std::mt19937&) { return 0u; }},
    {"all greatest",
     [](std::size_t, std::size_t, std::mt19937&) { return std::numeric_limits<std::uint32_t>::max(); }},
    {"two values",
     [](std::size_t, std::size_t, std::mt19937& random) { return static_cast<std::uint32_t>(random() & 1); }},
    {"few values", [](std::size_t, std::size_t,
                      std::mt19937& random) { return static_cast<std::uint32_t>(random() % 10); }},
    {"saw", [](std::size_t i, std::size_t, std::mt19937&) { return static_cast<std::uint32_t>(i % 100); }},
    {"up and down", [](std::size_t i, std::size_t n,
                       std::mt19937&) { return static_cast<std::uint32_t>(std::min(i, n - i)); }},
};

numbers make(const input_kind& kind, std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  numbers made(n);
  for (std::size_t i = 0; i < n; ++i) made[i] = kind.at(i, n, random);
  return made;
}

// A count like progress_bar's, to look at.
struct counter {
  static constexpr bool counts = true;
  std::atomic<std::size_t> placed{0};
  void add(std::size_t n) { placed += n; }
};

TEST_P(quicksort_test, sorts_every_kind_and_size_at_every_depth) {
  run([] {
    for (const input_kind& kind : kinds)
      for (const std::size_t n : {0, 1, 2, 3, 24, 25, 127, 128, 513, 5000, 20000}) {
        const numbers made = make(kind, n);
        numbers right = made;
        std::sort(right.begin(), right.end());
        for (const quicksort_limits& limits :
             {quicksort_limits::for_size(n), quicksort_limits::of_depth(0), quicksort_limits::of_depth(1),
              quicksort_limits::of_depth(1000), quicksort_limits::never_serialise()}) {
          numbers sorted = made;
          quicksort(sorted.data(), sorted.data() + n, limits);
          ASSERT_EQ(sorted, right) << kind.name << ", " << n << " numbers, depth " << limits.depth;
        }
      }
  });
}

TEST_P(quicksort_test, counts_every_element_once) {
  run([] {
    for (const input_kind& kind : kinds)
      for (const std::size_t n : {0, 1, 4096, 4097, 20000})
        for (const quicksort_limits& limits :
             {quicksort_limits::for_size(n), quicksort_limits::never_serialise()}) {
          numbers sorted = make(kind, n);
          counter placed;
          quicksort(sorted.data(), sorted.data() + n, limits, placed);
          EXPECT_EQ(placed.placed, n) << kind.name;
          EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end())) << kind.name;
        }
  });
}

TEST_P(quicksort_test, forks_as_the_limits_say) {
  const auto forks_of = [this](quicksort_limits limits) {
    const auto before = since(&hocket::statistics::forked);
    run([&] {
      numbers sorted = make(kinds[0], 4096);
      quicksort(sorted.data(), sorted.data() + 4096, limits);
    });
    return since(&hocket::statistics::forked) - before;
  };
  EXPECT_EQ(forks_of(quicksort_limits::of_depth(0)), 0u);
  EXPECT_EQ(forks_of(quicksort_limits::of_depth(1)), 1u);
  EXPECT_EQ(forks_of(quicksort_limits::of_depth(2)), 3u);
  EXPECT_GT(forks_of(quicksort_limits::never_serialise()), 2000u) << "about as many as elements";
}

TEST(quicksort_serial_test, goes_on_when_all_pivots_are_bad) {
  for (const input_kind& kind : kinds)
    for (const int levels : {0, 1, 2}) {
      numbers sorted = make(kind, 5000);
      numbers right = sorted;
      std::sort(right.begin(), right.end());
      quicksort_serial(sorted.data(), sorted.data() + sorted.size(), levels);
      EXPECT_EQ(sorted, right) << kind.name << ", " << levels << " levels";
    }
}

TEST(quicksort_partition_test, neither_side_is_the_whole) {
  for (const input_kind& kind : kinds)
    for (const std::size_t n : {1, 2, 3, 10, 127, 128, 1000}) {
      numbers made = make(kind, n);
      const auto [left_end, right] = quicksort_partition(made.data(), made.data() + n);
      EXPECT_LT(left_end, made.data() + n) << kind.name << ' ' << n;
      EXPECT_GT(right, made.data()) << kind.name << ' ' << n;
      const std::uint32_t most = left_end == made.data() ? 0 : *std::max_element(made.data(), left_end);
      for (std::uint32_t* here = left_end; here != made.data() + n; ++here)
        ASSERT_GE(*here, most) << kind.name;
    }
}

TEST_P(quicksort_test, numbers_depend_on_seed_and_place_alone) {
  run([] {
    constexpr std::size_t n = 3 * numbers_at_once + 5;
    numbers first(n);
    numbers shorter(1000);
    numbers other(n);
    const multiset_digest digest = generate_numbers(first.data(), n, 1);
    generate_numbers(shorter.data(), shorter.size(), 1);
    generate_numbers(other.data(), n, 2);
    EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), first.begin()));
    EXPECT_NE(first, other);
    EXPECT_EQ(digest.count, n);
    EXPECT_EQ(digest_of(first.data(), n), digest);
    EXPECT_FALSE(digest_of(other.data(), n) == digest);
  });
}

TEST_P(quicksort_test, the_check_of_the_result_finds_what_is_wrong) {
  run([] {
    numbers some = make(kinds[0], 200'000);
    const multiset_digest digest = digest_of(some.data(), some.size());
    std::sort(some.begin(), some.end());
    EXPECT_EQ(count_descents(some.data(), some.size()), 0u);
    EXPECT_EQ(digest_of(some.data(), some.size()), digest);
    std::swap(some[65535], some[65536]);  // across the border of two pieces
    EXPECT_EQ(count_descents(some.data(), some.size()), 1u);
    EXPECT_EQ(digest_of(some.data(), some.size()), digest);
    some[3] += 1;
    some[4] -= 1;  // the same sum
    EXPECT_FALSE(digest_of(some.data(), some.size()) == digest);
    EXPECT_EQ(count_descents(some.data(), 0), 0u);
    EXPECT_EQ(count_descents(some.data(), 1), 0u);
  });
}

}  // namespace
