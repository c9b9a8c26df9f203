// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// counter: who waits for zero goes on; nothing is missed; steps that cannot be are refused.
#include "support/errors.hpp"
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace {
using namespace hocket;
using namespace hocket_test;
using namespace std::chrono_literals;

class counter_test : public on_workers {};
HOCKET_ON_ALL_WORKERS(counter_test);

TEST_P(counter_test, at_zero_and_not) {
  run([] {
    everywhere([] {
      counter c;
      c.wait();
      EXPECT_TRUE(c.try_wait());
      EXPECT_TRUE(c.wait_for(0s));
      c.add(0);
      c.done(0);
      EXPECT_EQ(c.value(), 0);
      c.add();
      EXPECT_FALSE(c.try_wait());
      EXPECT_FALSE(c.wait_for(0s));
      EXPECT_FALSE(c.wait_for(1ms));
      EXPECT_FALSE(c.wait_until(std::chrono::steady_clock::now() - 1s));
      c.add(4);
      EXPECT_FALSE(c.done(3));
      EXPECT_EQ(c.value(), 2);
      EXPECT_TRUE(c.done(2));
      EXPECT_FALSE(c.done(0));
      EXPECT_EQ(c.value(), 0);
      c.wait();
      counter most(counter::max());
      EXPECT_EQ(most.value(), counter::max());
      most.done(counter::max());
      EXPECT_TRUE(most.try_wait());
    });
  });
}

TEST_P(counter_test, steps_that_cannot_be) {
  EXPECT_EQ(code_of([] { counter c(-1); }), errc::misuse);
  EXPECT_EQ(code_of([] { counter c(counter::max() + 1); }), errc::misuse);
  counter c(1);
  EXPECT_EQ(code_of([&] { c.add(-1); }), errc::misuse);
  EXPECT_EQ(code_of([&] { c.done(-1); }), errc::misuse);
  EXPECT_EQ(code_of([&] { c.done(2); }), errc::misuse);
  EXPECT_EQ(code_of([&] { c.add(counter::max()); }), errc::misuse);
  EXPECT_EQ(c.value(), 1);
  c.done();
  EXPECT_EQ(code_of([&] { c.done(); }), errc::misuse);
}

TEST_P(counter_test, all_who_wait_go_on_at_zero) {
  run([] {
    const long n = sized(1000, 200);
    counter left(n);
    std::atomic<long> went{0}, threads_went{0};
    std::vector<long> result(static_cast<std::size_t>(n));
    std::vector<task<void>> all;
    for (int i = 0; i < 20; ++i) {
      all.push_back(start([&] {
        left.wait();
        long sum = 0;
        for (const long r : result) sum += r;
        EXPECT_EQ(sum, n * (n - 1) / 2);
        ++went;
      }));
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        left.wait();
        ++threads_went;
      });
    }
    std::atomic<int> last{0};
    for (long i = 0; i < n; ++i) {
      all.push_back(spawn([&, i] {
        result[static_cast<std::size_t>(i)] = i;
        last += left.done();
      }));
    }
    wait_all(all);
    EXPECT_EQ(last, 1) << "one has brought it to zero";
    on_a_thread([&] {
      for (std::thread& t : threads) t.join();
    });
    EXPECT_EQ(went, 20);
    EXPECT_EQ(threads_went, 3);
  });
}

TEST_P(counter_test, who_waited_goes_on_although_it_is_raised_again_at_once) {
  run([] {
    counter c;
    for (int round = 0; round < 200; ++round) {
      c.add(1);
      const std::size_t before = tasks_by_state().suspended;
      const auto t = start([&] { c.wait(); });
      while (tasks_by_state().suspended != before + 1) this_task::yield();
      c.done();
      c.add(1);
      t.wait();
      c.done();
    }
  });
}

TEST_P(counter_test, it_may_end_with_who_found_it_at_zero) {
  run([] {
    for (long i = 0; i < sized(2000, 200); ++i) {
      auto c = std::make_unique<counter>(2);
      const auto one = spawn([&] { c->done(); });
      const auto two = start([&] { c->done(); });
      if (i % 2 == 0) {
        c->wait();
      } else {
        while (!c->wait_for(1us)) {
        }
      }
      c.reset();
      wait(one, two);
    }
    on_a_thread([] {
      for (int i = 0; i < 200; ++i) {
        auto c = std::make_unique<counter>(1);
        std::thread other([&] { c->done(); });
        c->wait();
        c.reset();
        other.join();
      }
    });
  });
}

TEST_P(counter_test, out_of_time_and_at_zero_at_one_moment) {
  run([] {
    std::atomic<long> in_time{0}, late{0};
    const long rounds = sized(300, 50);
    for (long i = 0; i < rounds; ++i) {
      counter c(1);
      std::vector<task<void>> all;
      for (int k = 0; k < 4; ++k) {
        all.push_back(start([&, k] { (c.wait_for(std::chrono::microseconds(k * 5)) ? in_time : late)++; }));
      }
      c.done();
      wait_all(all);
    }
    EXPECT_EQ(in_time + late, 4 * rounds);
  });
}

TEST_P(counter_test, cancellation_comes_out_of_the_wait) {
  run([] {
    counter c(1);
    std::stop_source stop;
    const auto t = start({.stop = stop.get_token()}, [&] { c.wait(); });
    while (tasks_by_state().suspended != 1) this_task::yield();
    stop.request_stop();
    EXPECT_THROW(t.get(), cancelled);
    c.done();
    c.wait();
  });
}

}  // namespace
