// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// skynet: all three ways give the sum by the formula, and make exactly the tasks they say.
#include "skynet/skynet.hpp"

#include "support/workers.hpp"

namespace {

using namespace hocket::apps;

struct tree {
  std::uint64_t leaves, branches;
};
// One leaf; one level, narrow and wide; many levels, binary and of ten.
constexpr tree trees[] = {{1, 10}, {2, 2}, {10, 10}, {3000, 3000}, {4096, 2}, {10000, 10}, {16807, 7}};

TEST(skynet_formula_test, sums) {
  EXPECT_EQ(skynet_value(1), 0u);
  EXPECT_EQ(skynet_value(2), 1u);
  EXPECT_EQ(skynet_value(3), 3u);
  EXPECT_EQ(skynet_value(1'000'000), 499999500000u) << "the published result";
  EXPECT_EQ(skynet_value(skynet_most_leaves), 499999999500000000u);
}

TEST(skynet_formula_test, tasks_are_the_nodes_less_the_root) {
  EXPECT_EQ(skynet_tasks(1, 10), 0u);
  EXPECT_EQ(skynet_tasks(10, 10), 10u);
  EXPECT_EQ(skynet_tasks(8, 2), 14u);
  EXPECT_EQ(skynet_tasks(1'000'000, 10), 1'111'110u);
}

TEST(skynet_formula_test, powers_only) {
  EXPECT_EQ(skynet_depth(1, 10), 0);
  EXPECT_EQ(skynet_depth(10, 10), 1);
  EXPECT_EQ(skynet_depth(1'000'000, 10), 6);
  EXPECT_EQ(skynet_depth(skynet_most_leaves, 10), 9);
  EXPECT_EQ(skynet_depth(std::uint64_t{1} << 63, 2), 63);
  for (const tree none : {tree{0, 10}, {2, 10}, {9, 10}, {11, 10}, {20, 10}, {12, 2}, {3, 2}}) {
    EXPECT_EQ(skynet_depth(none.leaves, none.branches), std::nullopt) << none.leaves;
  }
}

TEST(skynet_formula_test, children_share_the_leaves) {
  const skynet_node node{70, 30, 3};
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(node.child(i).first, 70 + 10 * i);
    EXPECT_EQ(node.child(i).leaves, 10u);
    EXPECT_EQ(node.child(i).branches, 3u);
  }
}

class skynet_test : public hocket_test::on_workers {
 protected:
  void check(std::uint64_t (*sum)(const skynet_node&), std::uint64_t hocket::statistics::* counter) {
    for (const tree& t : trees) {
      run([&] {
        const auto before = since(counter);  // the main task counts as one that was started
        EXPECT_EQ(sum({0, t.leaves, t.branches}), skynet_value(t.leaves))
            << t.leaves << " leaves, " << t.branches << " branches";
        EXPECT_EQ(since(counter) - before, skynet_tasks(t.leaves, t.branches)) << t.leaves;
      });
    }
  }
};
HOCKET_ON_ALL_WORKERS(skynet_test);

TEST_P(skynet_test, spawned) { check(&skynet_spawned, &hocket::statistics::spawned); }
TEST_P(skynet_test, started) { check(&skynet_started, &hocket::statistics::started); }
TEST_P(skynet_test, forked) { check(&skynet_forked, &hocket::statistics::forked); }

// A subtree counts from its own first leaf.
TEST_P(skynet_test, a_subtree) {
  const std::uint64_t right = skynet_value(300) - skynet_value(200);
  run([&] {
    EXPECT_EQ(skynet_spawned({200, 100, 10}), right);
    EXPECT_EQ(skynet_started({200, 100, 10}), right);
    EXPECT_EQ(skynet_forked({200, 100, 10}), right);
  });
}

}  // namespace
