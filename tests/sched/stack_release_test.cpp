// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Free stacks beyond stack_keep are given back while workers idle; they serve again later, and no count is
// lost.
#include "support/workers.hpp"

#include <thread>
#include <vector>

namespace {
using namespace hocket;

class stack_release : public hocket_test::on_workers {};
// Each worker keeps up to 127 free stacks of its own, which are not counted; with more workers none would be
// left over.
INSTANTIATE_TEST_SUITE_P(workers, stack_release, ::testing::Values(1u, 2u),
                         ::testing::PrintToStringParamName());

constexpr int tasks = 500;
constexpr long depth = 40;

long deep(long n) {
  if (n == 0) return 0;
  auto [below, one] = fork_join([n] { return deep(n - 1); }, [] { return 1L; });
  return below + one;
}

/// Many stacks at once, each with its deque used far beyond its first page.
void use_many_stacks() {
  event gate;
  std::vector<task<long>> all;
  for (int i = 0; i < tasks; ++i) {
    all.push_back(start([&] {
      gate.wait();
      return deep(depth);
    }));
  }
  this_task::yield();
  gate.set();
  for (auto& t : all) EXPECT_EQ(t.get(), depth);
}

TEST_P(stack_release, and_reuse) {
  options o;
  o.stack_keep = 1;
  run(
      [this] {
        for (int round = 1; round <= 3; ++round) {
          const auto released = since(&statistics::stacks_released);
          use_many_stacks();
          // Nothing runs until a stack has been given back: an idle worker does that, in its own time.
          event idle_long_enough;
          std::thread foreign([&] {
            while (since(&statistics::stacks_released) == released) std::this_thread::yield();
            idle_long_enough.set();
          });
          idle_long_enough.wait();
          foreign.join();
          EXPECT_EQ(since(&statistics::forked), static_cast<std::uint64_t>(round * tasks * depth));
        }
      },
      o);
  EXPECT_EQ(since(&statistics::forked), 3u * tasks * depth);
}

}  // namespace
