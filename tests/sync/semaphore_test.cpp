// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// semaphore: permits are neither lost nor made, whoever takes, gives, gives up or is stopped; who waits gets
// them in order; it may end with the last one that got one.
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

class semaphore_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(semaphore_test);

/// How many permits are free; takes them.
std::ptrdiff_t drain(semaphore& s) {
  std::ptrdiff_t n = 0;
  while (s.try_acquire()) ++n;
  return n;
}
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

TEST_P(semaphore_test, counts_from_none_to_the_most) {
  run([] {
    hocket_test::everywhere([] {
      constexpr std::ptrdiff_t most = semaphore::max();
      semaphore none(0), one(1), five(5), full(most);
      EXPECT_FALSE(none.try_acquire());
      EXPECT_FALSE(none.try_acquire_for(0s));
      EXPECT_FALSE(none.try_acquire_for(1us));
      EXPECT_TRUE(none.try_acquire(0));
      none.acquire(0);
      none.release(0);
      EXPECT_EQ(drain(none), 0);
      one.acquire();
      EXPECT_FALSE(one.try_acquire());
      one.release();
      EXPECT_TRUE(one.try_acquire_for(0s));
      EXPECT_FALSE(five.try_acquire(6));
      five.acquire(5);
      five.release(2);
      five.release(3);
      five.acquire(4);
      EXPECT_EQ(drain(five), 1);
      full.acquire(most);
      EXPECT_FALSE(full.try_acquire());
      full.release(most);
      EXPECT_TRUE(full.try_acquire_until(std::chrono::system_clock::now(), most));
    });
  });
}

TEST_P(semaphore_test, refuses_counts_that_cannot_be) {
  run([] {
    hocket_test::everywhere([] {
      constexpr std::ptrdiff_t most = semaphore::max();
      const auto refused = [](auto f) { EXPECT_EQ(hocket_test::code_of(f), errc::misuse); };
      refused([] { semaphore s(-1); });
      refused([] { semaphore s(most + 1); });
      semaphore s(1);
      refused([&] { s.acquire(-1); });
      refused([&] { s.try_acquire(most + 1); });
      refused([&] { s.release(-1); });
      refused([&] { s.release(most + 1); });
      refused([&] { s.release(most); });
      EXPECT_EQ(drain(s), 1);
    });
  });
}

TEST_P(semaphore_test, outside_a_run_it_is_a_semaphore_for_threads) {
  semaphore items(0), room(3);
  long written = 0, sum = 0;
  std::thread producer([&] {
    for (long i = 1; i <= 300; ++i) {
      room.acquire();
      written += i;
      items.release();
    }
  });
  for (int i = 0; i < 300; ++i) {
    items.acquire();
    ++sum;
    room.release();
  }
  producer.join();
  EXPECT_EQ(sum, 300);
  EXPECT_EQ(written, 300 * 301 / 2);
  EXPECT_EQ(drain(room), 3);
}

TEST_P(semaphore_test, those_who_wait_get_theirs_in_their_order) {
  run([] {
    semaphore s(0);
    std::vector<int> order;
    std::vector<task<void>> all;
    for (int i = 0; i < 50; ++i) {
      all.push_back(start([&, i] {
        s.acquire(i % 3 + 1);
        order.push_back(i);
      }));
      await_suspended(all.size());
    }
    for (int i = 0; i < 50; ++i) {
      if (i % 3 == 2) {
        s.release(2);  // it wants more, and is not overtaken
        EXPECT_FALSE(s.try_acquire());
        s.release(1);
      } else {
        s.release(i % 3 + 1);
      }
      all[static_cast<std::size_t>(i)].get();
      EXPECT_EQ(order.size(), static_cast<std::size_t>(i) + 1);
      EXPECT_EQ(order.back(), i);
    }
    EXPECT_EQ(drain(s), 0);
  });
}

TEST_P(semaphore_test, one_release_lets_several_go) {
  run([] {
    semaphore s(0);
    std::vector<task<void>> all;
    for (int i = 0; i < 20; ++i) all.push_back(start([&] { s.acquire(2); }));
    std::thread foreign([&] { s.acquire(3); });
    s.release(50);
    wait_all(all);
    foreign.join();
    EXPECT_EQ(drain(s), 50 - 20 * 2 - 3);
  });
}

TEST_P(semaphore_test, what_is_too_little_for_one_that_gives_up_is_enough_for_the_next) {
  run([] {
    for (const bool stopped : {false, true}) {
      semaphore s(2);
      stop_scope scope;
      std::atomic<bool> first{false};
      auto greedy = start([&] {
        first = true;
        if (!stopped) return s.try_acquire_for(200us, 3);
        s.acquire(3);
        return true;
      });
      while (!first) this_task::yield();
      if (stopped) await_suspended(1);  // the other may be gone soon
      auto modest = start([&] {
        const stop_shield deaf;
        s.acquire(2);
      });
      if (stopped) {
        await_suspended(2);
        scope.request_stop();
        EXPECT_TRUE(was_cancelled(greedy));
      } else {
        EXPECT_FALSE(greedy.get());
      }
      const stop_shield shield;
      modest.get();
      EXPECT_EQ(drain(s), 0);
    }
  });
}

