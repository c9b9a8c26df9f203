// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// granularity: all forms visit every leaf, and make exactly the tasks they say.
#include "granularity/granularity.hpp"

#include <atomic>

#include "support/workers.hpp"

namespace {

using namespace hocket::apps;

constexpr int depths[] = {0, 1, 2, 9};

// A leaf that counts itself.
struct leaf {
  std::atomic<long>* visits;
  long operator()() const {
    visits->fetch_add(1, std::memory_order_relaxed);
    return 1;
  }
};

TEST(granularity_formula_test, tasks_are_the_inner_nodes) {
  EXPECT_EQ(granularity_tasks(0), 0u);
  EXPECT_EQ(granularity_tasks(1), 1u);
  EXPECT_EQ(granularity_tasks(12), 4095u);
  EXPECT_EQ(granularity_tasks(granularity_deepest), 16777215u);
}

TEST(granularity_formula_test, serial) {
  for (const int depth : depths) {
    std::atomic<long> visits{0};
    EXPECT_EQ(granularity_serial(depth, leaf{&visits}), 1L << depth);
    EXPECT_EQ(visits.load(), 1L << depth);
  }
}

class granularity_test : public hocket_test::on_workers {
 protected:
  void check(long (*tree)(int, const leaf&), std::uint64_t hocket::statistics::* counter) {
    for (const int depth : depths) {
      run([&] {
        std::atomic<long> visits{0};
        const auto before = since(counter);  // the main task counts as one that was started
        EXPECT_EQ(tree(depth, leaf{&visits}), 1L << depth) << depth;
        EXPECT_EQ(visits.load(), 1L << depth) << depth;
        EXPECT_EQ(since(counter) - before, granularity_tasks(depth)) << depth;
      });
    }
  }
};
HOCKET_ON_ALL_WORKERS(granularity_test);

TEST_P(granularity_test, virtual_tasks) { check(&granularity_virtual<leaf>, &hocket::statistics::spawned); }
TEST_P(granularity_test, real_tasks) { check(&granularity_real<leaf>, &hocket::statistics::started); }
TEST_P(granularity_test, structured) { check(&granularity_structured<leaf>, &hocket::statistics::forked); }

}  // namespace
