// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios of the mutex for tasks: one holder at a time, and nobody who waits is forgotten.
#include <chrono>
#include <mutex>
#include <thread>

#include <hocket/hocket.hpp>

#include "scenario.hpp"

namespace explorer {
namespace {
using namespace hocket;
using namespace std::chrono_literals;

const options one_worker{.workers = 1, .pin = false, .spin = 1, .max_threads = 1};
const options two_workers{.workers = 2, .pin = false, .spin = 1, .max_threads = 2};

/// What the mutex guards. It lets others go on inside.
struct guarded {
  hocket::mutex lock;
  int inside = 0, visits = 0;
  void visit() {
    check(++inside == 1, "the mutex lets in one at a time");
    pause();
    ++visits;
    check(--inside == 0, "the mutex lets in one at a time");
  }
};

/// A task and two threads.
void mutex_threads() {
  guarded g;
  run(one_worker, [&] {
    const auto twice = [&] {
      for (int i = 0; i < 2; ++i) {
        std::lock_guard hold(g.lock);
        g.visit();
      }
    };
    counts_from_here();
    std::thread one(twice), two(twice);
    auto other = start(twice);
    twice();
    other.wait();
    one.join();
    two.join();
  });
  check(g.visits == 8, "everybody gets the mutex");
}

/// Tasks on two workers, one of which yields while it holds it.
void mutex_two_workers() {
  guarded g;
  run(two_workers, [&] {
    const auto once = [&] {
      std::lock_guard hold(g.lock);
      g.visit();
      this_task::yield();
    };
    counts_from_here();
    auto first = start(once), second = start(once);
    once();
    first.wait();
    second.wait();
  });
  check(g.visits == 3, "everybody gets the mutex");
}

/// Some give up after a while: who gave up does not hold it, nor is it handed to one who has gone.
void mutex_limit() {
  guarded g;
  int got = 0;
  run(one_worker, [&] {
    const auto perhaps = [&] {
      if (!g.lock.try_lock_for(1us)) return;
      g.visit();
      ++got;
      g.lock.unlock();
    };
    counts_from_here();
    std::thread one(perhaps), two(perhaps);
    auto other = start(perhaps);
    {
      std::lock_guard hold(g.lock);
      g.visit();
      this_task::yield();
    }
    other.wait();
    one.join();
    two.join();
    check(g.lock.try_lock(), "the mutex is free in the end");
    g.lock.unlock();
  });
  check(g.visits == got + 1, "who gets the mutex knows it");
}

}  // namespace

scenarios mutex_scenarios() {
  return {{"mutex_threads", "a mutex between tasks and threads", mutex_threads},
          {"mutex_two_workers", "a mutex between tasks on two workers", mutex_two_workers},
          {"mutex_limit", "a mutex, some who want it give up", mutex_limit}};
}

}  // namespace explorer
