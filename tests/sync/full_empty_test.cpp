// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full/empty words and sync variables: each operation, who goes on and with what, limits, cancellation,
// threads.
#include "support/everywhere.hpp"
#include "support/workers.hpp"
#include "sync/full_empty_kinds.hpp"

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

namespace {
using namespace hocket;
using namespace hocket_test;
using namespace std::chrono_literals;

class full_empty_test : public on_workers {
 protected:
  /// Calls f with the maker of each kind: f.template operator()<kind>().
  template <class F>
  static void each_kind(F f) {
    f.template operator()<a_word>();
    f.template operator()<a_variable<long>>();
    f.template operator()<a_variable<wide>>();
  }
  static void await_suspended(std::size_t n) {
    while (tasks_by_state().suspended != n) this_task::yield();
  }
};
HOCKET_ON_ALL_WORKERS(full_empty_test);

TEST_P(full_empty_test, what_need_not_wait_does_not) {
  run([] {
    everywhere([] {
      each_kind([]<class Kind>() {
        Kind x;
        EXPECT_TRUE(x.is_full());
        EXPECT_EQ(x.readFE(), 0);
        EXPECT_FALSE(x.is_full());
        EXPECT_EQ(x.try_readFE(), std::nullopt);
        EXPECT_EQ(x.try_readFF(), std::nullopt);
        EXPECT_FALSE(x.try_writeFF(1));
        x.writeEF(7);
        EXPECT_TRUE(x.is_full());
        EXPECT_EQ(x.readFF(), 7);
        EXPECT_EQ(x.try_readFF(), 7);
        EXPECT_FALSE(x.try_writeEF(8));
        x.writeFF(9);
        EXPECT_EQ(x.readXX(), 9);
        EXPECT_EQ(x.try_readFE(), 9);
        EXPECT_EQ(x.readXX(), 9);
        EXPECT_TRUE(x.try_writeEF(10));
        EXPECT_TRUE(x.try_writeFF(11));
        EXPECT_EQ(x.readFE_for(0s), 11);
        x.writeF(12);
        x.writeF(13);
        EXPECT_EQ(x.readFF_for(1s), 13);
        x.purge();
        EXPECT_FALSE(x.is_full());
        EXPECT_EQ(x.readXX(), 0);
        x.purge();
        EXPECT_EQ(x.readFE_for(0s), std::nullopt);
        EXPECT_EQ(x.readFF_for(-1s), std::nullopt);
        EXPECT_TRUE(x.writeEF_for(14, 0s));
        EXPECT_FALSE(x.writeEF_for(15, 0s));
        EXPECT_TRUE(x.writeFF_for(16, 0s));
        EXPECT_EQ(x.readFE(), 16);
        x.writeF(0);
      });
    });
  });
}

TEST_P(full_empty_test, of_any_eight_bytes) {
  double d = 1.5;
  EXPECT_EQ(readFE(d), 1.5);
  writeEF(d, 2.5);
  EXPECT_EQ(readFF(d), 2.5);
  const char* p = "p";
  const char* const before = p;
  EXPECT_EQ(readFE(p), before);
  writeEF(p, nullptr);
  EXPECT_EQ(p, nullptr);
  std::uint64_t n = 40;
  EXPECT_EQ(incr(n), 40u);
  EXPECT_EQ(incr(n, 3), 41u);
  EXPECT_EQ(cas(n, 44, 1), 44u);
  EXPECT_EQ(cas(n, 44, 2), 1u);
  EXPECT_EQ(n, 1u);
  empty(n);
  EXPECT_EQ(incr(n), 1u);
  EXPECT_FALSE(is_full(n));
  fill(n);
  fill(n);
  EXPECT_EQ(readFE(n), 2u);
  fill(n);
  EXPECT_EQ(detail::full_empty_entries(), 0u);
}

TEST_P(full_empty_test, the_table_holds_only_what_is_empty_or_waited_for) {
  const std::size_t n = 200'000;  // more than a few for each stripe
  std::vector<std::uint64_t> words(n, 5);
  for (auto& w : words) empty(w);
  EXPECT_EQ(detail::full_empty_entries(), n);
  for (auto& w : words) EXPECT_FALSE(is_full(w));
  for (std::size_t i = 0; i < n; i += 2) writeEF(words[i], i);
  EXPECT_EQ(detail::full_empty_entries(), n / 2);
  for (std::size_t i = 1; i < n; i += 2) fill(words[i]);
  EXPECT_EQ(detail::full_empty_entries(), 0u);
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(readFF(words[i]), i % 2 == 0 ? i : 5);
  run([&] {
    auto t = start([&] { writeEF(words[0], 9); });  // it waits: the word is full
    await_suspended(1);
    EXPECT_EQ(detail::full_empty_entries(), 1u);
    EXPECT_EQ(readFE(words[0]), 0u);
    t.wait();
    EXPECT_EQ(detail::full_empty_entries(), 0u);
    EXPECT_EQ(readFF(words[0]), 9u);
  });
}

TEST_P(full_empty_test, a_fill_lets_all_of_readFF_and_one_of_readFE_go_on_in_order) {
  run([] {
    each_kind([]<class Kind>() {
      Kind x;
      x.readFE();
      std::atomic<int> looked{0};
      std::vector<long> taken, order;
      std::vector<task<void>> lookers, takers;
      for (int i = 0; i < 20; ++i) {
        takers.push_back(start([&, i] {
          const long v = x.readFE();
          taken.push_back(v);
          order.push_back(i);
        }));
        await_suspended(lookers.size() + takers.size());
        lookers.push_back(start([&] {
          EXPECT_EQ(x.readFF(), 100);
          ++looked;
        }));
        await_suspended(lookers.size() + takers.size());
      }
      x.writeEF(100);
      wait_all(lookers);
      EXPECT_EQ(looked, 20);
      takers[0].wait();
      EXPECT_FALSE(x.is_full());
      for (int i = 1; i < 20; ++i) {
        x.writeEF(100 + i);
        takers[static_cast<std::size_t>(i)].wait();
      }
      EXPECT_FALSE(x.is_full());
      for (long i = 0; i < 20; ++i) {
        EXPECT_EQ(taken[static_cast<std::size_t>(i)], 100 + i);
        EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
      }
      x.writeF(0);
    });
  });
}

TEST_P(full_empty_test, those_who_wait_to_write_do_it_in_their_order) {
  run([] {
    each_kind([]<class Kind>() {
      Kind x;
      x.writeF(1000);
      std::vector<task<void>> all;
      for (int i = 0; i < 20; ++i) {
        all.push_back(start([&, i] { x.writeEF(i); }));
        await_suspended(all.size());
      }
      EXPECT_EQ(x.readFE(), 1000);
      for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(x.is_full());
        EXPECT_EQ(x.readFE(), i);
      }
      wait_all(all);
      // All of writeFF go on, too; the readFF that waited before have what the fill wrote.
      all.clear();
      std::atomic<long> seen{0};
      for (int i = 0; i < 5; ++i) all.push_back(start([&, i] { x.writeFF(50 + i); }));
      await_suspended(5);
      all.push_back(start([&] { seen = x.readFF(); }));
      await_suspended(6);
      x.writeEF(7);
      wait_all(all);
      EXPECT_EQ(seen, 7);
      const long last = x.readFF();
      EXPECT_TRUE(last >= 50 && last < 55) << last;
    });
  });
}

