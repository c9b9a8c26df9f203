// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios of waiting: tasks and threads wait for events and tasks while others set and end them. Each wait
// returns once, after what it waits for, and none sleeps for ever.
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>

#include "scenario.hpp"

namespace explorer {
namespace {
using namespace hocket;
using namespace std::chrono_literals;

const options one_worker{.workers = 1, .pin = false, .spin = 1};
const options two_workers{.workers = 2, .pin = false, .spin = 1};

/// A task waits for an event that a thread sets, and the thread for one that the task sets.
void event_and_thread() {
  run(one_worker, [] {
    event there, back;
    bool sent = false, answered = false;
    counts_from_here();
    std::thread other([&] {
      sent = true;
      there.set();
      back.wait();
      check(answered, "wait() returns after set()");
    });
    there.wait();
    check(sent, "wait() returns after set()");
    answered = true;
    back.set();
    other.join();
  });
}

/// Two tasks and two threads wait for one event, which is set twice.
void event_many_waiters() {
  int resumed = 0;
  run(one_worker, [&] {
    event set;
    bool is_set = false;
    const auto waits = [&] {
      set.wait();
      check(is_set, "wait() returns after set()");
      ++resumed;
    };
    auto first = start(waits);
    auto second = start(waits);
    counts_from_here();
    std::thread thread(waits);
    std::thread setter([&] {
      is_set = true;
      set.set();
      set.set();
    });
    first.wait();
    second.wait();
    thread.join();
    setter.join();
  });
  check(resumed == 3, "each waiter goes on exactly once");
}

/// Tasks that pass a turn to each other through events, on two workers.
void event_two_workers() {
  int turns = 0;
  run(two_workers, [&] {
    event ping, pong;
    counts_from_here();
    auto other = start([&] {
      ping.wait();
      ++turns;
      pong.set();
    });
    ping.set();
    pong.wait();
    check(turns == 1, "wait() returns after set()");
    other.wait();
  });
}

/// A task that ends while the first one to wait for it comes.
void handle_one_waiter() {
  run(one_worker, [] {
    event waited;
    auto wanted = start([] { return 7; });
    counts_from_here();
    std::thread waits([&, wanted] {
      check(wanted.get() == 7, "get() returns the task's result");
      waited.set();
    });
    waited.wait();
    waits.join();
  });
}

/// A task and two threads wait for one task, whose handle the threads drop.
void handle_waiters() {
  run(one_worker, [] {
    event go;
    int ran = 0;
    auto wanted = start([&] {
      go.wait();
      return ++ran;
    });
    counts_from_here();
    std::thread first([&, copy = wanted]() mutable {
      check(copy.get() == 1, "get() returns the task's result");
      copy = {};
    });
    std::thread second([&, copy = wanted]() mutable {
      go.set();
      check(copy.get() == 1, "get() returns the task's result");
      copy = {};
    });
    check(wanted.get() == 1, "get() returns the task's result");
    wanted = {};
    first.join();
    second.join();
    check(ran == 1, "a task runs exactly once");
  });
}

/// Tasks with handles on two workers: claimed by a waiter or by an idle worker, never by both.
void handle_claims() {
  int ran[3] = {};
  run(two_workers, [&] {
    counts_from_here();
    auto a = spawn([&] { return ++ran[0]; });
    auto b = spawn([&, a] { return a.get() + ++ran[1]; });
    auto c = spawn([&, a] { return a.get() + ++ran[2]; });
    check(b.get() + c.get() == 4, "get() returns the task's result");
  });
  check(ran[0] == 1 && ran[1] == 1 && ran[2] == 1, "a task runs exactly once");
}

/// Each ends when its event is set.
struct two_waiting_tasks {
  event go[2];
  bool ended[2] = {};
  std::vector<task<void>> tasks;
  two_waiting_tasks() {
    for (int i = 0; i < 2; ++i) {
      tasks.push_back(start([this, i] {
        go[i].wait();
        ended[i] = true;
      }));
    }
  }
};

/// wait_any for two tasks that other threads let go, in either order; then for all.
void wait_any_of_two() {
  run(one_worker, [] {
    two_waiting_tasks two;
    counts_from_here();
    std::thread zero([&] { two.go[0].set(); });
    std::thread one([&] { two.go[1].set(); });
    const std::size_t first = wait_any(two.tasks);
    check(first < 2 && two.ended[first], "wait_any() returns a task that has ended");
    wait_all(two.tasks);
    check(two.ended[0] && two.ended[1], "wait_all() returns when all have ended");
    zero.join();
    one.join();
  });
}

/// The same on a thread that is no task.
void wait_any_on_a_thread() {
  run(one_worker, [] {
    two_waiting_tasks two;
    counts_from_here();
    std::thread waits([&] {
      const std::size_t first = wait_any(two.tasks);
      check(first < 2 && two.ended[first], "wait_any() returns a task that has ended");
    });
    two.go[1].set();
    two.tasks[1].wait();
    two.go[0].set();
    two.tasks[0].wait();
    waits.join();
  });
}

/// Two tasks and a thread wait for an event at most so long, while another thread sets it: each either sees
/// it set or gives up, and the event may go when all have.
void event_limit() {
  run(one_worker, [] {
    std::optional<event> set(std::in_place);
    bool is_set = false;
    const auto waits = [&] {
      if (set->wait_for(1us)) {
        check(is_set, "wait_for() returns true after set() only");
      }
    };
    counts_from_here();
    std::thread setter([&] {
      is_set = true;
      set->set();
    });
    auto first = start(waits);
    auto second = start(waits);
    waits();
    first.wait();
    second.wait();
    setter.join();
    check(set->ready(), "the event is set in the end");
    set.reset();
  });
}

/// A thread waits with a limit, a task ends, or does not in time.
void handle_limit() {
  run(one_worker, [] {
    event go;
    bool ended = false;
    auto wanted = start([&] {
      go.wait();
      ended = true;
    });
    counts_from_here();
    std::thread other([&, wanted] {
      if (wanted.wait_for(1us)) check(ended, "wait_for() returns true after the end only");
      go.set();
    });
    if (wanted.wait_for(1us)) check(ended, "wait_for() returns true after the end only");
    wanted.wait();
    other.join();
  });
}

/// A task is asked to stop while the event that it waits for is set.
void event_stop() {
  int ended = 0;
  run(one_worker, [&] {
    event set;
    bool is_set = false;
    std::stop_source source;
    auto waits = start({.stop = source.get_token()}, [&] {
      try {
        set.wait();
        check(is_set, "wait() returns after set()");
      } catch (const cancelled&) {
        check(source.stop_requested(), "a wait is cancelled after request_stop()");
      }
      ++ended;
    });
    counts_from_here();
    std::thread stops([&] { source.request_stop(); });
    std::thread sets([&] {
      is_set = true;
      set.set();
    });
    try {
      waits.wait();
    } catch (const cancelled&) {
    }
    stops.join();
    sets.join();
  });
  check(ended <= 1, "each waiter goes on at most once");
}

/// Tasks sleep on two workers, one of which keeps the time; a later, shorter sleep comes in between.
void sleeping_tasks() {
  int woken = 0;
  run(two_workers, [&] {
    counts_from_here();
    auto first = start([&] {
      this_task::sleep_for(300us);
      ++woken;
    });
    auto second = start([&] {
      this_task::sleep_for(20us);
      ++woken;
    });
    this_task::sleep_for(100us);
    ++woken;
    first.wait();
    second.wait();
  });
  check(woken == 3, "each task that sleeps is woken once");
}

}  // namespace

scenarios wait_scenarios() {
  return {{"event_and_thread", "a task and a thread wait for each other's event", event_and_thread},
          {"event_many_waiters", "tasks and a thread wait for an event that another thread sets",
           event_many_waiters},
          {"event_two_workers", "two tasks on two workers pass events", event_two_workers},
          {"handle_one_waiter", "a task ends while a thread comes to wait for it", handle_one_waiter},
          {"handle_waiters", "a task and two threads wait for one task and drop its handle", handle_waiters},
          {"handle_claims", "virtual tasks, waited for on two workers", handle_claims},
          {"wait_any", "wait_any of two tasks that two threads let go", wait_any_of_two},
          {"wait_any_thread", "wait_any on a thread that is no task", wait_any_on_a_thread},
          {"event_limit", "waits with a limit, while another thread sets the event", event_limit},
          {"handle_limit", "waits with a limit for a task", handle_limit},
          {"event_stop", "a task is asked to stop while its event is set", event_stop},
          {"sleeping_tasks", "tasks that sleep, on two workers", sleeping_tasks}};
}

}  // namespace explorer
