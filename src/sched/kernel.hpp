// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run's workers and what they share: injected work, sleeping and waking, and the end of the run.
#pragma once
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <hocket/options.hpp>

#include "sched/worker.hpp"

namespace hocket::detail {

/// How often every worker takes the oldest virtual or injected task, so that none starves.
inline constexpr std::uint32_t fairness_period = 61;

class kernel {
 public:
  /// Makes worker 0 for the calling thread and threads for the others.
  explicit kernel(const options&);
  ~kernel();

  /// Runs the descriptor as main task on the calling thread as worker 0; returns when all tasks have ended.
  void run(descriptor* main_task);

  // --- work from threads that are not workers (lists, newest first; release when pushed, acquire when taken)
  void inject(real_task*);
  void inject(descriptor*);
  /// Counts a task that another thread is about to inject; false if the run has ended.
  bool admit_foreign(bool detached);
  /// Moves what was injected into the worker's queues; true if there was anything.
  bool take_injected(worker*);

  // --- idle workers
  /// wake_one() makes sure that a worker looks for work, if one is idle. Call after the work can be found.
  void wake_one() {
    light_fence();  // the work, then the count; the mirror image is in fall_asleep
    if (HOCKET_UNLIKELY(sleeping_.load(std::memory_order_relaxed) != 0)) wake_a_sleeper();
  }
  /// look_for_work() returns when there may be something to do for the worker, having slept if need be: a
  /// stolen child, or null when its queues have got entries, or when the run is to stop.
  slot* look_for_work(worker*);
  bool stopping() const { return stopping_.load(std::memory_order_acquire); }

  // --- the end
  /// Called by execute() for every descriptor that has ended.
  void note_end(const descriptor* d) {
    if (HOCKET_UNLIKELY(d == main_task_)) main_done_.store(true, std::memory_order_release);
  }
  void keep_exception(std::exception_ptr);  // of a detached task: the first one comes out of run

  std::vector<std::unique_ptr<worker>> workers;
  options settings;
  unsigned default_class = 0;
  // Bytes of stack that a wait must have left to run a virtual task: half a stack.
  std::size_t inline_reserve = 0;
  unsigned join_spins = 0;  // looks at a stolen child before its parent suspends
  bool shared_fp = false;
  atomic<std::uint64_t> foreign_spawned{0}, foreign_begun{0};  // tasks made by threads that are not workers
  bool pins = false;

 private:
  void thread_main(worker*);
  void wake_a_sleeper();
  bool fall_asleep(worker*);
  bool anything_to_do(worker*);
  bool close_if_all_ended();
  void stop();
  enum class found { nothing, child, queued };
  found try_steal(worker*, bool insist, slot*& child);

  static constexpr std::uint64_t closed = 1, foreign_one = 2;
  // Tasks of other threads, times foreign_one; `closed` is set at the end of the run by a compare-and-swap,
  // so that a task is either counted before it or refused (acq_rel both).
  atomic<std::uint64_t> foreign_made_{0};
  const descriptor* main_task_ = nullptr;
  // Lists: seq_cst when pushed, with a fence before sleeping_ is read; acquire when taken.
  atomic<real_task*> injected_tasks_{nullptr};
  atomic<descriptor*> injected_descriptors_{nullptr};
  // Workers that sleep or are about to: raised before their last look (heavy fence between), read after work
  // is published (light fence between).
  atomic<std::uint32_t> sleeping_{0};
  // Workers that look for work, and so look again before they sleep. seq_cst, as sleeping_ beside it.
  atomic<std::uint32_t> searching_{0};
  // Release by the end of the main task, acquire by the worker that decides on the end of the run.
  atomic<bool> main_done_{false};
  // Set once, before the sleepers are woken; acquire by everyone.
  atomic<bool> stopping_{false};
  std::uint64_t spin_ns_ = 0;
  std::vector<std::thread> threads_;
  std::mutex exception_mutex_;
  std::exception_ptr exception_;
};

/// kernel_visit keeps the kernel of the run that goes on, if one does, from being destroyed while a thread
/// that is no worker uses it: the task that such a thread wakes may be the last one.
class kernel_visit {
 public:
  kernel_visit();
  ~kernel_visit();
  kernel_visit(const kernel_visit&) = delete;
  kernel_visit& operator=(const kernel_visit&) = delete;
  explicit operator bool() const { return kernel_ != nullptr; }
  kernel* operator->() const { return kernel_; }

 private:
  kernel* kernel_;
};

}  // namespace hocket::detail
