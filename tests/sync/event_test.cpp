// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// event: every waiter returns once, whoever waits and whoever sets, with and without a time limit; what was
// written before set() is seen; the event may end with its last waiter.
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <vector>

namespace {
using namespace hocket;
using namespace std::chrono_literals;

class event_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(event_test);

TEST_P(event_test, set_before_a_wait_and_again) {
  run([] {
    hocket_test::everywhere([] {
      event e;
      EXPECT_FALSE(e.ready());
      e.set();
      e.set();
      EXPECT_TRUE(e.ready());
      e.wait();
      e.wait();
      e.reset();
      EXPECT_FALSE(e.ready());
      EXPECT_FALSE(e.wait_for(1us));
      e.set();
      e.wait();
    });
  });
}

TEST_P(event_test, outside_a_run_threads_use_it_too) {
  event e;
  int written = 0;
  std::thread other([&] { written = 1, e.set(); });
  e.wait();
  EXPECT_EQ(written, 1);
  other.join();
  event never;
  EXPECT_FALSE(never.wait_for(1ms));
}

TEST_P(event_test, all_who_wait_are_let_go) {
  for (const int n : {0, 1, 2, 1000}) {
    std::atomic<int> returned{0};
    run([&] {
      event e;
      int written = 0;
      std::vector<task<void>> all;
      for (int i = 0; i < n; ++i) {
        all.push_back(start([&, i] {
          if (i % 2 == 0) {
            e.wait();
          } else {
            EXPECT_TRUE(e.wait_for(24h));
          }
          EXPECT_EQ(written, 1);
          ++returned;
        }));
      }
      std::thread foreign([&] {
        e.wait();
        EXPECT_EQ(written, 1);
        ++returned;
      });
      if (n % 2 == 0) this_task::yield();
      written = 1;
      e.set();
      wait_all(all);
      foreign.join();
    });
    EXPECT_EQ(returned, n + 1);
  }
}

TEST_P(event_test, waiters_that_time_out_leave_in_any_order) {
  run([] {
    event e;
    std::atomic<int> in_time{0}, late{0};
    std::vector<task<void>> all;
    for (int i = 0; i < 300; ++i) {
      all.push_back(start([&, i] {
        if (i % 3 == 0) {
          e.wait();
          ++in_time;
        } else {
          ++(e.wait_for(std::chrono::microseconds(i * 37 % 500)) ? in_time : late);
        }
      }));
    }
    while (late < 50) this_task::sleep_for(50us);  // first, last and middle ones have left by now
    e.set();
    wait_all(all);
    EXPECT_EQ(in_time + late, 300);
    EXPECT_GE(in_time, 100);
  });
}

TEST_P(event_test, set_and_time_out_at_one_moment) {
  run([] {
    std::mt19937 random(5);
    const long n = hocket_test::sized(2000, 200);
    long told = 0, late = 0;
    for (long i = 0; i < n; ++i) {
      event e;
      auto setter = start([&e, d = random() % 40] {
        if (d % 3 != 0) this_task::sleep_for(std::chrono::microseconds(d));
        e.set();
      });
      std::optional<task<bool>> second;
      if (i % 4 == 0)
        second = start([&e, d = random() % 40] { return e.wait_for(std::chrono::microseconds(d)); });
      ++(e.wait_for(std::chrono::microseconds(random() % 40)) ? told : late);
      if (second) second->wait();
      setter.wait();
      EXPECT_TRUE(e.ready());
    }
    EXPECT_EQ(told + late, n);
  });
}

TEST_P(event_test, set_and_time_out_at_one_moment_by_threads) {
  run([] {
    std::mt19937 random(6);
    for (int i = 0; i < hocket_test::sized(300, 60); ++i) {
      event e;
      std::thread foreign([&e, d = random() % 60] { e.wait_for(std::chrono::microseconds(d)); });
      std::thread setter([&e] { e.set(); });
      e.wait_for(std::chrono::microseconds(random() % 60));
      foreign.join();
      setter.join();
    }
  });
}

TEST_P(event_test, the_last_one_let_go_may_destroy_it) {
  run([] {
    for (int i = 0; i < hocket_test::sized(2000, 300); ++i) {
      auto e = std::make_unique<event>();
      event* raw = e.get();
      auto setter = start([raw] { raw->set(); });
      e->wait();
      e.reset();  // set() may still be on its way out
      setter.wait();
    }
    for (int i = 0; i < hocket_test::sized(100, 30); ++i) {
      auto e = std::make_unique<event>();
      std::thread setter([raw = e.get()] { raw->set(); });
      e->wait();
      e.reset();
      setter.join();
    }
  });
}

TEST_P(event_test, several_setters) {
  run([] {
    for (int i = 0; i < 100; ++i) {
      event e;
      std::vector<task<void>> all;
      for (int k = 0; k < 4; ++k) all.push_back(start([&] { e.set(); }));
      for (int k = 0; k < 4; ++k) all.push_back(start([&] { e.wait(); }));
      e.wait();
      wait_all(all);
    }
  });
}

TEST_P(event_test, passed_from_hand_to_hand) {
  run([] {
    constexpr int n = 500;
    std::vector<event> chain(n + 1);
    std::vector<int> value(n + 1);
    std::vector<task<void>> links;
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      links.push_back(spawn([&, k] {
        chain[k].wait();
        value[k + 1] = value[k] + 1;
        chain[k + 1].set();
      }));
    }
    chain[0].set();
    chain[n].wait();
    EXPECT_EQ(value[n], n);
    wait_all(links);
  });
}

}  // namespace
