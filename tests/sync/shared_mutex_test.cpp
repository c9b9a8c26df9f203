// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shared_mutex: many read at once, one writes alone; those who wait get it in their order, give up in time,
// lend their priorities; it may end with its last owner.
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include "support/errors.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

namespace {
using namespace hocket;
using namespace std::chrono_literals;
using shared = hocket::shared_mutex;

class shared_mutex_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(shared_mutex_test);

void await_suspended(std::size_t n) {
  while (tasks_by_state().suspended != n) this_task::yield();
}
void expect_free(shared& m) {
  EXPECT_TRUE(m.try_lock());
  m.unlock();
}

TEST_P(shared_mutex_test, free_held_in_both_ways_and_free_again) {
  run([] {
    hocket_test::everywhere([] {
      shared m;
      m.lock();
      EXPECT_EQ(m.owner() != nullptr, this_task::id() != 0);
      EXPECT_FALSE(m.try_lock_shared());
      EXPECT_FALSE(m.try_lock());
      m.unlock();
      EXPECT_EQ(m.owner(), nullptr);
      m.lock_shared();
      EXPECT_TRUE(m.try_lock_shared());
      EXPECT_FALSE(m.try_lock());
      EXPECT_FALSE(m.try_lock_for(0s));
      EXPECT_FALSE(m.try_lock_for(1us));
      EXPECT_TRUE(m.try_lock_shared_for(0s));
      EXPECT_TRUE(m.try_lock_shared_until(std::chrono::system_clock::now()));
      for (int i = 0; i < 4; ++i) m.unlock_shared();
      EXPECT_TRUE(m.try_lock_until(std::chrono::system_clock::now()));
      m.unlock();
      expect_free(m);
    });
    shared m;
    m.lock();
    const auto fails = [&] {
      EXPECT_FALSE(m.try_lock());
      EXPECT_FALSE(m.try_lock_shared());
      EXPECT_FALSE(m.try_lock_shared_for(1us));
    };
    hocket_test::on_a_thread(fails);
    start(fails).get();
    m.unlock();
  });
}

TEST_P(shared_mutex_test, misuse_is_refused_and_changes_nothing) {
  run([] {
    const auto refused = [](auto f) { EXPECT_EQ(hocket_test::code_of(f), errc::misuse); };
    hocket_test::everywhere([&] {
      shared m;
      refused([&] { m.unlock(); });
      refused([&] { m.unlock_shared(); });
      m.lock();
      refused([&] { m.lock(); });
      refused([&] { m.try_lock_for(24h); });
      refused([&] { m.lock_shared(); });
      refused([&] { m.unlock_shared(); });
      m.unlock();
      m.lock_shared();
      refused([&] { m.unlock(); });
      m.unlock_shared();
      expect_free(m);
    });
    shared m;
    m.lock();
    start([&] { refused([&] { m.unlock(); }); }).get();
    hocket_test::on_a_thread([&] { refused([&] { m.unlock(); }); });
    m.unlock();
  });
}

TEST_P(shared_mutex_test, all_read_at_once) {
  run([] {
    shared m;
    latch all_inside(21);
    const auto read = [&] {
      const std::shared_lock hold(m);
      all_inside.arrive_and_wait();
    };
    std::vector<task<void>> all;
    for (int i = 0; i < 20; ++i) all.push_back(start(read));
    hocket_test::on_a_thread(read);
    for (auto& t : all) t.get();
    expect_free(m);
  });
}

/// Tasks and threads that read and write, by all kinds of locking.
void read_and_write(shared& m, std::size_t tasks, std::size_t threads, long rounds) {
  long n = 0;
  std::atomic<long> wrote{0}, wrong{0};
  std::atomic<int> readers{0}, writers{0};
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (long i = 0; i < rounds; ++i) {
      const auto little = std::chrono::microseconds(random() % 30);
      const bool limited = random() % 2 == 0;
      if (random() % 3 != 0) {
        if (!limited) m.lock_shared();
        if (limited && !m.try_lock_shared_for(little)) continue;
        ++readers;
        const long seen = n;
        if (random() % 4 == 0) this_task::yield();
        wrong += writers != 0 || seen != n;
        --readers;
        m.unlock_shared();
      } else {
        if (!limited) m.lock();
        if (limited && !m.try_lock_for(little)) continue;
        wrong += ++writers != 1;
        const long seen = n;
        if (random() % 4 == 0) this_task::yield();
        wrong += readers != 0;
        n = seen + 1;
        ++wrote;
        --writers;
        m.unlock();
      }
    }
  };
  std::vector<task<void>> all;
  for (unsigned i = 0; i < tasks; ++i)
    all.push_back(i % 2 == 0 ? start([&, i] { work(i); }) : spawn([&, i] { work(i); }));
  std::vector<std::thread> foreign;
  for (unsigned i = 0; i < threads; ++i) foreign.emplace_back([&, i] { work(100 + i); });
  for (auto& t : all) t.get();
  for (auto& t : foreign) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(n, wrote);
  expect_free(m);
}

TEST_P(shared_mutex_test, who_writes_is_alone) {
  run([] {
    shared m;
    read_and_write(m, 14, 2, hocket_test::sized(400, 60));
  });
}
TEST_P(shared_mutex_test, outside_a_run_it_is_a_mutex_for_threads) {
  shared m;
  read_and_write(m, 0, 4, hocket_test::sized(300, 60));
}

