// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios of counters and futures: who waits for zero goes on, and a task that is held back begins once.
#include <chrono>
#include <memory>
#include <thread>

#include <hocket/hocket.hpp>

#include "scenario.hpp"

namespace explorer {
namespace {
using namespace hocket;
using namespace std::chrono_literals;

const options one_worker{.workers = 1, .pin = false, .spin = 1, .max_threads = 1};
const options two_workers{.workers = 2, .pin = false, .spin = 1, .max_threads = 2};

/// Two threads and a task count down, a thread and a task wait.
void counter_threads() {
  int done = 0, went = 0;
  run(one_worker, [&] {
    counter left(3);
    const auto counts = [&] {
      ++done;
      left.done();
    };
    const auto waits = [&] {
      left.wait();
      check(done == 3, "wait() returns at zero");
      ++went;
    };
    counts_from_here();
    auto task_waits = start(waits);
    std::thread one(counts), two(counts), thread_waits(waits);
    counts();
    task_waits.wait();
    one.join();
    two.join();
    thread_waits.join();
  });
  check(went == 2, "nobody who waits is forgotten");
}

/// The counter ends with who found it at zero; some have given up before.
void counter_ends() {
  run(one_worker, [] {
    counts_from_here();
    auto c = std::make_unique<counter>(2);
    std::thread one([&c = *c] { c.done(); });
    auto two = start([&c = *c] { c.done(); });
    std::thread waits([&] {
      while (!c->wait_for(1us)) {
      }
      c.reset();
    });
    two.wait();
    one.join();
    waits.join();
  });
}

/// A counter that is raised again at once: who waited goes on.
void counter_raised() {
  run(two_workers, [] {
    counter c(1), there(1);
    counts_from_here();
    auto waits = start([&] {
      there.done();
      c.wait();
    });
    there.wait();
    std::thread raises([&] {
      c.done();
      c.add();
    });
    raises.join();
    c.done();
    waits.wait();
  });
}

/// A future that requires three things, which happen at one time on two workers and a thread.
void future_of_three() {
  int begun = 0;
  run(two_workers, [&] {
    event set;
    counter c(1);
    hocket::sync<int> v;
    counts_from_here();
    std::thread sets([&] { set.set(); });
    auto counts = start([&] { c.done(); });
    const auto f = future(when(set, c, v), [&] {
      check(set.ready() && c.value() == 0 && v.isFull(), "a future begins when what it requires holds");
      ++begun;
    });
    v.writeEF(1);
    f.wait();
    counts.wait();
    sets.join();
  });
  check(begun == 1, "a future begins once");
}

/// A future of a task that ends meanwhile.
void future_of_task() {
  run(two_workers, [] {
    counts_from_here();
    const auto first = start([] { return 1; });
    const auto second = future(first, [&] { return first.done() ? first.get() + 1 : 0; });
    const auto third = future(when(first, second), [&] { return second.done() ? second.get() + 1 : 0; });
    check(third.get() == 3, "futures of tasks begin after them");
  });
}

}  // namespace

scenarios counter_scenarios() {
  return {{"counter_threads", "a counter between tasks and threads", counter_threads},
          {"counter_ends", "a counter that ends with who found it at zero", counter_ends},
          {"counter_raised", "a counter that is raised again at once", counter_raised},
          {"future_of_three", "a future of an event, a counter and a variable", future_of_three},
          {"future_of_task", "futures of tasks", future_of_task}};
}

}  // namespace explorer
