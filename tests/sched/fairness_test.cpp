// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No starvation: a task that yields until another has acted ends, whatever the other is; and the order of
// turns.
#include "support/workers.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace {
using namespace hocket;

class fairness : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(fairness);

void spin_until(const std::atomic<bool>& flag) {
  while (!flag) this_task::yield();
}

TEST_P(fairness, a_spawned_task_gets_its_turn) {
  run([] {
    std::atomic<bool> flag{false};
    auto t = spawn([&] { flag = true; });
    spin_until(flag);
    EXPECT_TRUE(flag);
    t.wait();
  });
}

TEST_P(fairness, a_begun_and_a_started_task_get_their_turn) {
  run([] {
    std::atomic<bool> begun{false}, started{false}, ended{false};
    begin([&] { begun = true; });
    spin_until(begun);
    auto t = start([&] { started = true, spin_until(ended); });
    spin_until(started);
    ended = true;
    t.wait();
  });
}

TEST_P(fairness, a_forked_sibling_gets_its_turn) {
  run([] {
    std::atomic<bool> flag{false};
    fork_join([&] { spin_until(flag); }, [&] { flag = true; });
    std::atomic<int> ran{0};
    flag = false;
    const auto child = [&](int i) {
      return [&, i] {
        if (i == 299) spin_until(flag);  // joined, and so run, first of all
        if (i == 0) flag = true;
        ++ran;
      };
    };
    fork_scope<decltype(child(0))> scope;
    for (int i = 0; i < 300; ++i) scope.fork(child(i));
    scope.join();
    EXPECT_EQ(ran, 300);
  });
}

TEST_P(fairness, a_task_from_a_thread_gets_its_turn) {
  run([] {
    std::atomic<bool> flag{false}, waiting{false};
    event set;
    auto waiter = start([&] { waiting = true, set.wait(), flag = true; });
    spin_until(waiting);
    std::atomic<bool> spawned{false};
    std::thread foreign([&] {
      begin([&] { spawned = true; });
      set.set();
    });
    spin_until(spawned);
    spin_until(flag);
    foreign.join();
    waiter.wait();
  });
}

TEST_P(fairness, tasks_that_yield_all_the_time_starve_nobody) {
  run([] {
    std::atomic<bool> flag{false};
    std::vector<task<void>> spinners;
    for (int i = 0; i < 70; ++i) spinners.push_back(start([&] { spin_until(flag); }));
    this_task::yield();
    begin([&] { fork_join([&] { this_task::yield(); }, [&] { begin([&] { flag = true; }); }); });
    wait_all(spinners);
    EXPECT_TRUE(flag);
  });
}

TEST_P(fairness, tasks_that_wake_each_other_all_the_time_starve_nobody) {
  run([] {
    std::atomic<bool> flag{false};
    const auto chatter = [&] {
      while (!flag) {
        event a, b;
        auto other = start([&] { a.wait(), b.set(); });
        a.set();
        b.wait();
        other.wait();
      }
    };
    auto one = start(chatter), two = start(chatter);
    begin([&] { flag = true; });
    wait(one, two);
  });
}

// What follows speaks of one worker's order.

TEST(fairness_one_worker, two_tasks_that_yield_alternate) {
  run(options{.workers = 1}, [] {
    std::string order;
    const auto write = [&](char c) {
      for (int i = 0; i < 10; ++i) {
        order += c;
        this_task::yield();
      }
    };
    auto a = start([&] { write('a'); });
    auto b = start([&] { write('b'); });
    wait(a, b);
    EXPECT_EQ(order, "abababababababababab");
  });
}

TEST(fairness_one_worker, a_yield_with_nothing_else_to_run_returns_at_once) {
  run(options{.workers = 1}, [] {
    const auto before = stats();
    for (int i = 0; i < 1000; ++i) this_task::yield();
    const auto after = stats();
    EXPECT_EQ(after.yields - before.yields, 1000u);
    EXPECT_EQ(after.switches, before.switches);
  });
}

TEST(fairness_one_worker, the_oldest_virtual_task_runs_within_61_decisions) {
  run(options{.workers = 1}, [] {
    for (int round = 0; round < 5; ++round) {
      std::vector<int> order;
      std::vector<task<void>> some;
      for (int i = 0; i < 3; ++i) some.push_back(spawn([&order, i] { order.push_back(i); }));
      int yields = 0;
      while (order.empty()) {
        this_task::yield();
        ASSERT_LE(++yields, 61);
      }
      EXPECT_EQ(order.front(), 0) << "the oldest, not the newest";
      wait_all(some);
    }
  });
}

}  // namespace
