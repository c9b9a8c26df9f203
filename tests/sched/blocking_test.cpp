// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any task may block anywhere: forked children, scopes, inlined tasks and thieves that wait for one another.
#include "support/workers.hpp"

#include <atomic>
#include <deque>
#include <vector>

namespace {
using namespace hocket;

class blocking : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(blocking);

TEST_P(blocking, f_waits_for_what_g_sets) {
  run([] {
    for (int i = 0; i < 200; ++i) {
      event set;
      int order = 0;
      fork_join([&] { set.wait(), order = order * 10 + 2; }, [&] { order = 1, set.set(); });
      ASSERT_EQ(order, 12);
    }
  });
}

TEST_P(blocking, g_waits_for_what_f_sets) {
  run([] {
    for (int i = 0; i < 200; ++i) {
      event set;
      fork_join([&] { set.set(); }, [&] { set.wait(); });
    }
  });
}

TEST_P(blocking, both_wait_for_each_other_in_turn) {
  run([] {
    constexpr int rounds = 50;
    std::deque<event> ping(rounds), pong(rounds);
    fork_join(
        [&] {
          for (int i = 0; i < rounds; ++i)
            ping[static_cast<std::size_t>(i)].set(), pong[static_cast<std::size_t>(i)].wait();
        },
        [&] {
          for (int i = 0; i < rounds; ++i)
            ping[static_cast<std::size_t>(i)].wait(), pong[static_cast<std::size_t>(i)].set();
        });
    EXPECT_TRUE(pong.back().ready());
  });
}

TEST_P(blocking, the_first_child_of_a_scope_waits_for_the_last) {
  run([] {
    for (const int n : {2, 201, 300, 1000}) {
      event set;
      std::atomic<int> ran{0};
      const auto child = [&](int i) {
        return [&set, &ran, i, n] {
          if (i == 0) set.wait();
          if (i == n - 1) set.set();
          ++ran;
        };
      };
      fork_scope<decltype(child(0))> scope;
      for (int i = 0; i < n; ++i) scope.fork(child(i));
      scope.join();
      EXPECT_EQ(ran, n);
    }
  });
}

TEST_P(blocking, the_last_child_of_a_scope_waits_for_the_first) {
  run([] {
    for (const int n : {2, 201, 300, 1000}) {
      event set;
      const auto child = [&](int i) {
        return [&set, i, n] {
          if (i == n - 1) set.wait();
          if (i == 0) set.set();
        };
      };
      fork_scope<decltype(child(0))> scope;
      for (int i = 0; i < n; ++i) scope.fork(child(i));
      scope.join();
      EXPECT_TRUE(set.ready());
    }
  });
}

/// Child i waits for child i + step (or i - step) to have run: every child but one blocks.
void chain_of_children(int n, int step) {
  std::deque<event> ran(static_cast<std::size_t>(n));
  const auto child = [&](int i) {
    return [&ran, n, i, step] {
      const int before = i + step;
      if (before >= 0 && before < n) ran[static_cast<std::size_t>(before)].wait();
      ran[static_cast<std::size_t>(i)].set();
    };
  };
  fork_scope<decltype(child(0))> scope;
  for (int i = 0; i < n; ++i) scope.fork(child(i));
  scope.join();
  for (const event& e : ran) ASSERT_TRUE(e.ready());
}

TEST_P(blocking, chains_of_children_forwards) {
  run([] {
    for (const int n : {3, 201, 300, 700}) chain_of_children(n, 1);
  });
}
TEST_P(blocking, chains_of_children_backwards) {
  run([] {
    for (const int n : {3, 201, 300, 700}) chain_of_children(n, -1);
  });
}

/// Each level's g sets what the level below's f waits for, so every g is run while its parent is suspended.
void nested_waits(int depth, event* from_above) {
  event mine;
  fork_join(
      [&] {
        if (depth > 0)
          nested_waits(depth - 1, &mine);
        else
          mine.wait();
        if (from_above != nullptr) from_above->wait();
      },
      [&] { mine.set(); });
}

TEST_P(blocking, waits_nested_in_forks) {
  options o;
  o.stack_size = std::size_t{1} << 20;
  run([] { nested_waits(300, nullptr); }, o);
}

TEST_P(blocking, a_child_waits_for_a_task_made_by_its_parent_before) {
  run([] {
    event late;
    auto t = spawn([&] {
      late.wait();
      return 5;
    });
    auto [a, b] = fork_join([&] { return t.get(); },
                            [&] {
                              late.set();
                              return 6;
                            });
    EXPECT_EQ(a + b, 11);
  });
}

TEST_P(blocking, an_inlined_task_waits_for_a_child_forked_below_it) {
  run([] {
    event set;
    auto t = spawn([&] { set.wait(); });
    fork_join([&] { t.wait(); }, [&] { set.set(); });
    auto u = spawn([&] {
      event inner;
      fork_join([&] { inner.wait(); }, [&] { inner.set(); });
      return 3;
    });
    EXPECT_EQ(u.get(), 3);
  });
}

TEST_P(blocking, children_of_blocked_tasks_are_reachable) {
  run([] {
    constexpr int n = 100;
    std::vector<task<int>> tasks;
    event all;
    std::atomic<int> children{0};
    for (int i = 0; i < n; ++i) {
      tasks.push_back(spawn([&] {
        fork_join([&] { all.wait(); },
                  [&] {
                    if (++children == n) all.set();  // only when the child of every blocked task has run
                  });
        return 1;
      }));
    }
    int sum = 0;
    for (auto& t : tasks) sum += t.get();
    EXPECT_EQ(sum, n);
  });
}

TEST_P(blocking, one_event_wakes_all_and_stays_set) {
  run([] {
    event gate;
    std::atomic<int> past{0};
    std::vector<task<void>> tasks;
    for (int i = 0; i < 500; ++i) {
      tasks.push_back(start([&] {
        gate.wait();
        ++past;
      }));
    }
    for (int i = 0; i < 10; ++i) this_task::yield();
    EXPECT_EQ(past, 0);
    gate.set();
    gate.set();
    wait_all(tasks);
    gate.wait();
    EXPECT_EQ(past, 500);
    gate.reset();
    EXPECT_FALSE(gate.ready());
    auto again = spawn([&] { gate.wait(); });
    gate.set();
    again.wait();
  });
}

}  // namespace
