// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios of the end of a run: it returns exactly when all tasks have ended, and a task that another thread
// makes at that moment either is run before or is refused.
#include <thread>

#include <hocket/hocket.hpp>

#include "scenario.hpp"

namespace explorer {
namespace {
using namespace hocket;

const options one_worker{.workers = 1, .pin = false, .spin = 1};
const options two_workers{.workers = 2, .pin = false, .spin = 1};

/// What a thread that is not a worker got admitted, and what of it has run.
struct visitor {
  int admitted = 0, ran = 0;
  void make_one() {
    try {
      begin([this] { ++ran; });
      ++admitted;
    } catch (const error& e) {
      check(e.code() == errc::not_running, "a task is refused for one reason only: there is no run");
    }
  }
};

void against_a_thread(const options& o, int tasks) {
  visitor v;
  int ended = 0;
  std::thread other([&] {
    v.make_one();
    v.make_one();
  });
  run(o, [&] {
    for (int i = 0; i < tasks; ++i) begin([&] { ++ended; });
    counts_from_here();
  });
  check(ended == tasks, "run() returns when all tasks have ended");
  const int ran = v.ran;
  other.join();
  check(v.ran == v.admitted, "a task that was admitted runs, one that was refused does not");
  check(v.ran == ran, "no task runs after run() has returned");
}

void end_foreign() { against_a_thread(one_worker, 0); }
void end_foreign_tasks() { against_a_thread(one_worker, 2); }
void end_foreign_two_workers() { against_a_thread(two_workers, 1); }

/// Tasks that begin tasks, on two workers, when the main task is done.
void end_generations() {
  int ended = 0;
  run(two_workers, [&] {
    counts_from_here();
    begin([&] {
      begin([&] {
        begin([&] { ++ended; });
        ++ended;
      });
      ++ended;
    });
    begin([&] { ++ended; });
  });
  check(ended == 4, "run() returns when all tasks have ended");
}

/// A task is woken by another thread when nothing else is left: not the end.
void end_suspended() {
  bool woken = false;
  event set;
  std::thread other([&] { set.set(); });
  run(two_workers, [&] {
    begin([&] {
      set.wait();
      woken = true;
    });
    counts_from_here();
  });
  check(woken, "run() waits for a suspended task");
  other.join();
}

/// A run right after a run; a thread visits both, or neither.
void end_and_again() {
  visitor v;
  std::thread other([&] {
    v.make_one();
    v.make_one();
  });
  int mains = 0;
  run(one_worker, [&] {
    counts_from_here();
    ++mains;
  });
  run(one_worker, [&] { ++mains; });
  other.join();
  check(mains == 2, "each run runs its main task");
  check(v.ran == v.admitted, "a task that was admitted runs, one that was refused does not");
}

}  // namespace

scenarios end_scenarios() {
  return {{"end_foreign", "the main task ends while a thread begins tasks", end_foreign},
          {"end_foreign_tasks", "the same with tasks of the run's own", end_foreign_tasks},
          {"end_foreign_two_workers", "the same on two workers", end_foreign_two_workers},
          {"end_generations", "tasks begin tasks when the main task is done", end_generations},
          {"end_suspended", "the last task is woken by a thread", end_suspended},
          {"end_and_again", "two runs in a row, and a thread that begins tasks", end_and_again}};
}

}  // namespace explorer
