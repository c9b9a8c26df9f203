// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What workers share and what outlives a run: free stacks, segments and descriptors, and the counts of
// workers that are gone. Visited in batches, so one mutex is enough.
#pragma once
#include <cstddef>
#include <mutex>
#include <vector>

#include "sched/worker.hpp"

namespace hocket::detail {

inline constexpr std::size_t depot_batch = 64;

class depot {
 public:
  /// Moves up to a batch of free stacks of the class to `to`; the last ones freed first.
  void take_stacks(unsigned stack_class, std::vector<real_task*>& to);
  /// Moves all but `keep` of the stacks in `from` here.
  void give_stacks(unsigned stack_class, std::vector<real_task*>& from, std::size_t keep);
  /// Gives back the memory of free stacks beyond `keep`, at most a batch; returns how many it released.
  std::size_t trim(std::size_t keep);
  bool above(std::size_t keep) const { return warm_.load(std::memory_order_relaxed) > keep; }

  free_descriptors take_descriptors(unsigned c);
  void give_descriptors(unsigned c, free_descriptors list);

  void take_segments(std::vector<segment*>& to);

  /// Takes all that a worker has, and its counts, at the end of a run.
  void retire(worker&);
  void add_retired(worker_counts& to);
  /// Counts descriptors that a thread without a worker has carved.
  void count_descriptors(std::size_t n);

 private:
  std::mutex mutex_;
  std::vector<real_task*> warm_stacks_[stack_classes];
  std::vector<real_task*> cold_stacks_[stack_classes];
  atomic<std::size_t> warm_{0};  // stacks in warm_stacks_; a hint without the mutex
  std::vector<free_descriptors> descriptors_[descriptor_classes];
  std::vector<segment*> segments_;
  worker_counts retired_;
};

depot& the_depot();

/// Calls f(a.x, b.x) for every counter.
template <class F>
void for_each_count(worker_counts& a, const worker_counts& b, F f) {
  constexpr std::size_t n = sizeof(worker_counts) / sizeof(tally);
  auto* x = reinterpret_cast<tally*>(&a);
  auto* y = reinterpret_cast<const tally*>(&b);
  for (std::size_t i = 0; i < n; ++i) f(x[i], y[i]);
}

}  // namespace hocket::detail
