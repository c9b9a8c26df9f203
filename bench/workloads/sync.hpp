// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How mutexes, channels, barriers, condition variables and counters are measured, the same loops for all who
// spell them as the standard does. A Kit has:
//   run(tasks, body)   runs body(0), ..., body(tasks - 1) as tasks that begin together; seconds until all end
//   fork(tasks, body)  makes the tasks, which run body(i), and waits for them by a counter or what comes near
//   yield()            lets other tasks run
//   mutex, condition_variable, barrier, channel: types
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "common/harness.hpp"

namespace hkbench {

/// shares tells how many operations each task does, so that all tasks do the same and about `ops` in all.
struct shares {
  long tasks;
  long each;
  long all() const { return tasks * each; }
};

inline shares read_shares(request& rq) {
  const long tasks = rq.number("tasks", 2, 2, 1000000);
  const long ops = rq.number("ops", 100000, 1, 1000000000);
  return {tasks, std::max(1L, ops / tasks)};
}

/// mutex: tasks lock, count and unlock. `plain`: nothing else; `contended`: the owner yields, so that the
/// others come to wait.
template <class Kit>
void run_mutex(request& rq, Kit& kit) {
  const shares work = read_shares(rq);
  const bool contended = rq.choice("form", {"plain", "contended"}) == "contended";
  rq.check_all_read();
  sample(rq, "ns_per_op", static_cast<double>(work.all()), [&] {
    typename Kit::mutex mutex;
    long value = 0;
    const double seconds = kit.run(work.tasks, [&](long) {
      for (long i = 0; i < work.each; ++i) {
        const std::lock_guard hold(mutex);
        const long before = value;
        if (contended) kit.yield();
        value = before + 1;
      }
    });
    check_equal("the number counted under the mutex", value, work.all());
    return seconds;
  });
}

/// channel: one half of the tasks sends, the other receives; an operation is an element sent and received.
template <class Kit>
void run_channel(request& rq, Kit& kit) {
  const long tasks = rq.number("tasks", 2, 2, 1000000) & ~1L;
  const long ops = rq.number("ops", 100000, 1, 1000000000);
  const auto capacity = static_cast<std::size_t>(rq.number("capacity", 64, 1, 1 << 20));
  rq.check_all_read();
  const shares senders{tasks / 2, std::max(1L, ops / (tasks / 2))};
  sample(rq, "ns_per_op", static_cast<double>(senders.all()), [&] {
    typename Kit::channel channel(capacity);
    std::atomic<long> sum{0};
    const double seconds = kit.run(tasks, [&](long task) {
      if (task % 2 == 0) {
        for (long i = 0; i < senders.each; ++i) channel.send(i);
      } else {
        long own = 0;
        for (long i = 0; i < senders.each; ++i) own += channel.receive();
        sum.fetch_add(own, std::memory_order_relaxed);
      }
    });
    check_equal("the sum of the elements received", sum.load(),
                senders.tasks * (senders.each * (senders.each - 1) / 2));
    return seconds;
  });
}

/// barrier: all tasks pass it again and again; an operation is one task that passes once. Now and then each
/// looks whether its neighbour has come as far.
template <class Kit>
void run_barrier(request& rq, Kit& kit) {
  const shares work = read_shares(rq);
  rq.check_all_read();
  struct alignas(128) progress {
    std::atomic<long> rounds{0};
  };
  sample(rq, "ns_per_op", static_cast<double>(work.all()), [&] {
    typename Kit::barrier barrier(work.tasks);
    const auto count = static_cast<std::size_t>(work.tasks);
    const auto done = std::make_unique<progress[]>(count);
    std::atomic<long> late{0};
    const double seconds = kit.run(work.tasks, [&](long task) {
      const auto own = static_cast<std::size_t>(task);
      for (long round = 1; round <= work.each; ++round) {
        done[own].rounds.store(round, std::memory_order_relaxed);
        barrier.arrive_and_wait();
        const bool looks = round % 16 == 0 || round == work.each;
        if (looks && done[(own + 1) % count].rounds.load(std::memory_order_relaxed) < round) ++late;
      }
    });
    check_equal("the number of tasks that the barrier did not wait for", late.load(), 0);
    return seconds;
  });
}

/// condition: the tasks stand in a ring and pass a token; each has a condition variable, all share one mutex.
template <class Kit>
void run_condition(request& rq, Kit& kit) {
  const shares work = read_shares(rq);
  rq.check_all_read();
  sample(rq, "ns_per_op", static_cast<double>(work.all()), [&] {
    typename Kit::mutex mutex;
    const auto turns =
        std::make_unique<typename Kit::condition_variable[]>(static_cast<std::size_t>(work.tasks));
    long holder = 0;
    long passed = 0;
    const double seconds = kit.run(work.tasks, [&](long task) {
      std::unique_lock lock(mutex);
      for (long i = 0; i < work.each; ++i) {
        turns[static_cast<std::size_t>(task)].wait(lock, [&] { return holder == task; });
        ++passed;
        holder = (task + 1) % work.tasks;
        turns[static_cast<std::size_t>(holder)].notify_one();
      }
    });
    check_equal("the number of times that the token was passed", passed, work.all());
    return seconds;
  });
}

/// counter: tasks are made, and one waits until all have counted themselves as done; the making counts.
template <class Kit>
void run_counter(request& rq, Kit& kit) {
  const long tasks = rq.number("tasks", 1000, 1, 10000000);
  const long rounds = rq.number("rounds", 100, 1, 10000000);
  rq.check_all_read();
  std::vector<long> ran(static_cast<std::size_t>(tasks));
  sample(rq, "ns_per_op", static_cast<double>(tasks) * static_cast<double>(rounds), [&] {
    std::fill(ran.begin(), ran.end(), 0);
    long* const slots = ran.data();
    long missing = 0;
    const double seconds = seconds_of([&] {
      for (long round = 1; round <= rounds; ++round) {
        kit.fork(tasks, [slots](long task) { ++slots[task]; });
        missing += slots[tasks - 1] == round ? 0 : 1;
      }
    });
    check_equal("the number of waits that ended early", missing, 0);
    check_equal("the number of tasks that ran in every round", std::count(ran.begin(), ran.end(), rounds),
                tasks);
    return seconds;
  });
}

}  // namespace hkbench