TEST_P(shared_mutex_test, those_who_wait_get_it_in_their_order) {
  run([] {
    shared m;
    mutex order_lock;
    std::string order;
    std::vector<task<void>> all;
    const auto note = [&](char c) {
      const std::lock_guard hold(order_lock);
      order += c;
    };
    m.lock_shared();
    for (const char kind : std::string("wrrwwrw")) {
      all.push_back(start([&, kind] {
        if (kind == 'w') {
          const std::lock_guard hold(m);
          note(kind);
        } else {
          const std::shared_lock hold(m);
          note(kind);
        }
      }));
      await_suspended(all.size());
    }
    EXPECT_FALSE(m.try_lock_shared());  // nobody who reads overtakes one that waits to write
    m.unlock_shared();
    for (auto& t : all) t.get();
    EXPECT_EQ(order, "wrrwwrw");
  });
}

TEST_P(shared_mutex_test, readers_behind_a_writer_that_gives_up_go_in) {
  run([] {
    shared m;
    m.lock_shared();
    std::atomic<bool> first{false};
    auto writer = start([&] {
      first = true;
      return m.try_lock_for(300us);
    });
    while (!first) this_task::yield();
    std::vector<task<void>> readers;
    for (int i = 0; i < 5; ++i) {
      readers.push_back(start([&] {
        m.lock_shared();
        m.unlock_shared();
      }));
    }
    for (auto& t : readers) t.get();  // though the first one still reads
    EXPECT_FALSE(writer.get());
    EXPECT_FALSE(m.try_lock());
    m.unlock_shared();
    expect_free(m);
  });
}

TEST_P(shared_mutex_test, neither_side_starves) {
  run([] {
    shared m;
    std::atomic<bool> written{false}, read{false};
    std::vector<task<void>> readers, writers;
    // Some of them always hold it, until the other side has had its turn.
    for (int i = 0; i < 4; ++i) {
      readers.push_back(start([&] {
        while (!written) {
          const std::shared_lock hold(m);
          this_task::yield();
        }
      }));
    }
    start([&] {
      const std::lock_guard hold(m);
      written = true;
    }).get();
    wait_all(readers);
    for (int i = 0; i < 4; ++i) {
      writers.push_back(start([&] {
        while (!read) {
          const std::lock_guard hold(m);
          this_task::yield();
        }
      }));
    }
    start([&] {
      const std::shared_lock hold(m);
      read = true;
    }).get();
    wait_all(writers);
  });
}

TEST_P(shared_mutex_test, no_wait_for_it_is_cancelled) {
  run([] {
    shared m;
    m.lock();
    stop_scope scope;
    auto writer = start([&] {
      m.lock();
      m.unlock();
    });
    auto reader = start([&] {
      m.lock_shared();
      m.unlock_shared();
    });
    await_suspended(2);
    scope.request_stop();
    m.unlock();
    const stop_shield shield;
    writer.get();
    reader.get();
  });
}

/// On one worker, order is known: a low task that holds it would run after the tasks of the usual level.
class shared_mutex_priority : public hocket_test::on_workers {};
INSTANTIATE_TEST_SUITE_P(workers, shared_mutex_priority, ::testing::Values(1u),
                         ::testing::PrintToStringParamName());

TEST_P(shared_mutex_priority, a_waiter_lends_its_own_to_who_holds_it_alone) {
  for (const bool reads : {false, true}) {
    std::string order;
    run([&] {
      shared m;
      event held, go_on;
      auto low = start({.priority = priority::low}, [&] {
        const std::lock_guard hold(m);
        held.set();
        go_on.wait();
        order += 'l';
      });
      held.wait();
      auto high = start({.priority = priority::high}, [&] {
        reads ? m.lock_shared() : m.lock();
        order += 'h';
        reads ? m.unlock_shared() : m.unlock();
      });
      while (tasks_by_state().suspended != 2) this_task::yield();
      auto normal = start([&] { order += 'n'; });
      go_on.set();
      wait(low, high, normal);
    });
    EXPECT_EQ(order, "lhn");
  }
}

TEST_P(shared_mutex_priority, the_next_owner_is_lent_that_of_those_behind) {
  std::string order;
  run([&] {
    shared m;
    m.lock();
    auto low = start({.priority = priority::low}, [&] {
      m.lock();
      order += 'l';
      m.unlock();
    });
    while (tasks_by_state().suspended != 1) this_task::sleep_for(10us);
    auto high = start({.priority = priority::high}, [&] {
      m.lock();
      order += 'h';
      m.unlock();
    });
    while (tasks_by_state().suspended != 2) this_task::yield();
    auto normal = start({.priority = priority::normal}, [&] { order += 'n'; });  // not what main was lent
    m.unlock();
    wait(low, high, normal);
  });
  EXPECT_EQ(order, "lhn");
}

TEST_P(shared_mutex_test, the_next_owner_may_destroy_it) {
  run([] {
    for (int i = 0; i < hocket_test::sized(2000, 200); ++i) {
      auto m = std::make_unique<shared>();
      const bool reads = i % 2 == 0, reads_then = i % 3 == 0;
      reads ? m->lock_shared() : m->lock();
      auto other = start([raw = m.get(), reads, reads_then, i] {
        if (reads_then && reads) {
          while (!raw->try_lock()) this_task::yield();  // when the other has gone
          raw->unlock();
        } else if (reads_then) {
          if (i % 5 == 0) {
            EXPECT_TRUE(raw->try_lock_shared_for(24h));
          }
          if (i % 5 != 0) raw->lock_shared();
          raw->unlock_shared();
        } else {
          if (i % 5 == 0) {
            EXPECT_TRUE(raw->try_lock_for(24h));
          }
          if (i % 5 != 0) raw->lock();
          raw->unlock();
        }
        delete raw;
      });
      if (i % 4 < 2) this_task::yield();
      shared* raw = m.release();  // from here on it is the other's
      reads ? raw->unlock_shared() : raw->unlock();
      other.wait();
    }
  });
}

}  // namespace
