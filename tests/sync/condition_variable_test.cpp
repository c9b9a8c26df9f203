// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// condition_variable: no notification is lost, and each is for one that waits, whatever the lock, with limits
// and stops; the lock is held again afterwards; it may end once all are notified.
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace {
using namespace hocket;
using namespace std::chrono_literals;

class condition_variable_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(condition_variable_test);

/// Whether it ended by being stopped; to be asked by one that may be stopped too.
template <class T>
bool was_cancelled(task<T>& t) {
  const stop_shield shield;
  try {
    t.get();
  } catch (const cancelled&) {
    return true;
  }
  return false;
}
void await_suspended(std::size_t n) {
  while (tasks_by_state().suspended != n) this_task::yield();
}

TEST_P(condition_variable_test, with_nobody_there_and_in_time) {
  run([] {
    hocket_test::everywhere([] {
      condition_variable c;
      mutex m;
      c.notify_one();
      c.notify_all();
      std::unique_lock hold(m);
      EXPECT_EQ(c.wait_for(hold, 0s), std::cv_status::timeout);
      EXPECT_EQ(c.wait_for(hold, 1us), std::cv_status::timeout);
      EXPECT_EQ(c.wait_until(hold, std::chrono::system_clock::now()), std::cv_status::timeout);
      EXPECT_FALSE(c.wait_for(hold, 1us, [] { return false; }));
      EXPECT_TRUE(c.wait_for(hold, 0s, [] { return true; }));
      EXPECT_FALSE(c.wait_until(hold, std::chrono::steady_clock::now(), [] { return false; }));
      c.wait(hold, [] { return true; });
      EXPECT_TRUE(hold.owns_lock());
      EXPECT_FALSE(m.try_lock());
    });
  });
}

/// Items through a queue of two, from so many to so many others.
template <class Lock, class Mutex>
void produce_and_consume(int tasks, int threads, long each, bool limited) {
  Mutex m;
  condition_variable not_empty, not_full;
  std::deque<long> queue;
  long made = 0, taken = 0;
  const auto produce = [&] {
    for (long i = 1; i <= each; ++i) {
      Lock hold(m);
      not_full.wait(hold, [&] { return queue.size() < 2; });
      queue.push_back(i);
      made += i;
      not_empty.notify_one();
    }
  };
  const auto consume = [&] {
    for (long i = 1; i <= each; ++i) {
      Lock hold(m);
      if (limited) {
        while (!not_empty.wait_for(hold, 5us, [&] { return !queue.empty(); })) {
        }
      } else {
        not_empty.wait(hold, [&] { return !queue.empty(); });
      }
      taken += queue.front();
      queue.pop_front();
      hold.unlock();
      not_full.notify_one();
    }
  };
  std::vector<task<void>> all;
  for (int i = 0; i < tasks; ++i) {
    all.push_back(start(produce));
    all.push_back(start(consume));
  }
  std::vector<std::thread> foreign;
  for (int i = 0; i < threads; ++i) {
    foreign.emplace_back(produce);
    foreign.emplace_back(consume);
  }
  for (auto& t : all) t.get();
  for (auto& t : foreign) t.join();
  EXPECT_EQ(made, (tasks + threads) * each * (each + 1) / 2);
  EXPECT_EQ(taken, made);
  EXPECT_TRUE(queue.empty());
}

TEST_P(condition_variable_test, one_notification_lets_one_go) {
  run([] {
    const long n = hocket_test::sized(300, 50);
    produce_and_consume<std::unique_lock<mutex>, mutex>(5, 0, n, false);
    produce_and_consume<std::unique_lock<mutex>, mutex>(3, 1, n, false);
    produce_and_consume<std::unique_lock<mutex>, mutex>(3, 1, n, true);
    using shared = hocket::shared_mutex;
    produce_and_consume<std::unique_lock<shared>, shared>(3, 1, n, false);
  });
}
TEST_P(condition_variable_test, outside_a_run_threads_use_it_too) {
  produce_and_consume<std::unique_lock<mutex>, mutex>(0, 2, 100, false);
}

TEST_P(condition_variable_test, those_who_wait_are_let_go_in_their_order) {
  run([] {
    mutex m;
    condition_variable c;
    std::vector<int> order;
    std::vector<task<void>> all;
    for (int i = 0; i < 20; ++i) {
      all.push_back(start([&, i] {
        std::unique_lock hold(m);
        c.wait(hold);
        order.push_back(i);
      }));
      await_suspended(all.size());
    }
    for (std::size_t i = 1; i <= 20; ++i) {
      c.notify_one();
      all[i - 1].get();
      EXPECT_EQ(order.size(), i);
    }
    for (int i = 0; i < 20; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  });
}

TEST_P(condition_variable_test, all_are_let_go_also_those_who_share_the_lock) {
  run([] {
    hocket::shared_mutex m;
    condition_variable c;
    bool ready = false;
    std::atomic<int> there{0};
    const auto wait_shared = [&] {
      std::shared_lock hold(m);
      ++there;
      c.wait(hold, [&] { return ready; });
      EXPECT_TRUE(hold.owns_lock());
    };
    std::vector<task<void>> all;
    for (int i = 0; i < 50; ++i) all.push_back(start(wait_shared));
    std::thread foreign(wait_shared);
    while (there != 51) this_task::yield();
    {
      const std::lock_guard hold(m);  // when all who were there have given it up
      ready = true;
    }
    c.notify_all();
    for (auto& t : all) t.get();
    foreign.join();
  });
}

TEST_P(condition_variable_test, a_stopped_wait_throws_with_the_lock_held) {
  run([] {
    mutex m;
    condition_variable c;
    stop_scope scope;
    auto t = start([&] {
      std::unique_lock hold(m);
      try {
        c.wait(hold, [] { return false; });
      } catch (const cancelled&) {
        EXPECT_TRUE(hold.owns_lock());
        EXPECT_FALSE(m.try_lock());
        throw;
      }
    });
    await_suspended(1);
    scope.request_stop();
    EXPECT_TRUE(was_cancelled(t));
    std::unique_lock hold(m);
    EXPECT_THROW(c.wait(hold), cancelled);
    EXPECT_TRUE(hold.owns_lock());
  });
}

/// One is notified; it, or another in its place, goes on, though some give up or are stopped at that moment.
TEST_P(condition_variable_test, notified_and_stopped_or_out_of_time_at_one_moment) {
  run([] {
    std::mt19937 random(11);
    for (long i = 0; i < hocket_test::sized(1000, 120); ++i) {
      mutex m;
      condition_variable c;
      int notified = 0, there = 0;
      event notify;
      // These two are made before the scope, and so not stopped.
      task<void> patient = start([&] {
        std::unique_lock hold(m);
        while (there != 3) {  // the others are before it
          hold.unlock();
          this_task::yield();
          hold.lock();
        }
        ++there;
        c.wait(hold);
        ++notified;
      });
      task<void> notifier = start([&] {
        notify.wait();
        c.notify_one();
      });
      stop_scope scope;
      std::vector<task<void>> all;
      for (unsigned k = 0; k < 3; ++k) {
        all.push_back(start([&, k, d = random() % 100] {
          std::unique_lock hold(m);
          ++there;
          try {
            if (k == 0) c.wait(hold), ++notified;
            if (k != 0)
              notified += c.wait_for(hold, std::chrono::microseconds(d)) == std::cv_status::no_timeout;
          } catch (const cancelled&) {
          }
          EXPECT_TRUE(hold.owns_lock());
        }));
      }
      const stop_shield shield;
      for (bool all_there = false; !all_there;) {
        this_task::yield();
        const std::lock_guard hold(m);
        all_there = there == 4;
      }
      notify.set();
      if (i % 2 == 0) scope.request_stop();
      notifier.get();
      for (long sure = 0; sure == 0;) {
        this_task::yield();
        const std::lock_guard hold(m);
        sure = notified;  // hangs if the notification was lost
      }
      {
        const std::lock_guard hold(m);
        EXPECT_EQ(notified, 1);
      }
      c.notify_all();
      for (auto& t : all) t.wait();
      patient.get();
    }
  });
}

TEST_P(condition_variable_test, an_unlock_that_throws_leaves_nobody_behind) {
  run([] {
    hocket_test::everywhere([] {
      mutex m;
      condition_variable c;
      std::unique_lock not_held(m, std::defer_lock);
      EXPECT_THROW(c.wait(not_held), std::system_error);
      EXPECT_THROW(c.wait_for(not_held, 24h), std::system_error);
      c.notify_all();
    });
  });
}

TEST_P(condition_variable_test, a_predicate_that_throws_leaves_the_lock_held) {
  run([] {
    mutex m;
    condition_variable c;
    std::unique_lock hold(m);
    EXPECT_THROW(c.wait(hold, []() -> bool { throw 1; }), int);
    EXPECT_TRUE(hold.owns_lock());
  });
}

/// When all have been notified it may go, before they have come back.
TEST_P(condition_variable_test, destroyed_after_the_notification) {
  run([] {
    std::mt19937 random(12);
    for (long i = 0; i < hocket_test::sized(500, 80); ++i) {
      mutex m;
      auto c = std::make_unique<condition_variable>();
      int there = 0;
      const auto wait_in = [&](unsigned how, unsigned d) {
        std::unique_lock hold(m);
        ++there;
        if (how == 0) c->wait(hold);
        if (how != 0) c->wait_for(hold, std::chrono::microseconds(d));
      };
      std::vector<task<void>> all;
      for (unsigned k = 0; k < 4; ++k)
        all.push_back(start([&, k, d = static_cast<unsigned>(random() % 100)] { wait_in(k % 2, d); }));
      std::thread foreign;
      if (i % 5 == 0) foreign = std::thread([&] { wait_in(1, 50); });
      for (bool all_there = false; !all_there;) {
        this_task::yield();
        const std::lock_guard hold(m);
        all_there = there == (i % 5 == 0 ? 5 : 4);
      }
      {
        const std::lock_guard hold(m);  // they cannot come back yet
        c->notify_all();
        c.reset();
      }
      for (auto& t : all) t.get();
      if (foreign.joinable()) foreign.join();
    }
  });
}

TEST_P(condition_variable_test, who_was_notified_may_destroy_it) {
  run([] {
    for (int i = 0; i < hocket_test::sized(1000, 150); ++i) {
      mutex m;
      auto c = std::make_unique<condition_variable>();
      bool ready = false;
      const auto notify = [&] {
        std::unique_lock hold(m);
        ready = true;
        condition_variable* raw = c.get();
        raw->notify_one();
      };
      std::thread foreign;
      task<void> notifier;
      if (i % 10 == 0) foreign = std::thread(notify);
      if (i % 10 != 0) notifier = start(notify);
      {
        std::unique_lock hold(m);
        if (i % 2 == 0) c->wait(hold, [&] { return ready; });
        if (i % 2 != 0) {
          EXPECT_TRUE(c->wait_for(hold, 24h, [&] { return ready; }));
        }
        c.reset();
      }
      if (foreign.joinable()) foreign.join();
      if (i % 10 != 0) notifier.get();
    }
  });
}

}  // namespace
