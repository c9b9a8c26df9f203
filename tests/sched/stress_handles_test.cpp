// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stress of handles and events: random tasks wait for random older ones, one, all or any, and for each
// other's events. Arguments: the number of rounds a case and the number of tasks a round; 10 and 5,000 by
// default.
#include "support/workers.hpp"

#include <atomic>
#include <cstdlib>
#include <deque>
#include <optional>
#include <random>
#include <thread>
#include <vector>

namespace {
using namespace hocket;

int rounds = 10;
std::size_t tasks_a_round = 5'000;

class stress_handles : public hocket_test::on_workers {};
INSTANTIATE_TEST_SUITE_P(workers, stress_handles, ::testing::Values(1u, 2u, 8u, 64u),
                         ::testing::PrintToStringParamName());

/// Task i depends on older ones only, so there is no cycle; its result is made of theirs, so a lost or early
/// wait shows.
std::uint64_t round_of(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<task<std::uint64_t>> all;
  std::vector<std::uint64_t> expected;
  std::deque<event> events(tasks_a_round);
  for (std::size_t i = 0; i < tasks_a_round; ++i) {
    std::vector<task<std::uint64_t>> older;
    std::uint64_t sum = i;
    const std::size_t n = i == 0 ? 0 : random() % 4;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t j = i - 1 - random() % std::min<std::size_t>(i, 1 + random() % 64);
      older.push_back(all[j]);
      sum += expected[j] % 1000;
    }
    std::optional<std::size_t> other;
    if (i != 0 && random() % 4 == 0) other = random() % i;
    const bool any = random() % 5 == 0, throws = random() % 11 == 0;
    const auto f = [older = std::move(older), &events, i, any, throws, other]() -> std::uint64_t {
      if (any && !older.empty() && !older[wait_any(older)].done()) return ~std::uint64_t{0};
      std::uint64_t result = i;
      for (const auto& t : older) {
        try {
          result += t.get() % 1000;
        } catch (std::uint64_t value) {
          result += value % 1000;
        }
      }
      events[i].set();
      if (other) events[*other].wait();
      if (throws) throw result;
      return result;
    };
    expected.push_back(sum);
    switch (random() % 3) {
      case 0:
        all.push_back(start(f));
        break;
      case 1:
        all.push_back(spawn({.name = "named"}, f));
        break;
      default:
        all.push_back(spawn(f));
        break;
    }
    if (random() % 50 == 0) this_task::yield();
    if (random() % 100 == 0) all[random() % all.size()].wait();
  }
  std::uint64_t wrong = 0;
  for (std::size_t i = tasks_a_round; i-- > 0;) {
    std::uint64_t value = 0;
    try {
      value = all[i].get();
    } catch (std::uint64_t v) {
      value = v;
    }
    wrong += value != expected[i];
  }
  return wrong;
}

TEST_P(stress_handles, results_of_random_waits) {
  run([this] {
    for (int i = 0; i < rounds; ++i) {
      const std::uint64_t seed = workers() * 1000 + static_cast<std::uint64_t>(i);
      ASSERT_EQ(round_of(seed), 0u) << "wrong results; seed " << seed;
    }
  });
}

TEST_P(stress_handles, several_rounds_at_once_and_threads_that_wait) {
  run([] {
    std::vector<task<std::uint64_t>> many;
    for (std::uint64_t i = 0; i < 4; ++i) many.push_back(start([i] { return round_of(77 + i); }));
    std::thread foreign([many] {
      for (const auto& t : many) EXPECT_EQ(t.get(), 0u);
    });
    for (const auto& t : many) EXPECT_EQ(t.get(), 0u);
    foreign.join();
  });
}

/// Rings of tasks that hand a token round, so that every step is a suspension and a wake-up of another.
TEST_P(stress_handles, rings_of_events) {
  run([] {
    constexpr std::size_t members = 7, rings = 8;
    const std::size_t laps = std::max<std::size_t>(10, tasks_a_round / 50);
    std::deque<std::deque<event>> steps(rings);
    std::vector<task<void>> all;
    for (auto& ring : steps) {
      ring.resize(members * laps + 1);
      for (std::size_t m = 0; m < members; ++m) {
        all.push_back(start([&ring, m, laps] {
          for (std::size_t lap = 0; lap < laps; ++lap) {
            ring[lap * members + m].wait();
            ring[lap * members + m + 1].set();
          }
        }));
      }
    }
    for (auto& ring : steps) ring[0].set();
    wait_all(all);
    for (auto& ring : steps) EXPECT_TRUE(ring.back().ready());
  });
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (HOCKET_TSAN || HOCKET_ASAN) rounds = 2, tasks_a_round = 1'000;
  if (argc > 1) rounds = std::atoi(argv[1]);
  if (argc > 2) tasks_a_round = static_cast<std::size_t>(std::atol(argv[2]));
  return RUN_ALL_TESTS();
}