TEST_P(full_empty_test, values_are_neither_lost_nor_doubled) {
  run([] {
    each_kind([]<class Kind>() {
      Kind x;
      x.readFE();
      const long each = sized(3000, 300), writers = 6;
      std::atomic<long> sum{0}, reads{0};
      std::vector<task<void>> all;
      for (long w = 0; w < writers; ++w) {
        all.push_back(start([&, w] {
          for (long i = 0; i < each; ++i) x.writeEF(w * each + i + 1);
        }));
        all.push_back(start([&] {
          for (long i = 0; i < each; ++i) {
            sum += x.readFE();
            ++reads;
          }
        }));
      }
      on_a_thread([&] {
        std::thread other([&] {
          for (long i = 0; i < each; ++i) x.writeEF(0);
        });
        for (long i = 0; i < each; ++i) sum += x.readFE();
        other.join();
      });
      wait_all(all);
      const long n = writers * each;
      EXPECT_EQ(sum, n * (n + 1) / 2);
      EXPECT_EQ(reads, n);
      EXPECT_FALSE(x.is_full());
      x.writeF(0);
    });
  });
}

TEST_P(full_empty_test, handed_over_and_out_of_time_at_one_moment) {
  run([] {
    each_kind([]<class Kind>() {
      Kind x;
      x.readFE();
      std::atomic<long> written{0}, read{0}, given_up{0};
      const long rounds = sized(400, 60);
      std::vector<task<void>> all;
      for (unsigned i = 0; i < 8; ++i) {
        all.push_back(start([&, i] {
          std::mt19937 random(i);
          for (long k = 0; k < rounds; ++k) {
            const auto limit = std::chrono::microseconds(random() % 30);
            if (i % 2 == 0) {
              if (x.writeEF_for(static_cast<long>(random() % 1000 + 1), limit)) {
                ++written;
              } else {
                ++given_up;
              }
            } else if (const auto v = x.readFE_for(limit)) {
              EXPECT_GT(*v, 0);
              ++read;
            } else {
              ++given_up;
            }
          }
        }));
      }
      wait_all(all);
      EXPECT_EQ(written + read + given_up, 8 * rounds);
      EXPECT_EQ(written, read + (x.is_full() ? 1 : 0));
      x.writeF(0);
    });
    EXPECT_EQ(detail::full_empty_entries(), 0u);
  });
}

