// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// latch: at every count it opens at zero and not before, for all who wait, whoever counts down; it may end
// with the last one let go.
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include "support/errors.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace {
using namespace hocket;
using namespace std::chrono_literals;

class latch_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(latch_test);

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

TEST_P(latch_test, open_at_zero_and_not_before) {
  run([] {
    hocket_test::everywhere([] {
      for (const std::ptrdiff_t n :
           {std::ptrdiff_t{0}, std::ptrdiff_t{1}, std::ptrdiff_t{2}, std::ptrdiff_t{7}, latch::max()}) {
        // At once, in two steps, and with a step of nothing.
        latch at_once(n), two_steps(n), idle(n);
        for (latch* l : {&at_once, &two_steps, &idle}) {
          EXPECT_EQ(l->try_wait(), n == 0);
          EXPECT_EQ(l->wait_for(0s), n == 0);
          EXPECT_EQ(l->wait_for(1us), n == 0);
          EXPECT_EQ(l->wait_until(std::chrono::system_clock::now()), n == 0);
          l->count_down(0);
          EXPECT_EQ(l->try_wait(), n == 0);
        }
        at_once.count_down(n);
        two_steps.count_down(n / 2);
        EXPECT_EQ(two_steps.try_wait(), n == 0);
        two_steps.count_down(n - n / 2);
        idle.arrive_and_wait(n);
        for (latch* l : {&at_once, &two_steps, &idle}) {
          l->wait();
          EXPECT_TRUE(l->wait_for(24h));
          l->count_down(0);
          EXPECT_TRUE(l->try_wait());
        }
      }
    });
  });
}

TEST_P(latch_test, counted_down_by_many_at_once_while_waited_for) {
  // A latch of 2 that is counted down by 2 has an old count that is not 1.
  run([] {
    for (const std::ptrdiff_t n : {std::ptrdiff_t{1}, std::ptrdiff_t{2}, std::ptrdiff_t{5}, latch::max()}) {
      latch l(n);
      auto a_task = start([&] { l.wait(); });
      auto limited = start([&] { EXPECT_TRUE(l.wait_for(24h)); });
      await_suspended(2);
      l.count_down(0);
      l.count_down(n);
      a_task.get();
      limited.get();
    }
  });
}

TEST_P(latch_test, refuses_counts_that_cannot_be) {
  run([] {
    hocket_test::everywhere([] {
      const auto refused = [](auto f) { EXPECT_EQ(hocket_test::code_of(f), errc::misuse); };
      refused([] { latch l(-1); });
      refused([] { latch l(latch::max() + 1); });
      latch l(2);
      refused([&] { l.count_down(-1); });
      refused([&] { l.count_down(latch::max() + 1); });
      refused([&] { l.count_down(3); });
      refused([&] { l.count_down(latch::max()); });
      EXPECT_FALSE(l.try_wait());
      l.count_down(2);
      refused([&] { l.count_down(); });
      EXPECT_TRUE(l.try_wait());
    });
  });
}

TEST_P(latch_test, outside_a_run_threads_use_it_too) {
  latch l(2);
  int written = 0;
  std::thread other([&] { written = 1, l.arrive_and_wait(); });
  l.arrive_and_wait();
  EXPECT_EQ(written, 1);
  other.join();
}

TEST_P(latch_test, all_who_wait_are_let_go_and_see_what_was_written) {
  for (const long n : {1, 2, 100, 1000}) {
    std::atomic<long> returned{0};
    run([&] {
      latch l(n);
      std::vector<long> written(static_cast<std::size_t>(n));
      const auto check = [&] {
        for (long i = 0; i < n; ++i) EXPECT_EQ(written[static_cast<std::size_t>(i)], i);
        ++returned;
      };
      std::vector<task<void>> waiting, counting;
      for (int i = 0; i < 50; ++i) {
        waiting.push_back(start([&, i] {
          if (i % 3 == 0) l.wait();
          if (i % 3 == 1) {
            EXPECT_TRUE(l.wait_for(24h));
          }
          if (i % 3 == 2)
            while (!l.wait_for(5us)) {
            }
          check();
        }));
      }
      std::thread foreign([&] { l.wait(), check(); });
      for (long i = 0; i < n; ++i) {
        counting.push_back(spawn([&, i] {
          written[static_cast<std::size_t>(i)] = i;
          l.count_down();
        }));
      }
      for (auto& t : waiting) t.get();
      foreign.join();
      wait_all(counting);
    });
    EXPECT_EQ(returned, 51);
  }
}

TEST_P(latch_test, opened_and_stopped_or_out_of_time_at_one_moment) {
  run([] {
    std::mt19937 random(7);
    for (long i = 0; i < hocket_test::sized(1000, 120); ++i) {
      latch l(2);
      stop_scope scope;
      std::vector<task<void>> all;
      std::atomic<int> ended{0};
      for (unsigned k = 0; k < 4; ++k) {
        all.push_back(start([&, k, d = random() % 30] {
          try {
            if (k % 2 == 0) {
              l.wait();
              EXPECT_TRUE(l.try_wait());
            }
            if (k % 2 == 1) l.wait_for(std::chrono::microseconds(d));
          } catch (const cancelled&) {
          }
          ++ended;
        }));
      }
      l.count_down();
      const stop_shield shield;
      if (i % 2 == 0) this_task::sleep_for(std::chrono::microseconds(random() % 30));
      if (i % 4 == 0) scope.request_stop();
      l.count_down();
      for (auto& t : all) t.wait();
      if (i % 4 != 0) {
        EXPECT_EQ(ended, 4);
      }
      EXPECT_TRUE(l.try_wait());
    }
  });
}

TEST_P(latch_test, a_stopped_wait_throws_and_what_was_counted_stays) {
  run([] {
    latch l(2);
    {
      stop_scope scope;
      auto t = start([&] { l.arrive_and_wait(); });
      await_suspended(1);
      scope.request_stop();
      EXPECT_TRUE(was_cancelled(t));
      EXPECT_THROW(l.wait(), cancelled);
      EXPECT_FALSE(l.wait_for(0s));
    }
    EXPECT_FALSE(l.try_wait());
    l.arrive_and_wait();
  });
}

TEST_P(latch_test, the_last_one_let_go_may_destroy_it) {
  run([] {
    const auto once = [](auto open, int how) {
      auto l = std::make_unique<latch>(1);
      auto opener = open(l.get());
      if (how == 0) l->wait();
      if (how == 1) {
        EXPECT_TRUE(l->wait_for(24h));
      }
      if (how == 2)
        while (!l->wait_for(1us)) {
        }
      if (how == 3)
        while (!l->try_wait()) this_task::yield();
      l.reset();  // count_down() may still be on its way out
      return opener;
    };
    for (int i = 0; i < hocket_test::sized(2000, 300); ++i)
      once([](latch* l) { return start([l] { l->count_down(); }); }, i % 4).wait();
    for (int i = 0; i < hocket_test::sized(100, 30); ++i)
      once([](latch* l) { return std::thread([l] { l->count_down(); }); }, i % 4).join();
    for (int i = 0; i < hocket_test::sized(100, 30); ++i) {
      hocket_test::on_a_thread(
          [&] { once([](latch* l) { return start([l] { l->count_down(); }); }, i % 4).wait(); });
    }
  });
}

}  // namespace
