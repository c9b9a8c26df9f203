// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What time costs: timers and their lateness, an idle process, and the wake-up of a sleeping worker.
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "common/percentiles.hpp"
#include "common/plain_threads.hpp"
#include "hocket_benches.hpp"

namespace hkbench {
namespace {

/// For `seconds` the main task sleeps while `tasks` tasks sleep in turns of period_ms. Returns the share of a
/// core that this takes; if asked, the lateness of each goes into `late`, which costs time of its own.
double sleepers(long tasks, long period_ms, double seconds, bool watch,
                std::vector<std::vector<double>>& late) {
  std::atomic<bool> over{false};
  std::vector<hocket::task<void>> all;
  for (long i = 0; i < tasks; ++i) {
    all.push_back(hocket::start([&over, watch, &mine = late[static_cast<std::size_t>(i)], period_ms] {
      const auto period = std::chrono::milliseconds(period_ms);
      while (!watch && !over.load(std::memory_order_relaxed)) hocket::this_task::sleep_for(period);
      while (!over.load(std::memory_order_relaxed)) {
        const double due = now_s() + 1e-3 * static_cast<double>(period_ms);
        hocket::this_task::sleep_for(period);
        mine.push_back((now_s() - due) * 1e6);
      }
    }));
  }
  hocket::this_task::sleep_for(
      std::chrono::milliseconds(300));  // the first turn, and the making, do not count
  for (auto& one : late) one.clear();
  const double cpu = cpu_seconds();
  const double start = now_s();
  hocket::this_task::sleep_for(std::chrono::duration<double>(seconds));
  const double wall = now_s() - start;
  const double used = cpu_seconds() - cpu;
  over = true;
  for (const auto& t : all) t.wait();
  return 100 * used / wall;
}

}  // namespace

/// timers: the share of a core that sleeping tasks cost, and how late they wake. tasks=0: an idle process.
void hocket_timers(request& rq) {
  const long tasks = rq.number("tasks", 10000, 0, 1000000);
  const long period = rq.number("period_ms", 100, 1, 10000);
  const long tenths = rq.number("tenths_of_seconds", 20, 1, 600);
  rq.check_all_read();
  in_run(rq, [&] {
    for (unsigned i = 0; i < rq.samples(); ++i) {
      std::vector<std::vector<double>> late(static_cast<std::size_t>(tasks));
      for (auto& one : late) one.reserve(static_cast<std::size_t>(tenths * 100 / period + 8));
      const double seconds = static_cast<double>(tenths) / 10;
      rq.row("cpu_percent", "%", sleepers(tasks, period, seconds, false, late));
      if (tasks == 0) continue;
      sleepers(tasks, period, seconds, true, late);
      std::vector<double> us;
      for (const auto& one : late) us.insert(us.end(), one.begin(), one.end());
      percentile_rows(rq, "lateness", std::move(us));
    }
  });
}

/// wake: from set() by a thread that is no task to the first instruction of the task that waits, on a worker
/// that sleeps. The thread spins on another core meanwhile, as the floor's does.
void hocket_wake(request& rq) {
  const long rounds = rq.number("rounds", 2000, 1, 1000000);
  const long pause_us = rq.number("pause_us", 500, 100, 1000000);
  rq.check_all_read();
  if (rq.threads() != 1) throw bad_usage("wake is measured on one worker and one other thread");
  std::vector<hocket::event> events(static_cast<std::size_t>(rounds));
  std::vector<double> us;
  std::atomic<double> set_at{0};
  std::atomic<long> woken{0};
  in_run(rq, [&] {
    const auto sleeps = hocket::stats().sleeps;
    std::thread waker([&] {
      const auto cpus = allowed_cpus();
      pin_this_thread(cpus.back());
      for (long i = 0; i < rounds; ++i) {
        while (woken.load(std::memory_order_acquire) != i) sched_yield();
        const double begin = now_s();
        while (now_s() - begin < 1e-6 * static_cast<double>(pause_us)) {
        }
        set_at.store(now_s(), std::memory_order_relaxed);
        events[static_cast<std::size_t>(i)].set();
      }
    });
    for (long i = 0; i < rounds; ++i) {
      events[static_cast<std::size_t>(i)].wait();
      const double now = now_s();
      us.push_back((now - set_at.load(std::memory_order_relaxed)) * 1e6);
      woken.store(i + 1, std::memory_order_release);
    }
    hocket::blocking([&] { waker.join(); });
    check_at_least("the counter `sleeps`", static_cast<long long>(hocket::stats().sleeps - sleeps),
                   rounds * 9 / 10);
  });
  percentile_rows(rq, "wake", std::move(us));
}

}  // namespace hkbench
