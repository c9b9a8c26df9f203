// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// barrier: nobody passes before all have arrived, phase after phase, of any size; the completion runs once
// between; who waits may give up, but has arrived.
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include "support/errors.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace {
using namespace hocket;
using namespace std::chrono_literals;

class barrier_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(barrier_test);

/// Whether it ended by being stopped; to be asked by one that may be stopped too.
template <class T>
bool was_cancelled(task<T>& t) {
  const stop_shield shield;
  try {
    t.get();
  } catch (const cancelled&) {
    return true;
  }
  return false;
}
void await_suspended(std::size_t n) {
  while (tasks_by_state().suspended != n) this_task::yield();
}

TEST_P(barrier_test, of_one_and_of_the_most) {
  run([] {
    hocket_test::everywhere([] {
      int phases = 0;
      const auto count = [&]() noexcept { ++phases; };
      for (const std::ptrdiff_t n : {std::ptrdiff_t{1}, std::ptrdiff_t{2}, barrier<>::max()}) {
        barrier plain(n);
        barrier counting(n, count);
        phases = 0;
        for (int i = 0; i < 5; ++i) {
          plain.wait(plain.arrive(n));
          counting.wait(counting.arrive(n));
          const auto half = plain.arrive((n + 1) / 2);
          EXPECT_EQ(plain.wait_for(half, 0s), n == 1);
          EXPECT_EQ(plain.wait_for(half, 1us), n == 1);
          if (n != 1) static_cast<void>(plain.arrive(n - (n + 1) / 2));
          EXPECT_TRUE(plain.wait_for(half, 0s));
          EXPECT_TRUE(plain.wait_until(half, std::chrono::system_clock::now()));
          plain.wait(half);
        }
        EXPECT_EQ(phases, 5);
      }
      barrier alone(1);
      for (int i = 0; i < 5; ++i) alone.arrive_and_wait();
    });
  });
}

TEST_P(barrier_test, refuses_counts_that_cannot_be) {
  run([] {
    hocket_test::everywhere([] {
      const auto refused = [](auto f) { EXPECT_EQ(hocket_test::code_of(f), errc::misuse); };
      const auto arrives = [](auto& b, std::ptrdiff_t n) {
        return [&b, n] { static_cast<void>(b.arrive(n)); };
      };
      refused([] { barrier b(-1); });
      refused([] { barrier b(barrier<>::max() + 1); });
      barrier none(0), two(2);
      refused(arrives(none, 1));
      refused(arrives(none, 0));
      refused([&] { none.arrive_and_wait(); });
      refused([&] { none.arrive_and_drop(); });
      for (const std::ptrdiff_t n : {std::ptrdiff_t{-1}, std::ptrdiff_t{0}, std::ptrdiff_t{3},
                                     barrier<>::max(), barrier<>::max() + 1}) {
        refused(arrives(two, n));
      }
      const auto first = two.arrive();
      refused(arrives(two, 2));
      EXPECT_FALSE(two.wait_for(first, 0s));
      two.arrive_and_wait();
      EXPECT_TRUE(two.wait_for(first, 0s));
    });
  });
}

/// n tasks, and so many threads, in step: each sees in each phase what all have done in the one before.
void in_step(std::size_t tasks, std::size_t threads, long phases, bool limited) {
  const std::size_t n = tasks + threads;
  std::vector<std::atomic<long>> at(n);
  std::atomic<long> wrong{0};
  long completed = 0;
  barrier b(static_cast<std::ptrdiff_t>(n), [&]() noexcept {
    for (auto& a : at) wrong += a.load(std::memory_order_relaxed) != completed;
    ++completed;
  });
  const auto work = [&](std::size_t own) {
    for (long i = 0; i < phases; ++i) {
      at[own].store(i, std::memory_order_relaxed);
      if (limited && (own + static_cast<std::size_t>(i)) % 3 == 0) {
        const auto arrived = b.arrive();
        while (!b.wait_for(arrived, 3us)) {
        }
      } else {
        b.arrive_and_wait();
      }
      wrong += completed != i + 1;
    }
  };
  std::vector<task<void>> all;
  for (std::size_t i = 0; i < tasks; ++i) all.push_back(start([&, i] { work(i); }));
  std::vector<std::thread> foreign;
  for (std::size_t i = tasks; i < n; ++i) foreign.emplace_back([&, i] { work(i); });
  for (auto& t : all) t.get();
  for (auto& t : foreign) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(completed, phases);
}

