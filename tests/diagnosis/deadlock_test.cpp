// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs that can never end: each ends with exit code 3 and says who waits for what.
#include "context/death_style.hpp"
#include "support/workers.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

namespace {
using namespace hocket;

class deadlock : public ::testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override { hocket_test::choose_death_style(); }
  options with_workers() const { return options{.workers = GetParam()}; }
};
HOCKET_ON_ALL_WORKERS(deadlock);

const auto says_deadlock = ::testing::ExitedWithCode(3);
const std::string nobody = "and nothing is left that could wake ";

/// What a report of n tasks begins with.
std::string begins(int n) {
  return "^hocket: deadlock: " + std::to_string(n) + (n == 1 ? " task waits, " : " tasks wait, ") + nobody +
         (n == 1 ? "it" : "them");
}
std::string named(const std::string& name) { return "task '" + name + "' \\(#[0-9]+\\)"; }

/// A ring of n tasks, each of which waits for the next one; of one: for itself. Main waits for the first.
void wait_in_a_ring(const options& o, std::size_t n) {
  static const std::array names{"one", "two", "three", "four", "five"};
  run(o, [n] {
    event all_made;
    std::vector<task<void>> ring(n);
    for (std::size_t i = 0; i < n; ++i) {
      ring[i] = start({.name = names[i]}, [&, i] {
        all_made.wait();
        ring[(i + 1) % n].wait();
      });
    }
    all_made.set();
    ring[0].wait();
  });
}

TEST_P(deadlock, of_a_task_that_waits_for_itself) {
  EXPECT_EXIT(wait_in_a_ring(with_workers(), 1), says_deadlock,
              begins(2) + ".*" + named("main") + " waits for " + named("one") +
                  ".*hocket: a circle: " + named("one") + " waits for itself\n");
}

TEST_P(deadlock, of_a_pair) {
  EXPECT_EXIT(wait_in_a_ring(with_workers(), 2), says_deadlock,
              begins(3) + ".*hocket: a circle: " + named("one") + " waits for " + named("two") +
                  ", which waits for " + named("one") + "\n");
}

TEST_P(deadlock, of_a_ring_of_five) {
  EXPECT_EXIT(wait_in_a_ring(with_workers(), 5), says_deadlock,
              begins(6) + ".*hocket: a circle: " + named("one") + " waits for " + named("two") +
                  ", which waits for " + named("three") + ", which waits for " + named("four") +
                  ", which waits for " + named("five") + ", which waits for " + named("one") + "\n");
}

void wait_for_an_event(const options& o) {
  run(o, [] { event().wait(); });
}
TEST_P(deadlock, of_an_event_that_nobody_sets) {
  EXPECT_EXIT(wait_for_an_event(with_workers()), says_deadlock,
              begins(1) + "\n  " + named("main") +
                  " waits for an event at 0x[0-9a-f]+ that nobody sets, for [0-9.]+ m?s\n");
}

void wait_for_any(const options& o) {
  run(o, [] {
    event never_set;
    std::vector<task<void>> list;
    for (int i = 0; i < 3; ++i) list.push_back(spawn({.name = "slow"}, [&] { never_set.wait(); }));
    wait_any(list);
  });
}
TEST_P(deadlock, of_any_of_several_tasks) {
  EXPECT_EXIT(
      wait_for_any(with_workers()), says_deadlock,
      begins(4) + ".*" + named("main") +
          " waits for any of 3 tasks: 'slow' \\(#[0-9]+\\), 'slow' \\(#[0-9]+\\), 'slow' \\(#[0-9]+\\), for");
}

void leave_a_mutex_locked(const options& o) {
  run(o, [] {
    mutex m;
    start({.name = "owner"}, [&] { m.lock(); }).wait();
    start({.name = "next"}, [&] { m.lock(); }).wait();
  });
}
TEST_P(deadlock, of_a_mutex_whose_owner_has_ended) {
  EXPECT_EXIT(
      leave_a_mutex_locked(with_workers()), says_deadlock,
      begins(2) + ".*" + named("next") + " waits for a mutex at 0x[0-9a-f]+ held by a task that has ended");
}

/// Two tasks take two mutexes, each in its own order, and both have one before either wants the other.
void lock_crosswise(const options& o) {
  run(o, [] {
    std::array<mutex, 2> m;
    std::array<event, 2> has_one;
    std::array<task<void>, 2> tasks;
    static const std::array names{"left", "right"};
    for (std::size_t i = 0; i < 2; ++i) {
      tasks[i] = start({.name = names[i]}, [&, i] {
        const std::lock_guard first(m[i]);
        has_one[i].set();
        has_one[1 - i].wait();
        const std::lock_guard second(m[1 - i]);
      });
    }
    wait_all(tasks);
  });
}
TEST_P(deadlock, of_two_mutexes) {
  EXPECT_EXIT(lock_crosswise(with_workers()), says_deadlock,
              begins(3) + ".*hocket: a circle: " + named("left") +
                  " waits for a mutex at 0x[0-9a-f]+ held by " + named("right") +
                  ", which waits for a mutex at 0x[0-9a-f]+ held by " + named("left") + "\n");
}

