// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain pinned OS threads that start together: what the floors of more than one worker run on.
#pragma once

#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

#include "harness.hpp"

namespace hkbench {

/// allowed_cpus() lists the CPUs that the affinity mask of this process allows.
inline std::vector<int> allowed_cpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return {0};
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &mask)) cpus.push_back(cpu);
  }
  return cpus;
}

inline void pin_this_thread(int cpu) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(cpu, &mask);
  sched_setaffinity(0, sizeof mask, &mask);  // a refusal only makes the figure noisier
}

/// seconds_on_threads() runs body(index) on `count` threads and returns the time from the common start to the
/// last end. One thread means this one, unpinned: no thread is made.
template <class F>
double seconds_on_threads(unsigned count, F body) {
  if (count == 1) return seconds_of([&] { body(0U); });
  const std::vector<int> cpus = allowed_cpus();
  std::atomic<unsigned> ready{0};
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      pin_this_thread(cpus[i % cpus.size()]);
      ready.fetch_add(1);
      while (!go.load(std::memory_order_acquire)) std::this_thread::yield();
      body(i);
    });
  }
  while (ready.load() != count) std::this_thread::yield();
  return seconds_of([&] {
    go.store(true, std::memory_order_release);
    for (auto& thread : threads) thread.join();
  });
}

}  // namespace hkbench
