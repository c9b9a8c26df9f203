// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stop scopes: every wait of a task that is asked to stop ends by `cancelled`, the one it is in and those
// after; nesting, shields, and what is left when it is over.
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {
using namespace hocket;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

class stop_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(stop_test);

/// What a task can wait for; none of it happens until after the scope.
struct things {
  event never;
  event gate;
  task<int> waits = start([this] { return gate.wait(), 1; });
  std::vector<task<int>> several{waits, start([this] { return gate.wait(), 2; })};
  ~things() {
    gate.set();
    wait_all(several);
  }
};

const std::map<std::string, std::function<void(things&)>> waits{
    {"event::wait", [](things& t) { t.never.wait(); }},
    {"event::wait_for", [](things& t) { t.never.wait_for(24h); }},
    {"event::wait_until", [](things& t) { t.never.wait_until(steady::time_point::max()); }},
    {"task::wait", [](things& t) { t.waits.wait(); }},
    {"task::get", [](things& t) { t.waits.get(); }},
    {"task::wait_for", [](things& t) { t.waits.wait_for(24h); }},
    {"wait_all", [](things& t) { wait_all(t.several); }},
    {"wait_all_for", [](things& t) { wait_all_for(t.several, 24h); }},
    {"wait_any", [](things& t) { wait_any(t.several); }},
    {"wait_any_for", [](things& t) { wait_any_for(t.several, 24h); }},
    {"sleep_for", [](things&) { this_task::sleep_for(24h); }},
};

TEST_P(stop_test, before_a_wait) {
  run([] {
    things t;
    for (const auto& [name, wait] : waits) {
      stop_scope scope;
      EXPECT_FALSE(scope.stop_requested());
      EXPECT_TRUE(scope.request_stop());
      EXPECT_FALSE(scope.request_stop());
      EXPECT_TRUE(scope.stop_requested());
      for (int again = 0; again < 3; ++again) EXPECT_THROW(wait(t), cancelled) << name;
    }
    EXPECT_FALSE(t.waits.wait_for(0s)) << "the scopes are over";
  });
}

TEST_P(stop_test, during_a_wait_by_another_task) {
  run([] {
    things t;
    for (const auto& [name, wait] : waits) {
      stop_scope scope;
      auto other = start({.stop = std::stop_source().get_token()}, [&scope] { scope.request_stop(); });
      EXPECT_THROW(wait(t), cancelled) << name;
      const stop_shield shield;
      other.wait();
    }
  });
}

TEST_P(stop_test, during_a_wait_by_a_thread) {
  run([] {
    things t;
    for (const auto& [name, wait] : waits) {
      stop_scope scope;
      std::thread other([&scope] { scope.request_stop(); });
      EXPECT_THROW(wait(t), cancelled) << name;
      other.join();
    }
  });
}

TEST_P(stop_test, what_has_happened_already_is_still_told) {
  run([] {
    event set;
    set.set();
    auto done = spawn([] { return 3; });
    done.wait();
    stop_scope scope;
    scope.request_stop();
    set.wait();
    EXPECT_TRUE(set.wait_for(0s));
    EXPECT_EQ(done.get(), 3);
    EXPECT_EQ(wait_any(std::vector{done}), 0u);
  });
}

TEST_P(stop_test, cancelled_is_an_error_with_a_code_and_a_sentence) {
  run([] {
    stop_scope scope;
    scope.request_stop();
    try {
      this_task::check();
      ADD_FAILURE() << "no exception";
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::cancelled);
      EXPECT_STREQ(e.what(), "the task was asked to stop while it waited");
    }
  });
}

TEST_P(stop_test, check_is_a_place_to_stop_and_yield_is_none) {
  run([] {
    this_task::check();
    stop_scope scope;
    this_task::check();
    scope.request_stop();
    this_task::yield();
    EXPECT_THROW(this_task::check(), cancelled);
  });
  this_task::check();  // on a thread it does nothing
}

TEST_P(stop_test, a_mutex_is_locked_all_the_same) {
  run([] {
    mutex m;
    stop_scope scope;
    scope.request_stop();
    const std::lock_guard hold(m);
    auto other = start({.stop = std::stop_source().get_token()}, [&] { return m.try_lock_for(1ms); });
    const stop_shield shield;
    EXPECT_FALSE(other.get());
  });
}

