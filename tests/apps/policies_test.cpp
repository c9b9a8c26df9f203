// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// policies: each gives the formula's result, and makes real tasks by its own rule: counted exactly where one
// worker makes the order certain.
#include "policies/policies.hpp"
#include "policies/problems.hpp"

#include <atomic>

#include "support/workers.hpp"

namespace {

using namespace hocket::apps;

constexpr std::uint64_t lengths[] = {0, 1, 2, 200};
constexpr int depths[] = {0, 1, 2, 8};

// g of the linear recursion, or a leaf of the tree: counts itself.
struct counting {
  std::atomic<std::uint64_t>* calls;
  void operator()() const { calls->fetch_add(1, std::memory_order_relaxed); }
};

TEST(policies_formula_test, linear) {
  EXPECT_EQ(linear_value(0), 0u);
  EXPECT_EQ(linear_value(1), 1u);
  EXPECT_EQ(linear_value(3), 1u + 3u + 5u);
  EXPECT_EQ(linear_value(linear_longest), 1'000'000'000'000u);
}

TEST(policies_formula_test, tree) {
  EXPECT_EQ(tree_value(0), 1u);
  EXPECT_EQ(tree_forks(0), 0u);
  EXPECT_EQ(tree_forks(1), 2u);
  EXPECT_EQ(tree_forks(2), 6u);
  EXPECT_EQ(tree_forks(20), 2097150u);
}

class policies_test : public hocket_test::on_workers {
 protected:
  template <class Policy>
  void check(Policy& policy) {
    const hocket::task_attributes deep{.stack_size = std::size_t{1} << 20};
    for (const std::uint64_t n : lengths) {
      std::atomic<std::uint64_t> calls{0};
      const auto root = hocket::start(deep, [&] { return linear(policy, n, counting{&calls}); });
      EXPECT_EQ(root.get(), linear_value(n)) << n;
      EXPECT_EQ(calls.load(), n);
    }
    for (const int depth : depths) {
      std::atomic<std::uint64_t> leaves{0};
      EXPECT_EQ(tree(policy, depth, counting{&leaves}), tree_value(depth)) << depth;
      EXPECT_EQ(leaves.load(), tree_value(depth));
    }
  }
  static std::uint64_t forks() {
    std::uint64_t sum = 0;
    for (const std::uint64_t n : lengths) sum += linear_forks(n);
    for (const int depth : depths) sum += tree_forks(depth);
    return sum;
  }
};
HOCKET_ON_ALL_WORKERS(policies_test);

TEST_P(policies_test, virtual_tasks) {
  run([&] {
    virtual_tasks policy;
    const auto before = since(&hocket::statistics::spawned);
    check(policy);
    EXPECT_EQ(since(&hocket::statistics::spawned) - before, forks());
  });
}

TEST_P(policies_test, real_tasks) {
  run([&] {
    real_tasks policy;
    const auto before = since(&hocket::statistics::started);
    check(policy);
    EXPECT_EQ(since(&hocket::statistics::started) - before, forks() + std::size(lengths)) << "and the roots";
  });
}

TEST_P(policies_test, load_inlining) {
  for (const std::uint64_t threshold : {1u, 2u, 8u, 1000u}) {
    run([&] {
      load_inlining policy(threshold);
      check(policy);
      EXPECT_EQ(policy.reals().now(), 1u) << "only the root is left";
      if (threshold == 1) {
        EXPECT_EQ(policy.reals().ever(), 1u);
      }
      EXPECT_LE(policy.reals().most(), threshold + workers())
          << "each worker may have looked at the same moment";
    });
  }
}

TEST_P(policies_test, sthreads) {
  for (const std::uint64_t threshold : {1u, 2u, 8u, 1000u}) {
    run([&] {
      sthreads policy(threshold);
      check(policy);
      EXPECT_EQ(policy.reals().now(), 1u) << "only the root is left";
      if (threshold == 1) {
        EXPECT_EQ(policy.reals().ever(), 1u) << "the root is always active, but when it waits";
      }
    });
  }
}

TEST_P(policies_test, sthreads_with_a_periodic_check) {
  run([&] {
    sthreads policy(2);
    hocket::event over;
    const auto watch = hocket::start([&] { policy.watch_load(std::chrono::microseconds(50), over); });
    check(policy);
    over.set();
    watch.wait();
  });
}

// --- one worker: which task runs when is certain

hocket::options one_worker() {
  hocket::options o;
  o.workers = 1;
  return o;
}

// The linear recursion with something to do when all is forked, and nothing joined.
template <class Policy, class Bottom>
std::uint64_t linear_with_bottom(Policy& policy, std::uint64_t x, std::atomic<std::uint64_t>& calls,
                                 const Bottom& bottom) {
  if (x == 0) {
    bottom();
    return 0;
  }
  auto g = policy.fork([x, &calls] {
    calls.fetch_add(1, std::memory_order_relaxed);
    return 2 * x - 1;
  });
  const std::uint64_t rest = linear_with_bottom(policy, x - 1, calls, bottom);
  return g.join() + rest;
}

// Each g in a real task of its own: while others run, each that ends makes the next one real.
TEST(policies_on_one_worker_test, sthreads_make_as_many_real_tasks_as_calls) {
  constexpr std::uint64_t n = 100;
  hocket::run(one_worker(), [&] {
    sthreads policy(2);
    std::atomic<std::uint64_t> calls{0};
    const std::uint64_t value = linear_with_bottom(policy, n, calls, [&] {
      while (calls.load(std::memory_order_relaxed) < n) hocket::this_task::yield();
    });
    EXPECT_EQ(value, linear_value(n));
    EXPECT_EQ(policy.reals().ever(), n + 1);
    EXPECT_LE(policy.reals().most(), 3u) << "the root, one that ends, and the one that it makes";
  });
}

// The same with virtual tasks: those that others run are taken by one and the same stack.
TEST(policies_on_one_worker_test, virtual_tasks_share_a_stack) {
  constexpr std::uint64_t n = 100;
  hocket::run(one_worker(), [&] {
    virtual_tasks policy;
    std::atomic<std::uint64_t> calls{0};
    const auto before = hocket::stats();
    const std::uint64_t value = linear_with_bottom(policy, n, calls, [&] {
      while (calls.load(std::memory_order_relaxed) < n) hocket::this_task::yield();
    });
    const auto after = hocket::stats();
    EXPECT_EQ(value, linear_value(n));
    EXPECT_EQ(after.adopted - before.adopted, n);
    EXPECT_LE(after.stacks_made - before.stacks_made, 2u);
  });
}

// Nobody else runs before the root joins: all but the one that the first fork made real are called.
TEST(policies_on_one_worker_test, sthreads_that_nobody_has_begun_are_called) {
  hocket::run(one_worker(), [] {
    sthreads policy(2);
    std::atomic<std::uint64_t> calls{0};
    EXPECT_EQ(linear(policy, 100, counting{&calls}), linear_value(100));
    EXPECT_EQ(policy.reals().ever(), 2u);
  });
}

// One task exists already, so one is made, by the first fork; it runs when the root waits for it, at the end.
TEST(policies_on_one_worker_test, load_inlining_looks_at_the_moment_of_the_fork) {
  hocket::run(one_worker(), [] {
    load_inlining policy(2);
    std::atomic<std::uint64_t> calls{0};
    EXPECT_EQ(linear(policy, 100, counting{&calls}), linear_value(100));
    EXPECT_EQ(policy.reals().ever(), 2u);
    EXPECT_EQ(policy.reals().most(), 2u);
  });
}

// What may not be active stays a record, until somebody ends or waits.
TEST(policies_on_one_worker_test, no_more_sthreads_are_active_than_the_threshold) {
  hocket::run(one_worker(), [] {
    sthreads policy(3);
    hocket::event over;
    const auto until_over = [&over] {
      while (!over.ready()) hocket::this_task::yield();
      return std::uint64_t{1};
    };
    auto first = policy.fork(until_over);
    auto second = policy.fork(until_over);
    auto third = policy.fork([&over] {
      over.set();
      return std::uint64_t{1};
    });
    hocket::this_task::yield();
    EXPECT_EQ(policy.reals().now(), 3u) << "the root and two";
    EXPECT_FALSE(over.ready()) << "nobody has begun the third";
    EXPECT_EQ(third.join() + second.join() + first.join(), 3u);
    EXPECT_EQ(policy.reals().ever(), 3u);
  });
}

}  // namespace
