// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for tasks: many waiters, tasks and threads, one, all and any.
#include "support/workers.hpp"

#include <array>
#include <atomic>
#include <deque>
#include <thread>
#include <vector>

namespace {
using namespace hocket;

class task_wait : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(task_wait);

TEST_P(task_wait, many_tasks_wait_for_one) {
  run([] {
    event go;
    auto slow = start([&] {
      go.wait();
      return 7;
    });
    std::atomic<int> sum{0};
    std::vector<task<void>> waiters;
    for (int i = 0; i < 300; ++i) {
      if (i % 2 == 0)
        waiters.push_back(start([&] { sum += slow.get(); }));
      else
        waiters.push_back(spawn([&sum, slow] { sum += slow.get(); }));
    }
    for (int i = 0; i < 5; ++i) this_task::yield();
    EXPECT_EQ(sum, 0);
    go.set();
    wait_all(waiters);
    EXPECT_EQ(sum, 2100);
  });
}

TEST_P(task_wait, threads_wait_as_tasks_do) {
  run([] {
    event go;
    auto slow = spawn([&] {
      go.wait();
      return 7;
    });
    std::atomic<int> sum{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i) threads.emplace_back([&sum, slow] { sum += slow.get(); });
    threads.emplace_back([&go] { go.set(); });
    EXPECT_EQ(slow.get(), 7);
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(sum, 42);
  });
}

TEST_P(task_wait, a_thread_waits_for_any) {
  run([] {
    event go;
    std::vector<task<int>> tasks;
    for (int i = 0; i < 10; ++i) {
      tasks.push_back(spawn([&go, i] {
        if (i != 3) go.wait();
        return i;
      }));
    }
    event answered;
    std::size_t which = 99;
    std::thread foreign([&] {
      which = wait_any(tasks);
      answered.set();
    });
    answered.wait();
    foreign.join();
    EXPECT_EQ(which, 3u);
    go.set();
    wait_all(tasks);
  });
}

TEST_P(task_wait, wait_takes_handles_of_any_type) {
  run([] {
    auto a = spawn([] { return 1; });
    auto b = spawn([] {});
    auto c = spawn([]() -> double { throw 1; });
    wait(a, b, c);
    EXPECT_TRUE(a.done() && b.done() && c.done());
    wait();
  });
}

TEST_P(task_wait, any_of_one) {
  run([] {
    std::array virtual_one{spawn([] {})};
    EXPECT_EQ(wait_any(virtual_one), 0u);
    EXPECT_EQ(wait_any(virtual_one), 0u) << "once done, again";
  });
}

TEST_P(task_wait, any_of_two_where_one_never_ends_by_itself) {
  run([] {
    for (const std::size_t quick : {0u, 1u}) {
      event gate;
      std::vector<task<int>> two;
      for (std::size_t i = 0; i < 2; ++i) {
        two.push_back(spawn([&gate, i, quick] {
          if (i != quick) gate.wait();
          return 1;
        }));
      }
      EXPECT_EQ(wait_any(two), quick);
      gate.set();
      wait_all(two);
      EXPECT_EQ(wait_any(two), 0u) << "the first of those done";
    }
  });
}

TEST_P(task_wait, any_of_many_virtual_running_and_done) {
  run([] {
    constexpr std::size_t n = 1000;
    event gate;
    std::vector<task<std::size_t>> tasks;
    for (std::size_t i = 0; i < n; ++i) {
      const auto f = [&gate, i] {
        if (i != 777) gate.wait();
        return i;
      };
      tasks.push_back(i % 3 == 0 ? start(f) : spawn(f));
    }
    EXPECT_EQ(wait_any(tasks), 777u);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(tasks[i].done(), i == 777) << i;
    gate.set();
    wait_all(tasks);
    EXPECT_EQ(wait_any(tasks), 0u);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(tasks[i].get(), i);
  });
}

TEST_P(task_wait, any_of_the_same_handle_twice) {
  run([] {
    event gate;
    auto t = start([&] { gate.wait(); });
    const std::vector both{t, t};
    auto waiter = start([&] { return wait_any(both); });
    this_task::yield();
    gate.set();
    EXPECT_EQ(waiter.get(), 0u);
  });
}

TEST_P(task_wait, many_tasks_wait_for_any_of_the_same) {
  run([] {
    event gate;
    std::vector<task<void>> tasks;
    for (int i = 0; i < 20; ++i) {
      tasks.push_back(spawn([&gate, i] {
        if (i != 5) gate.wait();
      }));
    }
    std::vector<task<std::size_t>> waiters;
    for (int i = 0; i < 50; ++i) waiters.push_back(spawn([&] { return wait_any(tasks); }));
    for (auto& w : waiters) EXPECT_EQ(w.get(), 5u);
    gate.set();
    wait_all(tasks);
  });
}

/// wait_any again and again on what is left, as a server does, while tasks end in an order of their own.
TEST_P(task_wait, any_until_none_is_left) {
  run([] {
    constexpr std::size_t n = 60;
    std::deque<event> gates(n);
    std::vector<task<std::size_t>> left;
    for (std::size_t i = 0; i < n; ++i) {
      left.push_back(spawn([&gates, i] {
        gates[i].wait();
        return i;
      }));
    }
    begin([&] {
      for (std::size_t i = 0; i < n; ++i) {
        gates[(i * 37) % n].set();
        if (i % 7 == 0) this_task::yield();
      }
    });
    std::size_t sum = 0;
    while (!left.empty()) {
      const std::size_t i = wait_any(left);
      EXPECT_TRUE(left[i].done());
      sum += left[i].get();
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    }
    EXPECT_EQ(sum, n * (n - 1) / 2);
  });
}

// One worker: with more, an idle one may take the task first.
TEST(task_wait_one_worker, inlines_what_is_still_virtual) {
  run(options{.workers = 1}, [] {
    const auto before = stats();
    const auto here = this_task::id();
    auto t = spawn([] { return this_task::id(); });
    EXPECT_EQ(t.get(), here) << "run on the waiter's stack";
    const auto after = stats();
    EXPECT_EQ(after.inlined - before.inlined, 1u);
    EXPECT_EQ(after.switches - before.switches, 0u);
    std::vector<task<std::uint64_t>> two;
    for (int i = 0; i < 2; ++i) two.push_back(spawn([] { return this_task::id(); }));
    wait_any(two);
    EXPECT_EQ(stats().realised - after.realised, 2u) << "all are realised before it blocks";
    wait_all(two);
    for (auto& u : two) EXPECT_NE(u.get(), here);
    EXPECT_NE(start([] { return this_task::id(); }).get(), here);
  });
}

TEST_P(task_wait, tasks_spawned_by_tasks) {
  run([] {
    struct recursive {
      static long fib(long n) {
        if (n < 2) return n;
        auto a = spawn([n] { return fib(n - 1); });
        auto b = spawn([n] { return fib(n - 2); });
        return n % 2 == 0 ? a.get() + b.get() : b.get() + a.get();
      }
    };
    EXPECT_EQ(recursive::fib(18), 2584);
  });
}

TEST_P(task_wait, what_a_task_wrote_is_visible_after) {
  run([] {
    for (int i = 0; i < 500; ++i) {
      long written = 0;
      auto t = spawn([&] { written = i + 1; });
      if (i % 2 == 0) this_task::yield();
      if (i % 3 == 0) {
        while (!t.done()) this_task::yield();
      } else {
        t.wait();
      }
      ASSERT_EQ(written, i + 1);
    }
  });
}

}  // namespace
