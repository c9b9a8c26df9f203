// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The standard library's threads as a Kit of workloads/sync.hpp: every task is an OS thread, and `--threads`
// is the number of cores that all of them share.
#pragma once

#include <barrier>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "common/plain_threads.hpp"

namespace hkbench {

/// bounded_queue is the channel that textbooks build of a mutex and two condition variables.
class bounded_queue {
 public:
  explicit bounded_queue(std::size_t capacity) : ring_(capacity) {}

  void send(long value) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [this] { return count_ < ring_.size(); });
    ring_[(first_ + count_++) % ring_.size()] = value;
    lock.unlock();
    not_empty_.notify_one();
  }
  long receive() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [this] { return count_ > 0; });
    const long value = ring_[first_];
    first_ = (first_ + 1) % ring_.size();
    --count_;
    lock.unlock();
    not_full_.notify_one();
    return value;
  }

 private:
  std::mutex mutex_;
  std::condition_variable not_full_;
  std::condition_variable not_empty_;
  std::vector<long> ring_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

/// place: where the threads may run.
enum class place {
  any_core,  // on each of the cores, as the system likes
  in_turn,   // the first on the first core, the second on the second, and so on around
};

class threads_kit {
 public:
  using mutex = std::mutex;
  using condition_variable = std::condition_variable;
  using barrier = std::barrier<>;
  using channel = bounded_queue;

  /// Binds the process to the first `cores` of its cores.
  explicit threads_kit(unsigned cores, place where = place::any_core) : where_(where) {
    cpus_ = allowed_cpus();
    if (cpus_.size() > cores) cpus_.resize(cores);
    cpu_set_t mask;
    CPU_ZERO(&mask);
    for (const int cpu : cpus_) CPU_SET(cpu, &mask);
    sched_setaffinity(0, sizeof mask, &mask);  // a refusal only makes the figure noisier
  }

  static void yield() { std::this_thread::yield(); }

  template <class F>
  double run(long tasks, F body) const {
    std::latch ready(tasks);
    std::latch go(1);
    std::vector<std::thread> all;
    for (long i = 0; i < tasks; ++i) {
      all.emplace_back([&, i] {
        if (where_ == place::in_turn) pin_this_thread(cpus_[static_cast<std::size_t>(i) % cpus_.size()]);
        ready.count_down();
        go.wait();
        body(i);
      });
    }
    ready.wait();
    return seconds_of([&] {
      go.count_down();
      for (auto& thread : all) thread.join();
    });
  }

  template <class F>
  void fork(long tasks, F body) const {
    std::latch done(tasks);
    std::vector<std::thread> all;
    all.reserve(static_cast<std::size_t>(tasks));
    for (long i = 0; i < tasks; ++i) {
      all.emplace_back([&, i] {
        body(i);
        done.count_down();
      });
    }
    done.wait();
    for (auto& thread : all) thread.join();
  }

 private:
  place where_;
  std::vector<int> cpus_;
};

}  // namespace hkbench
