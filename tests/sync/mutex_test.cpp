// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mutex: it excludes tasks and threads, hands itself on in order, gives up in time, is held across waits, and
// may end with its last owner.
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace {
using namespace hocket;
using namespace std::chrono_literals;

class mutex_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(mutex_test);

TEST_P(mutex_test, free_held_and_free_again) {
  run([] {
    hocket_test::everywhere([] {
      mutex m;
      m.lock();
      m.unlock();
      EXPECT_TRUE(m.try_lock());
      m.unlock();
      EXPECT_TRUE(m.try_lock_for(0s));
      EXPECT_EQ(m.owner() != nullptr, this_task::id() != 0);
      m.unlock();
      EXPECT_EQ(m.owner(), nullptr);
    });
    mutex m;
    m.lock();
    hocket_test::on_a_thread([&] { EXPECT_FALSE(m.try_lock()); });
    start([&] { EXPECT_FALSE(m.try_lock()); }).get();
    m.unlock();
  });
}

TEST_P(mutex_test, outside_a_run_it_is_a_mutex_for_threads) {
  mutex m;
  long n = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 500; ++k) {
        const std::lock_guard hold(m);
        ++n;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(n, 2000);
}

TEST_P(mutex_test, with_the_standard_locks) {
  run([] {
    mutex a, b;
    {
      const std::scoped_lock both(a, b);
    }
    {
      std::unique_lock hold(a, std::try_to_lock);
      EXPECT_TRUE(hold.owns_lock());
    }
    // Two that take both in opposite orders: scoped_lock avoids the deadlock.
    std::vector<task<void>> all;
    long n = 0;
    for (int i = 0; i < 20; ++i) {
      all.push_back(start([&, i] {
        for (int k = 0; k < 20; ++k) {
          if (i % 2 == 0) {
            const std::scoped_lock both(a, b);
            ++n;
          } else {
            const std::scoped_lock both(b, a);
            ++n;
          }
        }
      }));
    }
    for (auto& t : all) t.get();
    EXPECT_EQ(n, 400);
  });
}

TEST_P(mutex_test, excludes_tasks_and_threads_that_wait_while_they_hold_it) {
  run([] {
    mutex m;
    long n = 0;
    std::atomic<int> inside{0}, wrong{0};
    const long rounds = hocket_test::sized(200, 40);
    const auto work = [&](int how) {
      for (long i = 0; i < rounds; ++i) {
        const std::lock_guard hold(m);
        wrong += ++inside != 1;
        const long seen = n;
        if ((i + how) % 7 == 0) this_task::yield();
        if ((i + how) % 50 == 1) this_task::sleep_for(1us);
        n = seen + 1;
        --inside;
      }
    };
    std::vector<task<void>> all;
    for (int i = 0; i < 12; ++i)
      all.push_back(i % 2 == 0 ? start([&, i] { work(i); }) : spawn([&, i] { work(i); }));
    hocket_test::on_a_thread([&] {
      std::thread another([&] { work(1); });
      work(2);
      another.join();
    });
    for (auto& t : all) t.get();
    EXPECT_EQ(n, 14 * rounds);
    EXPECT_EQ(wrong, 0);
  });
}

TEST_P(mutex_test, those_who_wait_get_it_in_their_order) {
  run([] {
    mutex m;
    std::vector<int> order;
    std::vector<task<void>> all;
    m.lock();
    for (int i = 0; i < 50; ++i) {
      event there;
      all.push_back(start([&, i] {
        there.set();
        m.lock();
        order.push_back(i);
        if (i % 3 == 0) this_task::yield();
        m.unlock();
      }));
      there.wait();
      while (tasks_by_state().suspended != all.size()) this_task::yield();  // it waits
    }
    m.unlock();
    m.lock();  // behind all of them
    EXPECT_EQ(order.size(), 50u);
    m.unlock();
    wait_all(all);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  });
}

TEST_P(mutex_test, who_gave_up_is_passed_over) {
  run([] {
    mutex m;
    std::atomic<int> got{0}, gave_up{0};
    std::vector<task<void>> all;
    m.lock();
    for (int i = 0; i < 200; ++i) {
      all.push_back(start([&, i] {
        if (i % 2 == 0) {
          m.lock();
        } else if (!m.try_lock_for(std::chrono::microseconds(i % 60))) {
          ++gave_up;
          return;
        }
        ++got;
        m.unlock();
      }));
    }
    while (gave_up < 30) this_task::sleep_for(20us);
    m.unlock();
    for (auto& t : all) t.get();
    EXPECT_EQ(got + gave_up, 200);
    EXPECT_GE(got, 100);
    EXPECT_TRUE(m.try_lock());
    m.unlock();
  });
}

TEST_P(mutex_test, handed_over_and_out_of_time_at_one_moment) {
  run([] {
    mutex m;
    long n = 0;
    std::atomic<long> got{0}, gave_up{0};
    const long rounds = hocket_test::sized(300, 50);
    const auto work = [&](unsigned seed) {
      std::mt19937 random(seed);
      for (long i = 0; i < rounds; ++i) {
        if (m.try_lock_for(std::chrono::microseconds(random() % 30))) {
          ++n;
          if (random() % 2 == 0) this_task::yield();
          m.unlock();
          ++got;
        } else {
          ++gave_up;
        }
      }
    };
    std::vector<task<void>> all;
    for (unsigned i = 0; i < 10; ++i) all.push_back(start([&, i] { work(i); }));
    hocket_test::on_a_thread([&] { work(99); });
    for (auto& t : all) t.get();
    EXPECT_EQ(got + gave_up, 11 * rounds);
    EXPECT_EQ(n, got);
    EXPECT_TRUE(m.try_lock());
    m.unlock();
  });
}

TEST_P(mutex_test, the_next_owner_may_destroy_it) {
  run([] {
    for (int i = 0; i < hocket_test::sized(2000, 200); ++i) {
      auto m = std::make_unique<mutex>();
      m->lock();
      auto other = start([raw = m.get()] {
        raw->lock();
        raw->unlock();
        delete raw;
      });
      if (i % 2 == 0) this_task::yield();
      m.release()->unlock();  // from here on it is the other's
      other.wait();
    }
  });
}

TEST_P(mutex_test, the_holder_may_move_to_another_worker) {
  run([] {
    std::vector<task<void>> all;
    std::vector<mutex> own(50);
    for (std::size_t i = 0; i < own.size(); ++i) {
      all.push_back(start([&, i] {
        const std::lock_guard hold(own[i]);
        for (int k = 0; k < 20; ++k) this_task::yield();
      }));
    }
    for (auto& t : all) t.get();
  });
}

TEST_P(mutex_test, held_by_a_forked_child_that_waits) {
  run([] {
    mutex m;
    long n = 0;
    const auto child = [&] {
      const std::lock_guard hold(m);
      const long seen = n;
      this_task::sleep_for(1us);
      n = seen + 1;
    };
    fork_scope<decltype(child)> children;
    for (int i = 0; i < 100; ++i) children.fork(child);
    children.join();
    EXPECT_EQ(n, 100);
  });
}

}  // namespace
