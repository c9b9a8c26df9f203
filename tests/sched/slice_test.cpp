// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Time slices: with the option `slice` a task that computes and never waits lets others run, at its forks and
// checks; without it does not.
#include "support/workers.hpp"

#include <atomic>
#include <chrono>
#include <vector>

namespace {
using namespace hocket;

class slice_test : public hocket_test::on_workers {
 protected:
  options sliced() const {
    options o = with_workers();
    o.slice = 1000;
    return o;
  }
};
HOCKET_ON_ALL_WORKERS(slice_test);

long fib(int n) {
  if (n < 2) return n;
  auto [a, b] = fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

/// Computes until the flag is set, which another task does: so it ends only if that one gets its turn.
template <class Step>
void compute_until(const std::atomic<bool>& flag, Step step) {
  while (!flag) step();
}

TEST_P(slice_test, a_fork_join_computation_lets_a_started_task_run) {
  hocket::run(sliced(), [] {
    std::atomic<bool> acted{false};
    auto other = start([&] { acted = true; });
    compute_until(acted, [] { EXPECT_EQ(fib(10), 55); });
    other.wait();
  });
  if (workers() == 1) {
    EXPECT_GT(since(&statistics::slices), 0u);
  }
}

TEST_P(slice_test, and_a_spawned_one_and_one_of_each_level) {
  hocket::run(sliced(), [] {
    for (const priority p : {priority::low, priority::normal, priority::high}) {
      for (const bool real : {false, true}) {
        std::atomic<bool> acted{false};
        const auto act = [&] { acted = true; };
        auto other = real ? start({.priority = p}, act) : spawn({.priority = p}, act);
        compute_until(acted, [] { fib(8); });
        other.wait();
      }
    }
  });
}

TEST_P(slice_test, check_is_a_place_to_yield) {
  hocket::run(sliced(), [] {
    std::atomic<bool> acted{false};
    auto other = start([&] { acted = true; });
    compute_until(acted, [] { this_task::check(); });
    other.wait();
  });
}

TEST_P(slice_test, a_fork_scope_and_a_cobegin_are_places_to_yield) {
  hocket::run(sliced(), [] {
    for (const bool scope : {false, true}) {
      std::atomic<bool> acted{false};
      std::atomic<long> ran{0};
      auto other = start([&] { acted = true; });
      compute_until(acted, [&] {
        if (scope) {
          const auto child = [&ran] { ++ran; };
          fork_scope<decltype(child)> children;
          for (int i = 0; i < 20; ++i) children.fork(child);
          children.join();
        } else {
          cobegin([&] { ++ran; }, [&] { ++ran; }, [&] { ++ran; });
        }
      });
      other.wait();
    }
  });
}

TEST_P(slice_test, several_that_compute_take_turns) {
  hocket::run(sliced(), [] {
    // Each goes on until the next one has begun; the last lets the first go on.
    std::vector<std::atomic<bool>> begun(2 * 64 + 2);
    std::vector<task<void>> all;
    const std::size_t n = 6;
    for (std::size_t i = 0; i < n; ++i) {
      all.push_back(start([&, i] {
        begun[i] = true;
        compute_until(begun[(i + 1) % n], [] { fib(8); });
      }));
    }
    wait_all(all);
  });
}

TEST_P(slice_test, what_is_computed_stays_right) {
  hocket::run(sliced(), [] {
    std::vector<task<long>> all;
    for (int i = 0; i < 8; ++i)
      all.push_back(start([] { return fib(static_cast<int>(hocket_test::sized(22, 15))); }));
    for (auto& t : all) EXPECT_EQ(t.get(), hocket_test::sized(17711, 610));
  });
}

TEST_P(slice_test, without_the_option_nothing_is_interrupted) {
  std::atomic<bool> acted{false};
  bool before_end = true;
  run([&] {
    auto other = start([&] { acted = true; });
    for (int i = 0; i < 200; ++i) fib(10), this_task::check();
    before_end = acted;
    other.wait();
  });
  EXPECT_FALSE(workers() == 1 && before_end);
  EXPECT_EQ(since(&statistics::slices), 0u);
}

TEST_P(slice_test, workers_that_sleep_are_left_alone_and_it_goes_on_when_they_wake) {
  hocket::run(sliced(), [] {
    this_task::sleep_for(std::chrono::milliseconds(5));  // all sleep: the ticker stands
    std::atomic<bool> acted{false};
    auto other = start([&] { acted = true; });
    compute_until(acted, [] { fib(8); });
    other.wait();
  });
}

}  // namespace
