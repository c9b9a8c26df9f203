// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fork_join and cobegin: results of every shape, run by the parent and run elsewhere.
#include "support/workers.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace {
using namespace hocket;

class fork_join_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(fork_join_test);

/// f waits for what g sets, so g runs on another stack at any number of workers; g's outcome is what `make`
/// returns.
template <class Make>
auto join_stolen(Make make) {
  event set;
  return fork_join([&] { set.wait(); },
                   [&] {
                     set.set();
                     return make();
                   })
      .second;
}

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

TEST_P(fork_join_test, returns_both_results) {
  run([] {
    auto [a, b] = fork_join([] { return 1; }, [] { return std::string("two"); });
    EXPECT_EQ(a, 1);
    EXPECT_EQ(b, "two");
  });
}

TEST_P(fork_join_test, void_becomes_unit) {
  run([] {
    int ran = 0;
    auto [a, b] = fork_join([&] { ran += 1; }, [] {});
    static_assert(std::is_same_v<decltype(a), unit> && std::is_same_v<decltype(b), unit>);
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(join_stolen([] {}), unit{});
  });
}

TEST_P(fork_join_test, results_that_only_move) {
  run([] {
    auto [a, b] = fork_join([] { return std::make_unique<int>(3); }, [] { return std::make_unique<int>(4); });
    EXPECT_EQ(*a + *b, 7);
    EXPECT_EQ(*join_stolen([] { return std::make_unique<int>(5); }), 5);
  });
}

TEST_P(fork_join_test, results_larger_than_a_slot) {
  using large = std::array<long, 100>;
  const auto make = [](long seed) {
    large l;
    for (std::size_t i = 0; i < l.size(); ++i) l[i] = seed + static_cast<long>(i);
    return l;
  };
  run([&] {
    auto [a, b] = fork_join([&] { return make(1); }, [&] { return make(1000); });
    EXPECT_EQ(a, make(1));
    EXPECT_EQ(b, make(1000));
    EXPECT_EQ(join_stolen([&] { return make(7); }), make(7));
    EXPECT_EQ(
        join_stolen([] { return std::vector<std::string>(20, "a string that does not fit its object"); }),
        std::vector<std::string>(20, "a string that does not fit its object"));
  });
}

struct alignas(64) aligned_result {
  long value;
  const void* where_made;
};

TEST_P(fork_join_test, results_that_ask_for_alignment) {
  run([] {
    const auto r = join_stolen([] { return aligned_result{9, nullptr}; });
    EXPECT_EQ(r.value, 9);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&r) % 64, 0u);
  });
}

TEST_P(fork_join_test, closures_of_any_size) {
  run([] {
    std::array<long, 64> many{};
    many.fill(2);
    const auto owner = std::make_unique<long>(5);
    auto shared = std::make_shared<long>(11);
    const auto sum = [many, shared] {
      long n = *shared;
      for (const long x : many) n += x;
      return n;
    };
    auto [a, b] = fork_join(sum, sum);
    EXPECT_EQ(a, 139);
    EXPECT_EQ(b, 139);
    EXPECT_EQ(join_stolen(sum), 139);
    EXPECT_EQ(join_stolen([&owner] { return *owner; }), 5);
    EXPECT_EQ(shared.use_count(), 2) << "shared and the copy in sum";
  });
}

TEST_P(fork_join_test, closures_keep_their_changes_when_referred_to) {
  run([] {
    std::vector<int> changed;
    event set;
    auto g = [&, mine = std::vector<int>{}]() mutable {
      set.set();
      mine.push_back(1);
      changed = mine;
    };
    fork_join([&] { set.wait(); }, g);
    fork_join([] {}, g);
    EXPECT_EQ(changed.size(), 2u) << "the same closure object both times, stolen and not";
  });
}

TEST_P(fork_join_test, nests) {
  run([] { EXPECT_EQ(fib(20), 6765); });
  EXPECT_EQ(since(&statistics::forked), 10945u);
}

TEST_P(fork_join_test, what_g_wrote_is_visible_after) {
  run([] {
    for (int i = 0; i < 1000; ++i) {
      long a = 0, b = 0;
      fork_join([&] { a = i; }, [&] { b = i; });
      ASSERT_EQ(a + b, 2 * i);
    }
  });
}

TEST_P(fork_join_test, cobegin_runs_all) {
  run([] {
    std::atomic<int> ran{0};
    cobegin([&] { ran += 1; });
    EXPECT_EQ(ran, 1);
    cobegin([&] { ran += 1; }, [&] { ran += 10; });
    EXPECT_EQ(ran, 12);
    cobegin([&] { ran += 1; }, [&] { ran += 10; }, [&] { ran += 100; }, [&] { ran += 1000; },
            [&] { ran += 10000; });
    EXPECT_EQ(ran, 11123);
  });
}

TEST_P(fork_join_test, cobegin_children_wait_for_each_other_both_ways) {
  run([] {
    event a, b, c;
    cobegin([&] { b.wait(), a.set(); }, [&] { c.wait(), b.set(); }, [&] { c.set(), a.wait(); });
    EXPECT_TRUE(a.ready() && b.ready() && c.ready());
  });
}

/// Recursion through many segments of the deque; the stack holds a thousand frames.
long deep(long depth) {
  if (depth == 0) return 0;
  auto [below, one] = fork_join([depth] { return deep(depth - 1); }, [] { return 1L; });
  return below + one;
}

TEST_P(fork_join_test, deep_nesting_grows_the_deque) {
  options o;
  o.stack_size = std::size_t{4} << 20;
  run(
      [] {
        for (const long depth : {200L, 201L, 202L, 203L, 404L, 1000L, 3L, 1000L})
          EXPECT_EQ(deep(depth), depth);
      },
      o);
}

TEST_P(fork_join_test, deep_nesting_with_a_wait_at_the_bottom) {
  options o;
  o.stack_size = std::size_t{4} << 20;
  run(
      [] {
        struct recursion {
          event& last;
          long down(long depth) {
            if (depth == 0) {
              last.wait();  // set by the child forked first
              return 0;
            }
            auto [below, one] = fork_join([this, depth] { return down(depth - 1); },
                                          [this, depth] {
                                            if (depth == 1000) last.set();
                                            return 1L;
                                          });
            return below + one;
          }
        };
        event last;
        EXPECT_EQ(recursion{last}.down(1000), 1000);
      },
      o);
}

TEST(fork_join_outside, a_thread_that_is_no_task_is_told) {
  try {
    fork_join([] {}, [] {});
    ADD_FAILURE() << "no exception";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::not_a_task);
  }
  EXPECT_THROW(cobegin([] {}, [] {}), error);
  run(options{.workers = 2}, [] {
    std::thread foreign([] { EXPECT_THROW(fork_join([] {}, [] {}), error); });
    foreign.join();
  });
}

}  // namespace
