// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a stop scope holds: the children and tasks made within it, at any depth and wherever they run; nothing
// made before it or after.
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

namespace {
using namespace hocket;
using namespace std::chrono_literals;

class stop_inherited : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(stop_inherited);

/// Waits for what never comes; whether that ended by `cancelled`.
bool is_stopped() {
  event never;
  try {
    never.wait();
  } catch (const cancelled&) {
    return true;
  }
  return false;
}

/// Whether the caller could be stopped.
bool has_token() { return this_task::stop_token().stop_possible(); }

TEST_P(stop_inherited, by_tasks_of_each_kind_at_any_depth) {
  run([] {
    std::atomic<int> stopped{0};
    stop_scope scope;
    std::vector<task<void>> all;
    std::atomic<int> reached{0};
    event all_reached;
    const auto leaf = [&] {
      if (++reached == 9) all_reached.set();
      stopped += is_stopped();
    };
    const auto node = [&] {
      auto a = start(leaf);
      auto b = start({.name = "named"}, leaf);
      leaf();
      const stop_shield shield;
      wait(a, b);
    };
    all.push_back(start(node));
    all.push_back(spawn(node));
    begin(node);
    {
      const stop_shield shield;
      all_reached.wait();
    }
    scope.request_stop();
    const stop_shield shield;
    for (auto& t : all) t.wait();
    while (stopped != 9) this_task::yield();
  });
}

TEST_P(stop_inherited, not_by_what_was_made_before_or_after) {
  run([] {
    event gate;
    auto before = start([&] { return gate.wait(), has_token(); });
    {
      stop_scope scope;
      scope.request_stop();
    }
    auto after = start([&] { return gate.wait(), has_token(); });
    gate.set();
    EXPECT_FALSE(before.get());
    EXPECT_FALSE(after.get());
  });
}

TEST_P(stop_inherited, not_by_a_task_that_was_made_before_and_runs_inside) {
  run([] {
    auto before = spawn([] {
      const bool none = !has_token();
      this_task::sleep_for(1us);  // would throw
      return none;
    });
    stop_scope scope;
    EXPECT_TRUE(before.get()) << "on its waiter's stack, but not under its scope";
    auto other = spawn([] { return this_task::sleep_for(1us), has_token(); });
    EXPECT_TRUE(other.get());
    EXPECT_TRUE(has_token());
  });
}

TEST_P(stop_inherited, attributes_name_another_token) {
  run([] {
    std::stop_source own;
    stop_scope scope;
    auto t = start({.stop = own.get_token()}, [] { return is_stopped(); });
    scope.request_stop();
    {
      const stop_shield shield;
      EXPECT_FALSE(t.wait_for(1ms)) << "the scope's is not its";
    }
    own.request_stop();
    const stop_shield shield;
    EXPECT_TRUE(t.get());
  });
}

TEST_P(stop_inherited, a_task_that_has_not_begun_never_runs) {
  std::atomic<int> ran{0};
  run([&] {
    auto kept = std::make_shared<int>();
    {
      std::vector<task<void>> all;
      {
        stop_scope scope;
        scope.request_stop();
        for (int i = 0; i < 20; ++i) {
          all.push_back(spawn([&ran, kept] { ++ran; }));
          all.push_back(start([&ran, kept] { ++ran; }));
          all.push_back(spawn({.name = "n"}, [&ran, kept] { ++ran; }));
          begin([&ran, kept] { ++ran; });
        }
      }
      for (auto& t : all) EXPECT_THROW(t.get(), cancelled);
    }
  });
  EXPECT_EQ(ran, 0);
}

TEST_P(stop_inherited, by_forked_children_wherever_they_run) {
  run([] {
    stop_scope scope;
    std::atomic<int> reached{0}, stopped{0};
    const auto child = [&] {
      if (++reached == 3) scope.request_stop();
      stopped += is_stopped();
    };
    EXPECT_NO_THROW(cobegin(child, child, child));
    EXPECT_EQ(stopped, 3);
    fork_scope<decltype(child)> children;
    for (int i = 0; i < 100; ++i) children.fork(child);
    children.join();
    EXPECT_EQ(stopped, 103);
  });
}

TEST_P(stop_inherited, cancelled_comes_out_of_the_join_when_all_have_ended) {
  run([] {
    std::atomic<int> ended{0};
    stop_scope scope;
    const auto waits = [&] {
      event never;
      try {
        never.wait();
      } catch (...) {
        ++ended;
        throw;
      }
    };
    EXPECT_THROW(cobegin(waits, [&] { scope.request_stop(); }, waits), cancelled);
    EXPECT_EQ(ended, 2);
  });
}

TEST_P(stop_inherited, not_by_children_forked_before_the_scope) {
  run([] {
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> with_token{0}, without{0};
      const auto outside = [&] { (has_token() ? with_token : without) += 1; };
      const auto inside = [&] { (has_token() ? with_token : without) += 1000; };
      fork_scope<decltype(outside)> before;
      for (int i = 0; i < 30; ++i) before.fork(outside);
      {
        stop_scope scope;
        fork_scope<decltype(inside)> in;
        for (int i = 0; i < 300; ++i) {
          in.fork(inside);
          if (i % 100 == 50) this_task::yield();  // what waits in the deque is given away
        }
        in.join();
      }
      before.join();
      EXPECT_EQ(with_token, 300'000);
      EXPECT_EQ(without, 30);
    }
  });
}

TEST_P(stop_inherited, by_stolen_children_of_the_innermost_scope) {
  run([] {
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> wrong{0}, ran{0};
      stop_scope outer;
      const auto in_outer = [&, token = outer.token()] { ++ran, wrong += this_task::stop_token() != token; };
      using outer_child = decltype(std::ref(in_outer));
      fork_scope<outer_child> a;
      for (int i = 0; i < 50; ++i) a.fork(std::ref(in_outer));
      {
        stop_scope inner;
        const auto in_inner = [&, token = inner.token()] {
          ++ran, wrong += this_task::stop_token() != token;
        };
        fork_scope<decltype(std::ref(in_inner))> b;
        for (int i = 0; i < 50; ++i) b.fork(std::ref(in_inner));
        this_task::yield();
        b.join();
      }
      a.join();
      EXPECT_EQ(wrong, 0);
      EXPECT_EQ(ran, 100);
    }
  });
}

