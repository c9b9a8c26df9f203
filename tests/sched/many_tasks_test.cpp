// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Very many tasks: long chains of nested waits on virtual tasks, and very many blocked at once.
// Arguments: the length of a chain and the number of blocked tasks; 20,000 both by default.
#include "support/workers.hpp"

#include <atomic>
#include <cstdlib>
#include <vector>

namespace {
using namespace hocket;

long length = 20'000;
long blocked = 20'000;

class many_tasks : public hocket_test::on_workers {};
INSTANTIATE_TEST_SUITE_P(workers, many_tasks, ::testing::Values(1u, 2u, 8u),
                         ::testing::PrintToStringParamName());

/// Task i waits for task i + 1, which is still virtual then: inlined while the stack has room, then made
/// real.
long chain(std::vector<task<long>>& all, std::size_t i) {
  return i + 1 == all.size() ? 1 : all[i + 1].get() + 1;
}

TEST_P(many_tasks, a_chain_of_waits_on_virtual_tasks_does_not_overflow) {
  run([] {
    std::vector<task<long>> all(static_cast<std::size_t>(length));
    for (std::size_t i = all.size(); i-- > 0;) all[i] = spawn([&all, i] { return chain(all, i); });
    EXPECT_EQ(all[0].get(), length);
  });
}

long spawn_and_wait(long n) {
  return n == 0 ? 0 : spawn([n] { return spawn_and_wait(n - 1); }).get() + 1;
}

TEST_P(many_tasks, a_recursion_of_spawn_and_wait_does_not_overflow) {
  run([] { EXPECT_EQ(spawn_and_wait(length), length); });
}

long fork_and_wait(long n) {
  if (n == 0) return 0;
  auto [below, one] =
      fork_join([n] { return spawn([n] { return fork_and_wait(n - 1); }).get(); }, [] { return 1L; });
  return below + one;
}

TEST_P(many_tasks, nor_does_one_with_forks_between) {
  run([] { EXPECT_EQ(fork_and_wait(length / 10), length / 10); });
}

TEST_P(many_tasks, all_blocked_then_all_resumed) {
  run([] {
    event gate;
    std::atomic<long> reached{0};
    std::vector<task<int>> all;
    all.reserve(static_cast<std::size_t>(blocked));
    event everyone;
    for (long i = 0; i < blocked; ++i) {
      all.push_back(spawn([&] {
        if (++reached == blocked) everyone.set();
        gate.wait();
        return 1;
      }));
    }
    everyone.wait();  // each has a stack of its own now
    gate.set();
    long sum = 0;
    for (const auto& t : all) sum += t.get();
    EXPECT_EQ(sum, blocked);
  });
  EXPECT_GE(since(&statistics::suspended), static_cast<std::uint64_t>(blocked) - workers());
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (HOCKET_TSAN || HOCKET_ASAN) length = 2'000, blocked = 2'000;
  if (argc > 1) length = std::atol(argv[1]);
  if (argc > 2) blocked = std::atol(argv[2]);
  return RUN_ALL_TESTS();
}
