// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stress: thousands of waits of every kind, raced by time-outs, stop requests and what they wait for, by
// tasks and threads at once. Every wait returns once, and every task ends. Argument: rounds.
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace {
using namespace hocket;

long rounds_asked = 0;  // by the command line

class stress_waits : public hocket_test::on_workers {
 protected:
  static long rounds() { return rounds_asked != 0 ? rounds_asked : hocket_test::sized(30, 5); }
};
HOCKET_ON_ALL_WORKERS(stress_waits);

struct counts {
  std::atomic<long> begun{0}, done{0}, late{0}, stopped{0};
  void check() const { EXPECT_EQ(begun, done + late + stopped); }
};

using random_source = std::minstd_rand;
std::chrono::microseconds a_little(random_source& r) { return std::chrono::microseconds(r() % 50); }

/// What the waiters of a round wait for; kept by all of them.
struct things {
  std::vector<event> events = std::vector<event>(8);
  std::vector<mutex> mutexes = std::vector<mutex>(3);
  std::vector<task<void>> tasks;
};

/// One wait, chosen at random.
void wait_for_something(things& t, random_source& r, counts& n) {
  ++n.begun;
  bool done = true;
  const auto limit = a_little(r);
  try {
    switch (r() % 7) {
      case 0:
        t.events[r() % t.events.size()].wait();
        break;
      case 1:
        done = t.events[r() % t.events.size()].wait_for(limit);
        break;
      case 2:
        done = t.tasks[r() % t.tasks.size()].wait_for(limit);
        break;
      case 3:
        done = wait_any_for(t.tasks, limit).has_value();
        break;
      case 4: {
        mutex& m = t.mutexes[r() % t.mutexes.size()];
        done = m.try_lock_for(limit);
        if (!done) break;
        if (r() % 2 == 0) this_task::yield();
        m.unlock();
        break;
      }
      case 5:
        this_task::sleep_for(limit);
        break;
      default:
        t.tasks[r() % t.tasks.size()].wait();
    }
  } catch (const cancelled&) {
    ++n.stopped;
    return;
  }
  ++(done ? n.done : n.late);
}

/// A round: waiters with and without scopes, threads, and those who make it all happen.
void one_round(unsigned seed, counts& n) {
  random_source r(seed);
  const auto t = std::make_shared<things>();
  for (int i = 0; i < 5; ++i) {
    t->tasks.push_back(
        start([t, d = a_little(r), i] { i % 2 == 0 ? this_task::yield() : this_task::sleep_for(d); }));
  }
  std::vector<task<void>> all;
  std::stop_source stop;
  for (unsigned i = 0; i < 30; ++i) {
    const auto f = [t, &n, s = seed * 100 + i] {
      random_source mine(s);
      for (int k = 0; k < 4; ++k) wait_for_something(*t, mine, n);
    };
    switch (i % 4) {
      case 0:
        all.push_back(start({.stop = stop.get_token()}, [f] {
          try {
            f();
          } catch (const cancelled&) {
          }
        }));
        break;
      case 1:
        all.push_back(start({.priority = static_cast<priority>(i % 3)}, f));
        break;
      case 2:
        all.push_back(spawn(f));
        break;
      default:
        all.push_back(spawn_after(a_little(r), f));
    }
  }
  auto sets = start([t, r]() mutable {
    for (event& e : t->events) {
      if (r() % 2 == 0) this_task::sleep_for(a_little(r));
      e.set();
    }
  });
  auto stops = start([stop, d = a_little(r)]() mutable {
    this_task::sleep_for(d);
    stop.request_stop();
  });
  if (seed % 4 == 0) {
    hocket_test::on_a_thread([&] {
      random_source mine(seed);
      for (int k = 0; k < 10; ++k) wait_for_something(*t, mine, n);
    });
  }
  wait(sets, stops);
  for (auto& one : all) {
    one.wait();  // those that were stopped before they began hold `cancelled`
  }
  wait_all(t->tasks);
  t->tasks.clear();  // each keeps `t`
}

TEST_P(stress_waits, every_wait_returns_once) {
  counts n;
  run([&] {
    for (long i = 0; i < rounds(); ++i) one_round(static_cast<unsigned>(i), n);
  });
  n.check();
  EXPECT_GT(n.done, 0);
  EXPECT_GT(n.late, 0);
}

TEST_P(stress_waits, several_rounds_at_once) {
  counts n;
  run([&] {
    for (long i = 0; i < rounds(); ++i) {
      cobegin([&, i] { one_round(static_cast<unsigned>(3 * i), n); },
              [&, i] { one_round(static_cast<unsigned>(3 * i + 1), n); },
              [&, i] { one_round(static_cast<unsigned>(3 * i + 2), n); });
    }
  });
  n.check();
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc > 1) rounds_asked = std::atol(argv[1]);
  return RUN_ALL_TESTS();
}
