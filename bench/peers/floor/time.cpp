// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The floors of time: how late a sleeping thread wakes, and how long a bare futex takes to wake one.
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "common/percentiles.hpp"
#include "common/plain_threads.hpp"
#include "floor.hpp"

namespace hkbench {

/// One thread that sleeps by clock_nanosleep.
void floor_timers(request& rq) {
  const long period = rq.number("period_ms", 100, 1, 10000);
  const long tenths = rq.number("tenths_of_seconds", 20, 1, 600);
  rq.check_all_read();
  for (unsigned i = 0; i < rq.samples(); ++i) {
    std::vector<double> us;
    const double cpu = cpu_seconds(), start = now_s();
    while (now_s() - start < static_cast<double>(tenths) / 10) {
      const double due = now_s() + 1e-3 * static_cast<double>(period);
      const timespec rest{period / 1000, period % 1000 * 1000000};
      clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, nullptr);
      us.push_back((now_s() - due) * 1e6);
    }
    rq.row("cpu_percent", "%", 100 * (cpu_seconds() - cpu) / (now_s() - start));
    percentile_rows(rq, "lateness", std::move(us));
  }
}

/// A thread that sleeps on a futex, woken by one that spins on another core.
void floor_wake(request& rq) {
  const long rounds = rq.number("rounds", 2000, 1, 1000000);
  const long pause_us = rq.number("pause_us", 500, 100, 1000000);
  rq.check_all_read();
  const std::vector<int> cpus = allowed_cpus();
  std::atomic<std::uint32_t> word{0};
  std::atomic<double> set_at{0};
  std::atomic<long> woken{0};
  std::vector<double> us;
  std::thread waker([&] {
    pin_this_thread(cpus.back());
    for (long i = 0; i < rounds; ++i) {
      while (woken.load(std::memory_order_acquire) != i) sched_yield();
      const double begin = now_s();
      while (now_s() - begin < 1e-6 * static_cast<double>(pause_us)) {
      }
      set_at.store(now_s(), std::memory_order_relaxed);
      word.store(static_cast<std::uint32_t>(i + 1), std::memory_order_release);
      syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }
  });
  pin_this_thread(cpus.front());
  for (long i = 0; i < rounds; ++i) {
    // First it looks for as long as a worker does (50 us): how long a core has slept decides how fast it
    // wakes.
    const double begin = now_s();
    while (word.load(std::memory_order_acquire) == static_cast<std::uint32_t>(i) && now_s() - begin < 50e-6) {
    }
    while (word.load(std::memory_order_acquire) == static_cast<std::uint32_t>(i)) {
      syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, static_cast<std::uint32_t>(i), nullptr, nullptr, 0);
    }
    us.push_back((now_s() - set_at.load(std::memory_order_relaxed)) * 1e6);
    woken.store(i + 1, std::memory_order_release);
  }
  waker.join();
  percentile_rows(rq, "wake", std::move(us));
}

}  // namespace hkbench
