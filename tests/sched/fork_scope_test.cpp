// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fork_scope: loops of children around the sizes of a deque's segment (201 children fill one), closures of
// every kind.
#include "support/workers.hpp"

#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
using namespace hocket;

class fork_scope_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(fork_scope_test);

constexpr long sizes[] = {0, 1, 2, 200, 201, 202, 203, 402, 403, 404, 1000, 100'000};

TEST_P(fork_scope_test, every_child_runs_once_and_gives_its_result) {
  run([] {
    for (const long n : sizes) {
      std::vector<std::atomic<unsigned char>> runs(static_cast<std::size_t>(n));
      const auto child = [&runs](long i) {
        return [&runs, i] {
          ++runs[static_cast<std::size_t>(i)];
          return i;
        };
      };
      fork_scope<decltype(child(0))> scope;
      for (long i = 0; i < n; ++i) scope.fork(child(i));
      long sum = 0;
      long expected = n;
      bool last_first = true;
      scope.join([&](long i) {
        sum += i;
        last_first = last_first && i == --expected;
      });
      EXPECT_EQ(sum, n * (n - 1) / 2);
      EXPECT_TRUE(last_first);
      for (const auto& r : runs) ASSERT_EQ(r, 1);
    }
  });
}

TEST_P(fork_scope_test, may_be_used_again_after_join) {
  run([] {
    std::atomic<int> ran{0};
    const auto child = [&ran] { ++ran; };
    fork_scope<decltype(child)> scope;
    scope.join();
    for (int round = 0; round < 5; ++round) {
      for (int i = 0; i < 250; ++i) scope.fork(child);
      scope.join();
    }
    scope.join();
    EXPECT_EQ(ran, 1250);
  });
}

struct counted_closure {
  static inline std::atomic<long> live{0};
  std::atomic<long>* ran;
  bool throws = false;
  std::string text = "a closure with a string that is long enough for the heap";

  explicit counted_closure(std::atomic<long>* r, bool t = false) : ran(r), throws(t) { ++live; }
  counted_closure(const counted_closure& o) : ran(o.ran), throws(o.throws), text(o.text) { ++live; }
  counted_closure(counted_closure&& o) noexcept : ran(o.ran), throws(o.throws), text(std::move(o.text)) {
    ++live;
  }
  ~counted_closure() { --live; }
  std::string operator()() const {
    ++*ran;
    if (throws) throw std::runtime_error(text);
    return text;
  }
};

TEST_P(fork_scope_test, closures_with_destructors_do_not_leak) {
  run([] {
    for (const long n : {0L, 1L, 201L, 202L, 403L, 5000L}) {
      std::atomic<long> ran{0};
      long results = 0;
      {
        fork_scope<counted_closure> scope;
        for (long i = 0; i < n; ++i) scope.fork(counted_closure(&ran));
        scope.join([&](const std::string& s) { results += s.starts_with("a closure"); });
      }
      EXPECT_EQ(ran, n);
      EXPECT_EQ(results, n);
      EXPECT_EQ(counted_closure::live, 0);
    }
  });
}

TEST_P(fork_scope_test, exceptions_leave_no_closure_behind) {
  run([] {
    std::atomic<long> ran{0};
    long consumed = 0;
    {
      fork_scope<counted_closure> scope;
      for (long i = 0; i < 500; ++i) scope.fork(counted_closure(&ran, i % 3 == 0));
      EXPECT_THROW(scope.join([&](const std::string&) { ++consumed; }), std::runtime_error);
    }
    EXPECT_EQ(ran, 500);
    EXPECT_EQ(consumed, 333);
    EXPECT_EQ(counted_closure::live, 0);
  });
}

TEST_P(fork_scope_test, the_exception_of_the_earliest_child_comes_out) {
  run([] {
    for (const int n : {1, 201, 202, 450}) {
      for (const int first : {0, n / 2, n - 1}) {
        const auto child = [first](int i) {
          return [first, i] {
            if (i >= first) throw i;
            return i;
          };
        };
        fork_scope<decltype(child(0))> scope;
        for (int i = 0; i < n; ++i) scope.fork(child(i));
        try {
          scope.join();
          ADD_FAILURE() << "no exception";
        } catch (int i) {
          EXPECT_EQ(i, first);
        }
      }
    }
  });
}

TEST_P(fork_scope_test, an_exception_of_the_consumer_comes_out_after_all_have_ended) {
  run([] {
    std::atomic<int> ran{0};
    const auto child = [&ran] { return ++ran; };
    fork_scope<decltype(child)> scope;
    for (int i = 0; i < 300; ++i) scope.fork(child);
    EXPECT_THROW(scope.join([](int) { throw std::runtime_error("consumer"); }), std::runtime_error);
    EXPECT_EQ(ran, 300);
  });
}

TEST_P(fork_scope_test, the_destructor_joins) {
  run([] {
    std::atomic<int> ran{0};
    const auto child = [&ran](bool bad) {
      return [&ran, bad] {
        ++ran;
        if (bad) throw std::runtime_error("dropped");
      };
    };
    {
      fork_scope<decltype(child(true))> scope;
      for (int i = 0; i < 250; ++i) scope.fork(child(i == 100));
    }
    EXPECT_EQ(ran, 250);
    EXPECT_THROW(
        {
          fork_scope<decltype(child(true))> scope;
          for (int i = 0; i < 250; ++i) scope.fork(child(false));
          throw std::runtime_error("unwinds the scope");
        },
        std::runtime_error);
    EXPECT_EQ(ran, 500);
  });
}

/// A tree whose nodes have more or fewer children than a segment has slots, scopes within scopes.
long nodes(int depth, int width) {
  if (depth == 0) return 1;
  const auto child = [depth, width] { return nodes(depth - 1, width); };
  fork_scope<decltype(child)> scope;
  for (int i = 0; i < width; ++i) scope.fork(child);
  long sum = 1;
  scope.join([&](long n) { sum += n; });
  return sum;
}

TEST_P(fork_scope_test, nests) {
  run([] {
    EXPECT_EQ(nodes(2, 210), 1 + 210 + 210 * 210);
    EXPECT_EQ(nodes(5, 7), 1 + 7 + 49 + 343 + 2401 + 16807);
  });
}

TEST_P(fork_scope_test, forks_in_between_and_while_consuming) {
  run([] {
    const auto child = [] { return 1L; };
    const auto pair = [] {
      auto [a, b] = fork_join([] { return 1L; }, [] { return 1L; });
      return a + b;
    };
    long sum = 0;
    fork_scope<decltype(child)> outer;
    for (int i = 0; i < 450; ++i) {
      outer.fork(child);
      sum += pair();
      if (i % 100 == 0) sum += nodes(1, 205);
    }
    outer.join([&](long n) { sum += n + pair(); });
    EXPECT_EQ(sum, 450 * 5 + 5 * 206);
  });
}

TEST(fork_scope_outside, a_thread_that_is_no_task_is_told) {
  std::atomic<long> ran{0};
  fork_scope<counted_closure> scope;
  try {
    scope.fork(counted_closure(&ran));
    ADD_FAILURE() << "no exception";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::not_a_task);
  }
  scope.join();
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(counted_closure::live, 0);
}

}  // namespace