TEST_P(stop_inherited, a_begun_task_that_stops_as_asked_does_not_come_out_of_run) {
  EXPECT_EQ(run([] {
              stop_scope scope;
              event reached;
              begin([&] {
                reached.set();
                this_task::sleep_for(24h);
              });
              {
                const stop_shield shield;
                reached.wait();
              }
              scope.request_stop();
              begin([] {});  // never runs, and says nothing
              return 3;
            }),
            3);
}

TEST_P(stop_inherited, a_begun_task_that_fails_otherwise_comes_out_of_run) {
  EXPECT_EQ(hocket_test::thrown_by([&] {
              run([] {
                std::stop_source stop;
                begin({.stop = stop.get_token()}, [stop]() mutable {
                  stop.request_stop();
                  throw std::runtime_error("another reason");
                });
              });
            }),
            "another reason");
}

TEST_P(stop_inherited, a_tree_stopped_at_random_moments_ends) {
  std::mt19937 random(3);
  for (int round = 0; round < hocket_test::sized(40, 8); ++round) {
    std::atomic<int> begun{0}, ended{0};
    const auto how_many = static_cast<int>(random() % 400);
    run([&] {
      stop_scope scope;
      std::function<void(int)> grow = [&](int depth) {
        struct count {
          std::atomic<int>& n;
          ~count() { ++n; }
        } at_end{ended};
        if (++begun == how_many) scope.request_stop();
        if (depth == 0) {
          this_task::sleep_for(1us);
          return;
        }
        auto a = spawn([&, depth] { grow(depth - 1); });
        auto b = start([&, depth] { grow(depth - 1); });
        try {
          fork_join([&] { this_task::yield(); }, [&, depth] { grow(depth - 1); });
          a.get();
          b.wait_for(24h);
        } catch (const cancelled&) {
          const stop_shield shield;  // `grow` is lent to them
          wait(a, b);
          throw;
        }
        b.get();
      };
      try {
        grow(5);
        EXPECT_TRUE(how_many == 0 || how_many > begun || scope.stop_requested());
      } catch (const cancelled&) {
        EXPECT_TRUE(scope.stop_requested());
      }
    });
    EXPECT_EQ(begun, ended);
    EXPECT_GE(begun, 1);
  }
}

}  // namespace