void fork_children_that_wait(const options& o) {
  run(o, [] {
    event never_set;
    fork_join([&] { never_set.wait(); }, [&] { never_set.wait(); });
  });
}
TEST_P(deadlock, of_forked_children) {
  EXPECT_EXIT(fork_children_that_wait(with_workers()), says_deadlock,
              begins(2) + ".*that nobody sets.*that nobody sets");
}

/// The circle goes through a task that runs on its waiter's stack.
void wait_within_a_wait(const options& o) {
  run(o, [] {
    task<void> outer;
    event made;
    outer = start({.name = "outer"}, [&] {
      made.wait();
      spawn({.name = "inner"}, [&] { outer.wait(); }).wait();
    });
    made.set();
    outer.wait();
  });
}
TEST_P(deadlock, of_a_task_that_waits_on_its_waiters_stack) {
  EXPECT_EXIT(
      wait_within_a_wait(with_workers()), says_deadlock,
      "deadlock: [23] tasks wait.*hocket: a circle: .*" + named("inner") + " waits for " + named("outer"));
}

void be_many(const options& o, int n) {
  run(o, [n] {
    event never_set;
    std::vector<task<void>> list;
    for (int i = 0; i < n; ++i) list.push_back(start([&] { never_set.wait(); }));
    wait_all(list);
  });
}
TEST_P(deadlock, of_many_tasks_names_a_hundred_and_counts_the_rest) {
  EXPECT_EXIT(
      be_many(with_workers(), 250), says_deadlock,
      begins(251) +
          ".* \\.\\.\\. and 151 more, of which\n    151 wait for an event at 0x[0-9a-f]+ that nobody sets\n");
}

/// main()'s thread is no task, and waits for one.
void wait_as_a_thread(const options& o) {
  initialize(o);
  event never_set;
  start({.name = "server"}, [&] { never_set.wait(); }).wait();
}
TEST_P(deadlock, with_a_thread_that_waits_for_a_task) {
  EXPECT_EXIT(wait_as_a_thread(with_workers()), says_deadlock,
              begins(1) + "; 1 other thread waits too\n  " + named("server") + " waits for an event");
}

void finalize_too_soon(const options& o) {
  initialize(o);
  static event never_set;
  begin({.name = "server"}, [] { never_set.wait(); });
  finalize();
}
TEST_P(deadlock, with_a_thread_in_finalize) {
  EXPECT_EXIT(finalize_too_soon(with_workers()), says_deadlock, begins(1) + ".*" + named("server"));
}

/// Asked to stop when no other task is left, it does not.
void keep_a_daemon_from_stopping(const options& o) {
  run(o, [] {
    static event never_set, begun;
    begin({.name = "servant", .daemon = true}, [] {
      const stop_shield deaf;
      begun.set();
      never_set.wait();
    });
    begun.wait();  // asked to stop before it has begun, it would never run
  });
}
TEST_P(deadlock, of_a_daemon_that_does_not_stop) {
  EXPECT_EXIT(keep_a_daemon_from_stopping(with_workers()), says_deadlock,
              begins(1) + "\n  " + named("servant"));
}

void wait_with_priority(const options& o) {
  run(o, [] {
    event never_set;
    auto low = start({.name = "lowly", .priority = priority::low}, [&] { never_set.wait(); });
    auto high = start({.name = "grand", .priority = priority::high}, [&] { never_set.wait(); });
    high.wait();
  });
}
TEST_P(deadlock, tells_priorities) {
  EXPECT_EXIT(wait_with_priority(with_workers()), says_deadlock,
              named("lowly") + ", of low priority, waits for an event.*" + named("grand") +
                  ", of high priority, waits for an event");
}

/// What was printed before is not lost.
void print_and_wait(const options& o) {
  std::setvbuf(stdout, nullptr, _IOFBF, 1 << 16);
  dup2(2, 1);
  run(o, [] {
    std::printf("printed before\n");
    event().wait();
  });
}
TEST_P(deadlock, leaves_the_output_complete) {
  EXPECT_EXIT(print_and_wait(with_workers()), says_deadlock, "printed before\nhocket: deadlock");
}

TEST_P(deadlock, of_futures_that_never_begin) {
  const auto futures_of_an_event = [&] {
    run(with_workers(), [] {
      static event never_set;
      future(never_set, [] {});
      future(never_set, [] {});
    });
  };
  EXPECT_EXIT(futures_of_an_event(), says_deadlock, "hocket: deadlock: 0 tasks wait, 2 held back, " + nobody);
}

}  // namespace
