// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that make blocking calls for tasks, so that no worker waits in the system.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include <hocket/detail/atomic.hpp>

namespace hocket::detail {

struct blocking_job {
  void (*call)(void*);
  void* argument;
};

class blocking_threads {
 public:
  explicit blocking_threads(std::size_t most) : most_(most) {}
  ~blocking_threads();
  /// run() has the job done by a thread, and suspends the calling task until then. False if there may be no
  /// thread at all.
  bool run(blocking_job);
  /// Jobs that are not done (release when done, after the task was made ready; acquire).
  std::size_t under_way() const { return under_way_.load(std::memory_order_acquire); }
  /// take_out() makes it one thread fewer, for another use; false if none is left. give_back() undoes that.
  bool take_out();
  void give_back();
  std::size_t threads() const { return count_.load(std::memory_order_acquire); }

 private:
  struct waiting_job;
  void serve();

  atomic<std::size_t> under_way_{0};
  atomic<std::size_t> count_{0};  // of threads; release under the mutex
  std::mutex mutex_;              // guards all below
  std::condition_variable more_;
  std::size_t most_;
  std::deque<waiting_job*> jobs_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ending_ = false;
};

}  // namespace hocket::detail