TEST_P(semaphore_test, conserved_by_tasks_and_threads_with_and_without_limits) {
  run([] {
    constexpr std::ptrdiff_t permits = 5;
    semaphore s(permits);
    std::atomic<std::ptrdiff_t> taken{0};
    std::atomic<long> wrong{0}, got{0}, gave_up{0};
    const long rounds = hocket_test::sized(400, 60);
    const auto work = [&](unsigned seed) {
      std::mt19937 random(seed);
      for (long i = 0; i < rounds; ++i) {
        const std::ptrdiff_t n = random() % permits + 1;
        const bool has = i % 2 == 0 ? (s.acquire(n), true)
                                    : s.try_acquire_for(std::chrono::microseconds(random() % 40), n);
        if (!has) {
          ++gave_up;
          continue;
        }
        ++got;
        wrong += (taken += n) > permits;
        if (random() % 2 == 0) this_task::yield();
        taken -= n;
        s.release(n);
      }
    };
    std::vector<task<void>> all;
    for (unsigned i = 0; i < 12; ++i)
      all.push_back(i % 2 == 0 ? start([&, i] { work(i); }) : spawn([&, i] { work(i); }));
    hocket_test::on_a_thread([&] {
      std::thread another([&] { work(100); });
      work(101);
      another.join();
    });
    for (auto& t : all) t.get();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(got + gave_up, 14 * rounds);
    EXPECT_EQ(drain(s), permits);
  });
}

TEST_P(semaphore_test, released_and_stopped_or_out_of_time_at_one_moment) {
  run([] {
    std::mt19937 random(3);
    for (long i = 0; i < hocket_test::sized(1000, 120); ++i) {
      semaphore s(0);
      std::atomic<int> got{0};
      std::vector<task<void>> all;
      stop_scope scope;
      for (int k = 0; k < 3; ++k) {
        all.push_back(start([&, k, d = random() % 30] {
          try {
            if (k == 0) s.acquire(), ++got;
            if (k != 0) got += s.try_acquire_for(std::chrono::microseconds(d));
          } catch (const cancelled&) {
          }
        }));
      }
      {
        const stop_shield shield;
        if (i % 3 == 0) this_task::yield();
        if (i % 3 == 1) this_task::sleep_for(std::chrono::microseconds(random() % 30));
      }
      auto releaser = start([&] { s.release(2); });
      scope.request_stop();
      const stop_shield shield;
      for (auto& t : all) t.wait();
      releaser.wait();  // stopped before it began, it has released nothing
      bool released = true;
      try {
        releaser.get();
      } catch (const cancelled&) {
        released = false;
      }
      EXPECT_EQ(got + drain(s), released ? 2 : 0);
    }
  });
}

TEST_P(semaphore_test, a_stopped_task_takes_nothing_but_what_is_free) {
  run([] {
    semaphore s(1);
    stop_scope scope;
    scope.request_stop();
    s.acquire();
    EXPECT_THROW(s.acquire(), cancelled);
    EXPECT_THROW(s.try_acquire_for(24h), cancelled);
    EXPECT_FALSE(s.try_acquire_for(0s));
    s.release();
    EXPECT_EQ(drain(s), 1);
  });
}

TEST_P(semaphore_test, who_got_a_permit_may_destroy_it) {
  run([] {
    const auto once = [](auto release, bool yields, int how) {
      auto s = std::make_unique<semaphore>(0);
      auto releaser = release(s.get());
      if (yields) this_task::yield();
      if (how == 0) s->acquire();
      if (how == 1) {
        EXPECT_TRUE(s->try_acquire_for(24h));
      }
      if (how == 2)
        while (!s->try_acquire_for(1us)) {
        }
      s.reset();  // release() may still be on its way out
      return releaser;
    };
    for (int i = 0; i < hocket_test::sized(2000, 300); ++i)
      once([](semaphore* s) { return start([s] { s->release(); }); }, i % 2 == 0, i % 3).wait();
    for (int i = 0; i < hocket_test::sized(100, 30); ++i)
      once([](semaphore* s) { return std::thread([s] { s->release(); }); }, false, i % 3).join();
    for (int i = 0; i < hocket_test::sized(100, 30); ++i) {
      hocket_test::on_a_thread(
          [&] { once([](semaphore* s) { return start([s] { s->release(); }); }, false, i % 3).wait(); });
    }
  });
}

}  // namespace