TEST_P(full_empty_test, cancellation_comes_out_of_the_wait) {
  run([] {
    each_kind([]<class Kind>() {
      Kind x;
      x.readFE();
      std::stop_source stop;
      std::vector<task<void>> all;
      for (int i = 0; i < 4; ++i) {
        all.push_back(start({.stop = stop.get_token()}, [&, i] {
          if (i % 2 == 0) {
            x.readFE();
          } else {
            x.readFF();
          }
        }));
      }
      await_suspended(4);
      stop.request_stop();
      for (auto& t : all) EXPECT_THROW(t.get(), cancelled);
      // They have left nothing behind.
      x.writeEF(3);
      EXPECT_EQ(x.readFE(), 3);
      x.writeF(0);
    });
    EXPECT_EQ(detail::full_empty_entries(), 0u);
  });
}

TEST_P(full_empty_test, outside_a_run_threads_wait_for_each_other) {
  each_kind([]<class Kind>() {
    Kind x, y;
    x.readFE();
    y.readFE();
    long sum = 0;
    std::thread other([&] {
      for (long i = 0; i < 200; ++i) {
        const long v = x.readFE();
        y.writeEF(2 * v);
      }
    });
    for (long i = 0; i < 200; ++i) {
      x.writeEF(i);
      sum += y.readFE();
    }
    other.join();
    EXPECT_EQ(sum, 199 * 200);
    x.writeF(0);
    y.writeF(0);
  });
}

TEST_P(full_empty_test, a_variable_is_moved_when_nobody_waits) {
  run([] {
    hocket::sync<int> x(5);
    hocket::sync<int> y(std::move(x));
    EXPECT_FALSE(x.isFull());
    EXPECT_EQ(y.readFE(), 5);
    hocket::sync<int> z(std::move(y));
    EXPECT_FALSE(z.isFull());
    auto t = start([&] { return z.readFE(); });
    await_suspended(1);
    EXPECT_THROW(hocket::sync<int> taken(std::move(z)), error);
    z.writeEF(6);
    EXPECT_EQ(t.get(), 6);
  });
}

TEST_P(full_empty_test, a_single_is_written_once) {
  run([] {
    everywhere([] {
      single<int> x;
      EXPECT_FALSE(x.isFull());
      EXPECT_EQ(x.try_readFF(), std::nullopt);
      EXPECT_EQ(x.readFF_for(0s), std::nullopt);
      EXPECT_EQ(x.readXX(), 0);
      x.writeEF(4);
      EXPECT_EQ(x.readFF(), 4);
      EXPECT_EQ(x.readXX(), 4);
      EXPECT_EQ(x.readFF_for(1s), 4);
      EXPECT_THROW(x.writeEF(5), error);
      EXPECT_EQ(x.readFF(), 4);
      EXPECT_EQ(single<int>(3).readFF(), 3);
    });
    single<long> x;
    std::atomic<long> sum{0};
    std::vector<task<void>> all;
    for (int i = 0; i < 50; ++i) all.push_back(start([&] { sum += x.readFF(); }));
    await_suspended(50);
    x.writeEF(2);
    wait_all(all);
    EXPECT_EQ(sum, 100);
  });
}

}  // namespace