TEST_P(barrier_test, tasks_in_step) {
  run([] {
    for (const std::size_t n : {1u, 2u, 3u, 10u, 100u}) in_step(n, 0, hocket_test::sized(200, 30), false);
  });
}
TEST_P(barrier_test, tasks_in_step_with_threads_and_limits) {
  run([] {
    in_step(5, 0, hocket_test::sized(300, 30), true);
    in_step(6, 2, hocket_test::sized(100, 20), false);
    in_step(3, 2, hocket_test::sized(100, 20), true);
  });
}
TEST_P(barrier_test, outside_a_run_threads_use_it_too) { in_step(0, 3, 50, false); }

TEST_P(barrier_test, those_who_drop_out_are_not_waited_for) {
  run([] {
    constexpr int n = 20;
    int phases = 0;
    barrier b(n, [&]() noexcept { ++phases; });
    std::vector<task<void>> all;
    for (int i = 0; i < n; ++i) {
      all.push_back(start([&, i] {
        for (int k = 0; k < i; ++k) b.arrive_and_wait();
        b.arrive_and_drop();
      }));
    }
    for (auto& t : all) t.get();
    EXPECT_EQ(phases, n);
    EXPECT_EQ(hocket_test::code_of([&] { b.arrive_and_wait(); }), errc::misuse);
  });
}

TEST_P(barrier_test, who_gives_up_or_is_stopped_has_arrived) {
  run([] {
    barrier b(3);
    auto late = start([&] { EXPECT_FALSE(b.wait_for(b.arrive(), 100us)); });
    late.get();
    {
      stop_scope scope;
      auto stopped = start([&] { b.arrive_and_wait(); });
      await_suspended(1);
      scope.request_stop();
      EXPECT_TRUE(was_cancelled(stopped));
    }
    auto waiting = start([&] { b.arrive_and_wait(); });
    waiting.get();  // the third
    stop_scope scope;
    scope.request_stop();
    EXPECT_THROW(b.arrive_and_wait(), cancelled);
    b.wait(b.arrive(2));  // over: no wait
  });
}

TEST_P(barrier_test, passed_and_stopped_or_out_of_time_at_one_moment) {
  run([] {
    std::mt19937 random(8);
    barrier b(4);
    for (long i = 0; i < hocket_test::sized(1000, 120); ++i) {
      stop_scope scope;
      std::vector<task<void>> all;
      std::atomic<unsigned> arrived{0};
      for (unsigned k = 0; k < 3; ++k) {
        all.push_back(start([&, k, d = random() % 30] {
          const auto t = b.arrive();
          ++arrived;
          if (k == 0) b.wait(t);
          if (k != 0) b.wait_for(t, std::chrono::microseconds(d));
        }));
      }
      while (arrived != 3) this_task::yield();
      if (i % 2 == 0) scope.request_stop();
      b.wait(b.arrive());
      const stop_shield shield;
      for (auto& t : all) t.wait();
    }
  });
}

TEST_P(barrier_test, the_completion_may_wait) {
  run([] {
    mutex m;
    int sum = 0;
    barrier b(8, [&]() noexcept {
      this_task::yield();
      this_task::sleep_for(1us);
      const std::lock_guard hold(m);
      ++sum;
    });
    std::vector<task<void>> all;
    for (int i = 0; i < 8; ++i) {
      all.push_back(start([&] {
        for (int k = 1; k <= 20; ++k) {
          b.arrive_and_wait();
          const std::lock_guard hold(m);
          EXPECT_GE(sum, k);
        }
      }));
    }
    for (auto& t : all) t.get();
    EXPECT_EQ(sum, 20);
  });
}

TEST_P(barrier_test, the_last_one_that_has_passed_may_destroy_it) {
  run([] {
    const auto once = [](auto arrive, int how) {
      auto b = std::make_unique<barrier<>>(2);
      auto other = arrive(b.get());
      const auto t = b->arrive();
      if (how == 0) b->wait(t);
      if (how == 1) {
        EXPECT_TRUE(b->wait_for(t, 24h));
      }
      if (how == 2)
        while (!b->wait_for(t, 1us)) {
        }
      b.reset();  // the other's arrive() may still be on its way out
      return other;
    };
    for (int i = 0; i < hocket_test::sized(2000, 300); ++i)
      once([](barrier<>* b) { return start([b] { static_cast<void>(b->arrive()); }); }, i % 3).wait();
    for (int i = 0; i < hocket_test::sized(100, 30); ++i)
      once([](barrier<>* b) { return std::thread([b] { static_cast<void>(b->arrive()); }); }, i % 3).join();
    for (int i = 0; i < hocket_test::sized(100, 30); ++i) {
      hocket_test::on_a_thread([&] {
        once([](barrier<>* b) { return start([b] { static_cast<void>(b->arrive()); }); }, i % 3).wait();
      });
    }
  });
}

}  // namespace
