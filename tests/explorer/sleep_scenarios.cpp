// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios of idle workers that fall asleep while work is made: no schedule in which work lies there and all
// sleep. The main task keeps its worker and does not help, so a lost wake-up shows as no progress.
#include <thread>

#include <hocket/hocket.hpp>

#include "scenario.hpp"

namespace explorer {
namespace {
using namespace hocket;

const options one_worker{.workers = 1, .pin = false, .spin = 1};
const options two_workers{.workers = 2, .pin = false, .spin = 1};
const options three_workers{.workers = 3, .pin = false, .spin = 1};

/// Holds the caller's worker until the other has run the task.
void hold_until(const bool& ran) {
  while (!ran) pause();
}

/// Lets the other workers reach their search, or their sleep.
void let_others_idle() {
  for (int i = 0; i < 40; ++i) pause();
}

void sleep_begin() {
  run(two_workers, [] {
    counts_from_here();
    for (int round = 0; round < 2; ++round) {
      bool ran = false;
      begin([&] { ran = true; });
      hold_until(ran);
    }
  });
}

/// The worker is asleep, or on its way, when the second task comes.
void sleep_again() {
  run(two_workers, [] {
    bool ran = false;
    begin([&] { ran = true; });
    hold_until(ran);
    let_others_idle();
    counts_from_here();
    bool again = false;
    start([&] { again = true; });
    hold_until(again);
  });
}

/// A forked child of a task that computes on.
void sleep_fork() {
  run(two_workers, [] {
    counts_from_here();
    bool ran = false;
    fork_join([&] { hold_until(ran); }, [&] { ran = true; });
  });
}

/// Two forked children: the second is private at first, and nobody asks for it but a worker that idles.
void sleep_two_forks() {
  run(two_workers, [] {
    counts_from_here();
    bool first = false, second = false;
    fork_join(
        [&] {
          fork_join(
              [&] {
                hold_until(second);
                hold_until(first);
              },
              [&] { first = true; });
        },
        [&] { second = true; });
  });
}

/// Work for two sleepers: the one that is woken wakes the other.
void sleep_two_sleepers() {
  bool first = false, second = false;
  run(three_workers, [&] {
    let_others_idle();
    counts_from_here();
    const auto meet = [](bool& mine, const bool& other) {
      mine = true;
      hold_until(other);  // needs both workers at once
    };
    begin([&, meet] { meet(first, second); });
    begin([&, meet] { meet(second, first); });
    hold_until(first);
    hold_until(second);
  });
}

/// The only worker sleeps, or is about to, when threads spawn and set.
void sleep_inject() {
  run(one_worker, [] {
    event done;
    int ran = 0;
    counts_from_here();
    std::thread other([&] {
      auto t = spawn([&] { return ++ran; });
      check(t.get() == 1, "get() returns the task's result");
      begin([&] {
        ++ran;
        done.set();
      });
    });
    done.wait();
    other.join();
    check(ran == 2, "every task of another thread runs once");
  });
}

/// Two threads submit to two workers at once.
void sleep_inject_two() {
  run(two_workers, [] {
    event done[2];
    counts_from_here();
    std::thread zero([&] { begin([&] { done[0].set(); }); });
    std::thread one([&] { begin([&] { done[1].set(); }); });
    done[0].wait();
    done[1].wait();
    zero.join();
    one.join();
  });
}

/// Two tasks of another thread that need both workers, one of which has just become idle.
void sleep_inject_meet() {
  bool first = false, second = false;
  run(two_workers, [&] {
    event done;
    counts_from_here();
    std::thread other([&] {
      begin([&] {
        first = true;
        hold_until(second);
      });
      begin([&] {
        second = true;
        hold_until(first);
        done.set();
      });
    });
    begin([] {});
    done.wait();
    other.join();
  });
}

/// Stealing stays inside a shepherd, and tasks are bound to the shepherds in turn: it is theirs that must
/// wake, while a thread makes one ready that any may take.
void sleep_inside() {
  options o = three_workers;
  o.shepherds = 2;  // of two workers and of one
  o.steal = stealing::inside;
  bool begun = false, started = false, resumed = false;
  run(o, [&] {
    event go;
    auto waits = start([&] {
      go.wait();
      resumed = true;
    });
    let_others_idle();
    counts_from_here();
    std::thread other([&] {
      begin([&] { begun = true; });
      go.set();
    });
    auto child = start([&] { started = true; });
    child.wait();
    waits.wait();
    other.join();
  });
  check(begun && started && resumed, "every task runs");
}

}  // namespace

scenarios sleep_scenarios() {
  return {
      {"sleep_begin", "one worker is kept busy, the other must find begun tasks", sleep_begin},
      {"sleep_again", "the same with a task that is ready when the other has run one before", sleep_again},
      {"sleep_fork", "the other worker must take a forked child", sleep_fork},
      {"sleep_two_forks", "the other worker must take two forked children", sleep_two_forks},
      {"sleep_two_sleepers", "two workers sleep, two tasks need both", sleep_two_sleepers},
      {"sleep_inject", "the only worker sleeps while a thread spawns", sleep_inject},
      {"sleep_inject_two", "two workers, two threads that begin tasks", sleep_inject_two},
      {"sleep_inject_meet", "two workers, a thread that begins two tasks that need both", sleep_inject_meet},
      {"sleep_inside", "two shepherds that do not steal from each other, and a thread that makes work",
       sleep_inside}};
}

}  // namespace explorer
