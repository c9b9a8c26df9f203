// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that begin later: not before their time, waited for, taken back, made by threads that are none.
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <stop_token>
#include <vector>

namespace {
using namespace hocket;
using namespace std::chrono_literals;
using hocket_test::everywhere;
using steady = std::chrono::steady_clock;

class spawn_after_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(spawn_after_test);

TEST_P(spawn_after_test, not_before_its_time) {
  run([] {
    everywhere([] {
      for (const auto d : {-1h, 0h}) EXPECT_EQ(spawn_after(d, [] { return 7; }).get(), 7);
      EXPECT_EQ(spawn_at(steady::time_point{}, [] { return 8; }).get(), 8);
      EXPECT_EQ(spawn_at(std::chrono::system_clock::now(), [] { return 9; }).get(), 9);
      for (const auto d : {1us, 100us, 3000us}) {
        const auto due = steady::now() + d;
        EXPECT_GE(spawn_after(d, [] { return steady::now(); }).get(), due);
        const auto at = steady::now() + d;
        EXPECT_GE(spawn_at(at, {.name = "later"}, [] { return steady::now(); }).get(), at);
      }
    });
  });
}

TEST_P(spawn_after_test, it_is_not_run_early_by_who_waits_for_it) {
  run([] {
    std::vector<task<bool>> all;
    for (int i = 0; i < 100; ++i) {
      const auto due = steady::now() + std::chrono::microseconds(i * 53);
      all.push_back(spawn_at(due, [due] { return steady::now() >= due; }));
    }
    EXPECT_TRUE(wait_any_for(all, 24h).has_value());
    for (const auto& t : all) EXPECT_TRUE(t.get());
  });
}

TEST_P(spawn_after_test, run_waits_for_it_though_no_handle_is_left) {
  std::atomic<int> ran{0};
  run([&] {
    for (int i = 0; i < 50; ++i) spawn_after(std::chrono::microseconds(i * 40), [&] { ++ran; });
    spawn_after(1ms, [&] { spawn_after(1ms, [&] { ++ran; }); });
  });
  EXPECT_EQ(ran, 51);
}

TEST_P(spawn_after_test, exceptions_and_attributes_are_as_with_spawn) {
  run([] {
    auto t = spawn_after(100us, {.name = "named", .stack_size = 1 << 20}, [] {
      EXPECT_STREQ(this_task::name(), "named");
      EXPECT_GE(this_task::stack_size(), 1u << 20);
      throw std::runtime_error("late");
    });
    EXPECT_EQ(hocket_test::thrown_by([&] { t.get(); }), "late");
  });
}

TEST_P(spawn_after_test, taken_back_before_it_is_due) {
  std::atomic<int> ran{0};
  run([&] {
    everywhere([&] {
      std::stop_source stop;
      auto kept = std::make_shared<int>(1);
      auto t = spawn_after(1h, {.stop = stop.get_token()}, [&, kept] { ++ran; });
      EXPECT_EQ(kept.use_count(), 2);
      EXPECT_FALSE(t.wait_for(1us));
      stop.request_stop();
      EXPECT_THROW(t.get(), cancelled);
      EXPECT_EQ(kept.use_count(), 1) << "the closure of a task that never ran is destroyed";
    });
  });
  EXPECT_EQ(ran, 0);
}

TEST_P(spawn_after_test, taken_back_before_it_was_made) {
  std::atomic<int> ran{0};
  run([&] {
    everywhere([&] {
      std::stop_source stop;
      stop.request_stop();
      EXPECT_THROW(spawn_after(1h, {.stop = stop.get_token()}, [&] { ++ran; }).get(), cancelled);
      EXPECT_THROW(spawn_after(0h, {.stop = stop.get_token()}, [&] { ++ran; }).get(), cancelled);
    });
  });
  EXPECT_EQ(ran, 0);
}

TEST_P(spawn_after_test, taken_back_by_the_scope_that_it_was_made_in) {
  std::atomic<int> ran{0};
  run([&] {
    stop_scope scope;
    for (int i = 0; i < 20; ++i) spawn_after(1h, [&] { ++ran; });
    scope.request_stop();
  });
  EXPECT_EQ(ran, 0);
}

TEST_P(spawn_after_test, a_token_that_never_stops_does_not_keep_it) {
  std::stop_source kept;
  std::atomic<int> ran{0};
  run([&] {
    for (int i = 0; i < 50; ++i)
      spawn_after(std::chrono::microseconds(i * 20), {.stop = kept.get_token()}, [&] { ++ran; });
  });
  EXPECT_EQ(ran, 50);
  kept.request_stop();  // after the run: nothing is there any more
}

TEST_P(spawn_after_test, due_and_taken_back_at_one_moment) {
  for (int round = 0; round < hocket_test::sized(20, 4); ++round) {
    std::atomic<int> ran{0}, stopped{0};
    run([&] {
      std::vector<task<void>> all;
      std::vector<std::stop_source> stops(100);
      for (std::size_t i = 0; i < stops.size(); ++i) {
        all.push_back(spawn_after(std::chrono::microseconds(200 + i % 7), {.stop = stops[i].get_token()},
                                  [&] { ++ran; }));
      }
      hocket_test::on_a_thread([&] {
        const auto when = steady::now() + 100us;
        while (steady::now() < when) std::this_thread::yield();
        for (std::stop_source& s : stops) s.request_stop();
      });
      for (auto& t : all) {
        try {
          t.get();
        } catch (const cancelled&) {
          ++stopped;
        }
      }
    });
    EXPECT_EQ(ran + stopped, 100);
  }
}

TEST_P(spawn_after_test, outside_a_run_it_is_refused_and_the_closure_destroyed) {
  auto kept = std::make_shared<int>(1);
  try {
    spawn_after(1ms, [kept] {});
    ADD_FAILURE() << "accepted";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::not_running);
  }
  EXPECT_EQ(kept.use_count(), 1);
}

}  // namespace
