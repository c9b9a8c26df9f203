// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Very many tasks wait for one thing: all go on, in their order where that is promised.
// Argument: how many; 20,000 by default.
#include "support/workers.hpp"

#include <atomic>
#include <cstdlib>
#include <vector>

namespace {
using namespace hocket;

std::size_t how_many = 20'000;

class many_waiters : public hocket_test::on_workers {
 protected:
  /// Starts that many tasks, which wait; then calls let_go, and waits for them all.
  template <class Wait, class LetGo>
  static void all(Wait wait, LetGo let_go) {
    std::vector<task<void>> tasks;
    tasks.reserve(how_many);
    for (std::size_t i = 0; i < how_many; ++i) tasks.push_back(start([&wait, i] { wait(i); }));
    while (tasks_by_state().suspended != how_many) this_task::yield();
    let_go();
    wait_all(tasks);
  }
};
INSTANTIATE_TEST_SUITE_P(workers, many_waiters, ::testing::Values(1u, 2u, 8u),
                         ::testing::PrintToStringParamName());

TEST_P(many_waiters, for_one_word) {
  run([] {
    std::uint64_t word = 0;
    empty(word);
    std::atomic<std::uint64_t> sum{0};
    all([&](std::size_t) { sum += readFF(word); }, [&] { writeEF(word, 3); });
    EXPECT_EQ(sum, 3 * how_many);
    readFE(word);
    all([&](std::size_t) { sum += readFE(word); },
        [&] {
          for (std::size_t i = 0; i < how_many; ++i) writeEF(word, 2);
        });
    EXPECT_EQ(sum, 5 * how_many);
    fill(word);
  });
  EXPECT_EQ(detail::full_empty_entries(), 0u);
}

TEST_P(many_waiters, for_one_variable_in_their_order) {
  hocket::run(options{.workers = 1}, [] {
    hocket::sync<std::size_t> v;
    std::size_t wrong = 0;
    all([&](std::size_t i) { wrong += v.readFE() != i; },
        [&] {
          for (std::size_t i = 0; i < how_many; ++i) v.writeEF(i);
        });
    EXPECT_EQ(wrong, 0u);
  });
}

TEST_P(many_waiters, for_one_counter_and_one_mutex) {
  run([] {
    counter c(1);
    std::atomic<std::size_t> went{0};
    all([&](std::size_t) { c.wait(), ++went; }, [&] { c.done(); });
    EXPECT_EQ(went, how_many);
    mutex m;
    std::size_t n = 0;
    m.lock();
    all([&](std::size_t) { m.lock(), ++n, m.unlock(); }, [&] { m.unlock(); });
    EXPECT_EQ(n, how_many);
  });
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (HOCKET_TSAN || HOCKET_ASAN) how_many = 500;
  if (argc > 1) how_many = static_cast<std::size_t>(std::atol(argv[1]));
  return RUN_ALL_TESTS();
}