TEST_P(stop_test, the_outer_stops_the_inner_not_the_other_way_round) {
  run([] {
    stop_scope outer;
    {
      stop_scope inner;
      inner.request_stop();
      EXPECT_THROW(this_task::check(), cancelled);
      EXPECT_FALSE(outer.stop_requested());
    }
    this_task::check();
    {
      stop_scope inner;
      stop_scope innermost;
      outer.request_stop();
      EXPECT_TRUE(inner.stop_requested());
      EXPECT_TRUE(innermost.stop_requested());
      EXPECT_THROW(this_task::check(), cancelled);
    }
    EXPECT_THROW(this_task::check(), cancelled);
    stop_scope late;  // within one that has been stopped
    EXPECT_TRUE(late.stop_requested());
  });
}

TEST_P(stop_test, a_given_token_stops_it_too) {
  run([] {
    std::stop_source given;
    stop_scope outer;
    {
      stop_scope scope(given.get_token());
      EXPECT_FALSE(scope.stop_requested());
      given.request_stop();
      EXPECT_TRUE(scope.stop_requested());
      EXPECT_THROW(this_task::check(), cancelled);
    }
    this_task::check();
    stop_scope at_once(given.get_token());
    EXPECT_TRUE(at_once.stop_requested());
    EXPECT_FALSE(outer.stop_requested());
  });
}

TEST_P(stop_test, the_token_is_seen) {
  run([] {
    EXPECT_FALSE(this_task::stop_token().stop_possible());
    stop_scope scope;
    EXPECT_EQ(this_task::stop_token(), scope.token());
    spawn([&] { EXPECT_EQ(this_task::stop_token(), scope.token()); }).wait();
    const stop_shield shield;
    EXPECT_EQ(this_task::stop_token(), scope.token()) << "what is made here is not shielded";
  });
  EXPECT_FALSE(this_task::stop_token().stop_possible());
}

TEST_P(stop_test, a_shield_puts_it_off_until_the_next_wait) {
  run([] {
    event set_later;
    stop_scope scope;
    scope.request_stop();
    {
      const stop_shield shield;
      this_task::check();
      auto t = start({.stop = std::stop_source().get_token()}, [&] { set_later.set(); });
      set_later.wait();
      t.wait();
      this_task::sleep_for(1us);
      {
        stop_scope inner;  // asked for on purpose: it is not the outer one that the shield is for
        EXPECT_TRUE(inner.stop_requested());
        EXPECT_THROW(this_task::check(), cancelled);
      }
      this_task::check();
    }
    EXPECT_THROW(this_task::sleep_for(24h), cancelled);
  });
}

TEST_P(stop_test, what_is_made_in_a_shield_is_not_shielded) {
  run([] {
    stop_scope scope;
    const stop_shield shield;
    auto t = start([] { this_task::sleep_for(24h); });
    scope.request_stop();
    EXPECT_THROW(t.get(), cancelled);
  });
}

TEST_P(stop_test, a_shield_without_a_scope_is_nothing) {
  run([] {
    const stop_shield shield;
    this_task::check();
    this_task::sleep_for(1us);
  });
}

TEST_P(stop_test, threads_that_are_no_tasks_have_no_scopes) {
  const auto refused = [](auto f) {
    try {
      f();
    } catch (const error& e) {
      return e.code() == errc::not_a_task;
    }
    return false;
  };
  EXPECT_TRUE(refused([] { stop_scope scope; }));
  EXPECT_TRUE(refused([] { stop_shield shield; }));
  run([&] {
    hocket_test::on_a_thread([&] {
      EXPECT_TRUE(refused([] { stop_scope scope; }));
      EXPECT_TRUE(refused([] { stop_shield shield; }));
    });
  });
}

TEST_P(stop_test, the_task_that_is_waited_for_goes_on) {
  run([] {
    event gate;
    auto t = start([&] { return gate.wait(), 5; });
    {
      stop_scope scope;
      scope.request_stop();
      EXPECT_THROW(t.get(), cancelled);
    }
    gate.set();
    EXPECT_EQ(t.get(), 5);
  });
}

TEST_P(stop_test, stopped_and_set_at_one_moment) {
  run([] {
    int cancelled_count = 0, told = 0;
    const long n = hocket_test::sized(1000, 100);
    for (long i = 0; i < n; ++i) {
      event e;
      stop_scope scope;
      auto stops = start({.stop = std::stop_source().get_token()}, [&] { scope.request_stop(); });
      auto sets = start({.stop = std::stop_source().get_token()}, [&] { e.set(); });
      try {
        e.wait();
        ++told;
      } catch (const cancelled&) {
        ++cancelled_count;
      }
      const stop_shield shield;
      wait(stops, sets);
    }
    EXPECT_EQ(told + cancelled_count, n);
  });
}

}  // namespace
