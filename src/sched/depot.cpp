// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared pools.
#include "sched/depot.hpp"

#include <algorithm>
#include <utility>

#include "sched/scheduler.hpp"

namespace hocket::detail {

depot& the_depot() {
  static depot* d = new depot;  // never destroyed: tasks' memory is used until the process ends
  return *d;
}

void depot::take_stacks(unsigned k, std::vector<real_task*>& to) {
  std::lock_guard lock(mutex_);
  for (auto* from : {&warm_stacks_[k], &cold_stacks_[k]}) {
    const std::size_t n = std::min(depot_batch, from->size());
    to.insert(to.end(), from->end() - static_cast<std::ptrdiff_t>(n), from->end());
    from->resize(from->size() - n);
    if (from == &warm_stacks_[k])
      warm_.store(warm_.load(std::memory_order_relaxed) - n, std::memory_order_relaxed);
    if (n != 0) return;
  }
}

void depot::give_stacks(unsigned k, std::vector<real_task*>& from, std::size_t keep) {
  if (from.size() <= keep) return;
  std::lock_guard lock(mutex_);
  const std::size_t n = from.size() - keep;
  warm_stacks_[k].insert(warm_stacks_[k].end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(n));
  from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(n));
  warm_.store(warm_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
}

std::size_t depot::trim(std::size_t keep) {
  std::lock_guard lock(mutex_);
  std::size_t released = 0;
  for (unsigned k = stack_classes; k-- > 0;) {  // the largest first
    while (released < depot_batch && !warm_stacks_[k].empty() &&
           warm_.load(std::memory_order_relaxed) > keep) {
      real_task* t = warm_stacks_[k].back();
      warm_stacks_[k].pop_back();
      cold_stacks_[k].push_back(t);
      warm_.store(warm_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
      discard_stack(t);
      ++released;
    }
  }
  return released;
}

free_descriptors depot::take_descriptors(unsigned c) {
  std::lock_guard lock(mutex_);
  if (descriptors_[c].empty()) return {};
  const free_descriptors list = descriptors_[c].back();
  descriptors_[c].pop_back();
  return list;
}

void depot::give_descriptors(unsigned c, free_descriptors list) {
  if (list.first == nullptr) return;
  std::lock_guard lock(mutex_);
  descriptors_[c].push_back(list);
}

void depot::take_segments(std::vector<segment*>& to) {
  std::lock_guard lock(mutex_);
  const std::size_t n = std::min(depot_batch, segments_.size());
  to.insert(to.end(), segments_.end() - static_cast<std::ptrdiff_t>(n), segments_.end());
  segments_.resize(segments_.size() - n);
}

void depot::retire(worker& w) {
  for (unsigned k = 0; k < stack_classes; ++k) give_stacks(k, w.free_stacks[k], 0);
  for (unsigned c = 0; c < descriptor_classes; ++c) give_descriptors(c, std::exchange(w.descriptors[c], {}));
  std::lock_guard lock(mutex_);
  segments_.insert(segments_.end(), w.spare_segments.begin(), w.spare_segments.end());
  w.spare_segments.clear();
  for_each_count(retired_, w.counts, [](tally& sum, const tally& one) { sum.add(one.read()); });
}

void depot::count_descriptors(std::size_t n) {
  std::lock_guard lock(mutex_);
  retired_.descriptors_made.add(n);
}

void depot::add_retired(worker_counts& to) {
  std::lock_guard lock(mutex_);
  for_each_count(to, retired_, [](tally& sum, const tally& one) { sum.add(one.read()); });
}

}  // namespace hocket::detail
