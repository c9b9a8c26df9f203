// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ticker: a thread that sleeps, ends time slices, keeps a coarse time, and answers SIGUSR1.
#pragma once
#include <cstdint>
#include <thread>

#include <hocket/detail/atomic.hpp>

namespace hocket::detail {

class kernel;

class ticker {
 public:
  /// Starts the thread, and answers SIGUSR1 if the program does not.
  explicit ticker(kernel&);
  ~ticker();

  /// A worker has woken while the ticker saw all asleep. Cheap to call if not.
  void workers_awake() {
    if (HOCKET_UNLIKELY(idle_.load(std::memory_order_relaxed) != 0)) ring();
  }

 private:
  void serve();
  void ring();
  void end_slices();

  kernel& kernel_;
  const std::int64_t slice_ns_;
  // 1 while the ticker sleeps without a limit since all workers sleep: seq_cst before its last look at them.
  atomic<std::uint32_t> idle_{0};
  atomic<std::uint32_t> ending_{0};
  std::uint64_t seen_reports_;
  std::thread thread_;
};

}  // namespace hocket::detail
