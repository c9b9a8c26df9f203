// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every wait with a time limit, by tasks and by threads that are none: never early, right when what is waited
// for comes before or never, at the ends of the range of times.
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <vector>

namespace {
using namespace hocket;
using namespace std::chrono_literals;
using hocket_test::everywhere;
using steady = std::chrono::steady_clock;
using wall = std::chrono::system_clock;

class timed_waits : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(timed_waits);

/// Calls wait(d), which must not return before d has passed, unless it returns true.
template <class F, class D>
void expect_times_out(F wait, D d) {
  const auto until = steady::now() + d;
  EXPECT_FALSE(wait(d));
  EXPECT_GE(steady::now(), until) << "early";
}

TEST_P(timed_waits, sleep_is_never_short) {
  run([] {
    everywhere([] {
      for (const auto d : {-1h, 0h}) this_task::sleep_for(d);
      this_task::sleep_for(steady::duration::min());
      this_task::sleep_until(steady::time_point::min() + 1h);
      this_task::sleep_until(wall::time_point{});
      for (const auto d : {1ns, 999ns, 1000ns, 16'384ns, 100'000ns, 3'000'000ns}) {
        auto until = steady::now() + d;
        this_task::sleep_for(d);
        EXPECT_GE(steady::now(), until);
        until = steady::now() + d;
        this_task::sleep_until(until);
        EXPECT_GE(steady::now(), until);
      }
      using ticks = std::chrono::duration<double, std::micro>;
      const auto until = steady::now() + 250us;
      this_task::sleep_for(ticks(250.5));
      EXPECT_GE(steady::now(), until);
    });
  });
}

TEST_P(timed_waits, many_sleepers_each_its_time) {
  std::atomic<int> early{0}, woken{0};
  run([&] {
    for (int i = 0; i < hocket_test::sized(2000, 200); ++i) {
      begin([&, d = std::chrono::microseconds(i * 7 % 5000)] {
        const auto until = steady::now() + d;
        this_task::sleep_for(d);
        early += steady::now() < until;
        ++woken;
      });
    }
  });
  EXPECT_EQ(early, 0);
  EXPECT_EQ(woken, hocket_test::sized(2000, 200));
}

TEST_P(timed_waits, sleepers_wake_in_the_order_of_their_times) {
  if (workers() != 1) return;  // the order in which several workers run what is ready is free
  run([] {
    bool in_order = false;
    // A machine that stands still for some ms may let the times pass before the tasks have begun.
    for (int attempt = 0; attempt < 10 && !in_order; ++attempt) {
      std::vector<int> order;
      std::vector<task<void>> sleepers;
      const auto now = steady::now();
      for (int i : {3, 1, 4, 0, 2}) {
        sleepers.push_back(start([&order, i, until = now + 5ms + i * 2ms] {
          this_task::sleep_until(until);
          order.push_back(i);
        }));
      }
      wait_all(sleepers);
      in_order = order == std::vector<int>{0, 1, 2, 3, 4};
    }
    EXPECT_TRUE(in_order);
  });
}

TEST_P(timed_waits, an_event_that_is_never_set) {
  run([] {
    event never;
    everywhere([&] {
      EXPECT_FALSE(never.wait_for(0s));
      EXPECT_FALSE(never.wait_for(-1s));
      EXPECT_FALSE(never.wait_for(std::chrono::hours::min()));
      EXPECT_FALSE(never.wait_until(wall::now() - 1h));
      for (const auto d : {1ns, 2'000'000ns}) {
        expect_times_out([&](auto t) { return never.wait_for(t); }, d);
        expect_times_out([&](auto t) { return never.wait_until(steady::now() + t); }, d);
      }
      EXPECT_FALSE(never.wait_until(wall::now() + 1ms));
    });
  });
}

TEST_P(timed_waits, an_event_that_is_set_before) {
  run([] {
    event set;
    set.set();
    everywhere([&] {
      EXPECT_TRUE(set.wait_for(0s));
      EXPECT_TRUE(set.wait_for(-1s));
      EXPECT_TRUE(set.wait_for(std::chrono::hours::max()));
      EXPECT_TRUE(set.wait_until(steady::time_point::min()));
      EXPECT_TRUE(set.wait_until(wall::now()));
    });
  });
}

TEST_P(timed_waits, an_event_that_is_set_meanwhile_and_limits_far_away) {
  run([] {
    everywhere([] {
      const auto while_set = [](auto wait) {
        event e;
        begin([&] { e.set(); });
        EXPECT_TRUE(wait(e));
      };
      while_set([](event& e) { return e.wait_for(24h); });
      while_set([](event& e) { return e.wait_for(steady::duration::max()); });
      while_set([](event& e) { return e.wait_for(std::chrono::hours::max()); });
      while_set([](event& e) { return e.wait_for(std::chrono::duration<double>(1e300)); });
      while_set([](event& e) { return e.wait_until(steady::now() + 24h); });
      while_set([](event& e) { return e.wait_until(steady::time_point::max()); });
      while_set([](event& e) { return e.wait_until(wall::now() + 24h); });
    });
  });
}

TEST_P(timed_waits, tasks) {
  run([] {
    everywhere([] {
      event gate;
      auto ended = spawn([] { return 1; });
      ended.wait();
      EXPECT_TRUE(ended.wait_for(0s));
      EXPECT_TRUE(ended.wait_until(steady::time_point::min()));
      auto waits = spawn([&] { return gate.wait(), 2; });
      EXPECT_FALSE(waits.wait_for(0s));
      EXPECT_FALSE(waits.wait_for(-1h));
      EXPECT_FALSE(waits.wait_until(wall::now() - 1s));
      expect_times_out([&](auto d) { return waits.wait_for(d); }, 1ms);
      expect_times_out([&](auto d) { return waits.wait_until(steady::now() + d); }, 1ms);
      EXPECT_FALSE(waits.done());
      gate.set();
      EXPECT_TRUE(waits.wait_for(24h));
      EXPECT_EQ(waits.get(), 2);
      EXPECT_TRUE(spawn([] {}).wait_for(steady::duration::max()));
      auto fails = spawn([] { throw 1; });
      EXPECT_TRUE(fails.wait_for(24h)) << "to end by an exception is to end";
      EXPECT_THROW(fails.get(), int);
    });
  });
}

TEST_P(timed_waits, a_virtual_task_is_not_run_by_who_has_a_limit) {
  run([] {
    event gate;
    const std::uint64_t me = this_task::id();
    auto t = spawn([&] {
      gate.wait();
      return this_task::id();
    });
    auto opens = start([&] { gate.set(); });
    EXPECT_TRUE(t.wait_for(24h));
    EXPECT_NE(t.get(), me) << "it has a stack of its own";
    opens.wait();
  });
}

TEST_P(timed_waits, any_of_several) {
  run([] {
    everywhere([] {
      event gate;
      std::vector<task<int>> all;
      for (int i = 0; i < 5; ++i) all.push_back(spawn([&gate, i] { return gate.wait(), i; }));
      EXPECT_EQ(wait_any_for(all, 0s), std::nullopt);
      EXPECT_EQ(wait_any_for(all, -1s), std::nullopt);
      expect_times_out([&](auto d) { return wait_any_for(all, d).has_value(); }, 1ms);
      expect_times_out([&](auto d) { return wait_any_until(all, steady::now() + d).has_value(); }, 1ms);
      all.push_back(spawn([] { return 5; }));
      EXPECT_EQ(wait_any_for(all, 24h), 5u);
      EXPECT_EQ(wait_any_for(all, 0s), 5u) << "a look finds it";
      EXPECT_EQ(wait_any_until(all, wall::now() + 24h), 5u);
      gate.set();
      wait_all(all);
      EXPECT_EQ(wait_any_for(all, steady::duration::max()), 0u);
      EXPECT_THROW(wait_any_for(std::vector<task<int>>{}, 1s), error);
    });
  });
}

TEST_P(timed_waits, all_of_several) {
  run([] {
    everywhere([] {
      event gate;
      std::vector<task<int>> all;
      EXPECT_TRUE(wait_all_for(all, 0s)) << "none is left";
      EXPECT_TRUE(wait_all_until(all, steady::now()));
      for (int i = 0; i < 5; ++i) all.push_back(spawn([i] { return i; }));
      EXPECT_TRUE(wait_all_for(all, 24h));
      all.insert(all.begin(), spawn([&gate] { return gate.wait(), 9; }));
      EXPECT_FALSE(wait_all_for(all, 0s));
      expect_times_out([&](auto d) { return wait_all_for(all, d); }, 1ms);
      expect_times_out([&](auto d) { return wait_all_until(all, steady::now() + d); }, 1ms);
      gate.set();
      EXPECT_TRUE(wait_all_for(all, 24h));
      EXPECT_TRUE(wait_all_until(all, wall::now() + 24h));
    });
  });
}

TEST_P(timed_waits, a_mutex) {
  run([] {
    mutex m;
    m.lock();
    hocket_test::on_a_thread([&] {
      EXPECT_FALSE(m.try_lock_for(0s));
      EXPECT_FALSE(m.try_lock_for(-1s));
      expect_times_out([&](auto d) { return m.try_lock_for(d); }, 1ms);
      expect_times_out([&](auto d) { return m.try_lock_until(steady::now() + d); }, 1ms);
    });
    start([&] {
      EXPECT_FALSE(m.try_lock_for(0s));
      expect_times_out([&](auto d) { return m.try_lock_for(d); }, 1ms);
      EXPECT_FALSE(m.try_lock_until(wall::now() + 1ms));
    }).get();
    m.unlock();
    everywhere([&] {
      for (const auto d : {steady::duration::min(), steady::duration{0}, steady::duration::max()}) {
        EXPECT_TRUE(m.try_lock_for(d));
        m.unlock();
      }
    });
    m.lock();
    auto waits = start([&] {
      const bool got = m.try_lock_for(24h);
      if (got) m.unlock();
      return got;
    });
    this_task::yield();
    m.unlock();
    EXPECT_TRUE(waits.get());
  });
}

TEST_P(timed_waits, a_short_limit_set_while_the_keeper_sleeps_for_a_long_one) {
  // Were the sleeping workers not told of the new first timer, the run would last an hour.
  run([] {
    std::stop_source enough;
    event asleep;
    auto late = start({.stop = enough.get_token()}, [&] {
      asleep.set();
      this_task::sleep_for(1h);
    });
    asleep.wait();
    for (int i = 0; i < 20; ++i) this_task::sleep_for(1ms);
    hocket_test::on_a_thread([] {  // every worker sleeps, and a thread sets the next timer
      for (int i = 0; i < 20; ++i) spawn_after(1ms, [] {}).wait();
    });
    enough.request_stop();
    EXPECT_THROW(late.get(), cancelled);
  });
}

}  // namespace
