// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stress of the deque: random trees of forks, scopes and tasks whose nodes suspend at random; each node runs
// once. Arguments: the number of trees a case and the number of nodes a tree; 20 and 20,000 by default.
#include "support/workers.hpp"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {
using namespace hocket;

int trees = 20;
std::uint32_t nodes = 20'000;

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdu;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53u;
  return x ^ x >> 33;
}

/// A tree over the numbers [from, to): a node is the first of its range, the rest is split among its
/// children. What a node does beside is decided by the seed and its number, so a failure can be repeated.
class tree {
 public:
  tree(std::uint64_t seed, std::uint32_t size) : seed_(seed), runs_(new std::atomic<unsigned char>[size]()) {}

  std::uint64_t walk(std::uint32_t from, std::uint32_t to, int depth) {
    if (from == to) return 0;
    runs_[from].fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t dice = mix(seed_ ^ from);
    if (dice % 97 == 0) this_task::yield();
    const std::uint32_t rest = from + 1;
    if (to - rest == 0) return 1;
    if (depth > 60) return 1 + in_loop(rest, to, depth);
    switch (dice / 128 % 16) {
      case 0:
        return 1 + in_scope(rest, to, depth, 3 + dice / 4096 % 300);
      case 1:
        return 1 + as_task(rest, to, depth);
      case 2:
        return 1 + waits_for_sibling(rest, to, depth, true);
      case 3:
        return 1 + waits_for_sibling(rest, to, depth, false);
      default:
        return 1 + in_pair(rest, to, depth, dice);
    }
  }
  bool each_ran_once(std::uint32_t size) const {
    for (std::uint32_t i = 0; i < size; ++i) {
      if (runs_[i] != 1) return false;
    }
    return true;
  }

 private:
  std::uint64_t in_pair(std::uint32_t from, std::uint32_t to, int depth, std::uint64_t dice) {
    const std::uint32_t middle = from + static_cast<std::uint32_t>(dice / 2048 % (to - from + 1));
    auto [a, b] = fork_join([=, this] { return walk(from, middle, depth + 1); },
                            [=, this] { return walk(middle, to, depth + 1); });
    return a + b;
  }
  std::uint64_t in_loop(std::uint32_t from, std::uint32_t to, int depth) {
    std::uint64_t sum = 0;
    for (std::uint32_t i = from; i < to; ++i) sum += walk(i, i + 1, depth);
    return sum;
  }
  std::uint64_t in_scope(std::uint32_t from, std::uint32_t to, int depth, std::uint64_t width) {
    const auto child = [this, depth](std::uint32_t f, std::uint32_t t) {
      return [this, f, t, depth] { return walk(f, t, depth + 1); };
    };
    fork_scope<decltype(child(0, 0))> scope;
    const auto step = static_cast<std::uint32_t>((to - from) / width + 1);
    for (std::uint32_t f = from; f < to; f += std::min(step, to - f))
      scope.fork(child(f, f + std::min(step, to - f)));
    std::uint64_t sum = 0;
    scope.join([&](std::uint64_t n) { sum += n; });
    return sum;
  }
  std::uint64_t as_task(std::uint32_t from, std::uint32_t to, int depth) {
    const std::uint32_t middle = from + (to - from) / 2;
    auto t = spawn([=, this] { return walk(from, middle, depth + 1); });
    const std::uint64_t mine = walk(middle, to, depth + 1);
    return mine + t.get();
  }
  /// One half sets, somewhere on its way, what the other waits for.
  std::uint64_t waits_for_sibling(std::uint32_t from, std::uint32_t to, int depth, bool first_waits) {
    const std::uint32_t middle = from + (to - from) / 2;
    event passed;
    const auto waits = [&](std::uint32_t f, std::uint32_t t) {
      passed.wait();
      return walk(f, t, depth + 1);
    };
    const auto sets = [&](std::uint32_t f, std::uint32_t t) {
      const std::uint32_t half = f + (t - f) / 2;
      const std::uint64_t n = walk(f, half, depth + 1);
      passed.set();
      return n + walk(half, t, depth + 1);
    };
    auto [a, b] = fork_join([&] { return first_waits ? waits(from, middle) : sets(from, middle); },
                            [&] { return first_waits ? sets(middle, to) : waits(middle, to); });
    return a + b;
  }

  std::uint64_t seed_;
  std::unique_ptr<std::atomic<unsigned char>[]> runs_;
};

class stress_tree : public hocket_test::on_workers {};
INSTANTIATE_TEST_SUITE_P(workers, stress_tree, ::testing::Values(1u, 2u, 3u, 8u, 64u),
                         ::testing::PrintToStringParamName());

void run_trees(std::uint64_t first_seed) {
  for (int i = 0; i < trees; ++i) {
    const std::uint64_t seed = mix(first_seed + static_cast<std::uint64_t>(i));
    tree t(seed, nodes);
    ASSERT_EQ(t.walk(0, nodes, 0), nodes) << "seed " << seed;
    ASSERT_TRUE(t.each_ran_once(nodes)) << "seed " << seed;
  }
}

TEST_P(stress_tree, each_node_runs_once) {
  options o;
  o.stack_size = 256 * 1024;
  run([this] { run_trees(workers()); }, o);
  EXPECT_GT(since(&statistics::suspended), 0u);
  EXPECT_GT(since(&statistics::stolen), 0u);
}

TEST_P(stress_tree, several_trees_at_once) {
  options o;
  o.stack_size = 256 * 1024;
  run(
      [this] {
        std::vector<task<void>> many;
        for (std::uint64_t i = 0; i < 4; ++i)
          many.push_back(start([this, i] { run_trees(1000 * (i + 1) + workers()); }));
        wait_all(many);
      },
      o);
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (HOCKET_TSAN || HOCKET_ASAN) trees = 4, nodes = 4'000;
  if (argc > 1) trees = std::atoi(argv[1]);
  if (argc > 2) nodes = static_cast<std::uint32_t>(std::atol(argv[2]));
  return RUN_ALL_TESTS();
}
