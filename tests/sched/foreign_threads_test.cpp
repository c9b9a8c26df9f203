// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that are not workers: they spawn, wait, set events, and are told what they may not do.
#include "support/workers.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {
using namespace hocket;

class foreign_threads : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(foreign_threads);

TEST_P(foreign_threads, spawn_start_and_begin_while_a_run_goes_on) {
  std::atomic<int> ran{0};
  run([&] {
    std::vector<std::thread> threads;
    std::atomic<int> left{4};
    event all_left;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        std::vector<task<int>> tasks;
        for (int k = 0; k < 100; ++k) {
          tasks.push_back(spawn([&] { return ++ran, 1; }));
          tasks.push_back(start([&] { return ++ran, 1; }));
          begin([&] { ++ran; });
        }
        int sum = 0;
        for (auto& t : tasks) sum += t.get();
        EXPECT_EQ(sum, 200);
        EXPECT_EQ(
            spawn({.name = "large", .stack_size = 1 << 20}, [] { return this_task::stack_size() >> 20; })
                .get(),
            1u);
        if (--left == 0) all_left.set();
      });
    }
    all_left.wait();
    for (std::thread& t : threads) t.join();
  });
  EXPECT_EQ(ran, 1200);
  EXPECT_EQ(since(&statistics::spawned) + since(&statistics::begun) + since(&statistics::started), 1205u);
}

TEST_P(foreign_threads, what_a_thread_spawned_is_waited_for_at_once) {
  run([] {
    std::vector<task<int>> all;
    std::thread([&] {
      for (int i = 0; i < 100; ++i) all.push_back(spawn([i] { return i; }));
    }).join();
    int sum = 0;
    for (auto& t : all) sum += t.get();  // most still lie where the thread put them
    EXPECT_EQ(sum, 4950);
    for (int i = 0; i < 10; ++i) this_task::yield();
  });
}

TEST_P(foreign_threads, start_tasks_that_have_a_stack_of_their_own_even_if_waited_for_first) {
  std::atomic<bool> both_made{false};
  initialize(with_workers());
  {
    const auto holds = start([&] {
      while (!both_made) {
      }
    });
    event set;
    const auto waited_for = start([&] { set.wait(); });
    // Of a better priority, so it waits before the other has begun where there is one worker.
    const auto waiting = start({.priority = priority::high}, [&] { waited_for.wait(); });
    both_made = true;
    holds.wait();
    set.set();
    waiting.wait();
  }
  EXPECT_EQ(since(&statistics::inlined), 0u);
  finalize();
}

TEST_P(foreign_threads, set_what_tasks_wait_for) {
  run([] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 50; ++i) {
      event to_thread, to_task;
      std::thread t([&] { to_thread.wait(), to_task.set(); });
      to_thread.set();
      to_task.wait();
      t.join();
    }
  });
}

TEST_P(foreign_threads, the_main_task_may_end_at_the_moment_it_is_woken) {
  for (int i = 0; i < 100; ++i) {
    event set;
    std::thread foreign([&] { set.set(); });
    run([&] { set.wait(); });
    foreign.join();
  }
}

TEST_P(foreign_threads, exceptions_reach_them) {
  run([] {
    auto t = spawn([]() -> int { throw std::runtime_error("task"); });
    std::thread foreign([t] {
      for (int i = 0; i < 3; ++i) EXPECT_THROW(t.get(), std::runtime_error);
    });
    t.wait();
    foreign.join();
  });
}

TEST_P(foreign_threads, are_no_tasks) {
  run([] {
    std::thread foreign([] {
      EXPECT_EQ(this_task::id(), 0u);
      EXPECT_EQ(this_task::stack_left(), 0u);
      EXPECT_EQ(this_task::stack_size(), 0u);
      EXPECT_EQ(this_task::worker(), ~0u);
      EXPECT_STREQ(this_task::name(), "no task");
      this_task::yield();
    });
    foreign.join();
    EXPECT_NE(this_task::id(), 0u);
    EXPECT_LT(this_task::worker(), 64u);
  });
}

struct counted {
  static inline std::atomic<long> live{0};
  char bytes[300] = {};
  counted() { ++live; }
  counted(const counted&) { ++live; }
  ~counted() { --live; }
};

TEST(outside_of_a_run, tasks_cannot_be_made) {
  const auto code_of = [](auto use) {
    try {
      use();
    } catch (const error& e) {
      EXPECT_NE(std::string(e.what()).find("run()"), std::string::npos) << e.what();
      return e.code();
    }
    return std::error_code{};
  };
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(code_of([] { spawn([c = counted()] {}); }), errc::not_running);
    EXPECT_EQ(code_of([] { start([] { return 1; }); }), errc::not_running);
    EXPECT_EQ(code_of([] { begin([c = counted()] {}); }), errc::not_running);
    run(options{.workers = 2}, [] { spawn([] {}); });
  }
  EXPECT_EQ(counted::live, 0) << "closures of tasks that were refused";
  EXPECT_FALSE(running());
}

TEST(outside_of_a_run, handles_outlive_the_run) {
  task<std::string> t;
  task<int> failed;
  run(options{.workers = 2}, [&] {
    t = spawn([] { return std::string(50, 'y'); });
    failed = spawn([]() -> int { throw std::runtime_error("kept"); });
  });
  EXPECT_TRUE(t.done());
  EXPECT_EQ(t.get(), std::string(50, 'y'));
  EXPECT_THROW(failed.get(), std::runtime_error);
  EXPECT_EQ(wait_any(std::vector{t}), 0u);
}

TEST(outside_of_a_run, events_work_between_threads) {
  event a, b;
  std::thread other([&] { a.wait(), b.set(); });
  a.set();
  b.wait();
  other.join();
  EXPECT_TRUE(b.ready());
}

}  // namespace
