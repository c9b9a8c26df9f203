// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker's two queues under one biased lock: ready tasks (first in, first out) and what has no stack yet
// (its owner takes the newest, all others the oldest).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/biased_lock.hpp"
#include "sched/real_task.hpp"
#include "sched/ring.hpp"

namespace hocket::detail {

/// An entry of the virtual queue: a descriptor, or a suspended task whose forked children wait in its deque.
class virtual_entry {
 public:
  virtual_entry() = default;
  explicit virtual_entry(descriptor* d) : word_(address(d)) {}
  explicit virtual_entry(real_task* t) : word_(address(t) | 1) {}
  explicit operator bool() const { return word_ != 0; }
  friend bool operator==(virtual_entry a, virtual_entry b) { return a.word_ == b.word_; }
  bool is_task() const { return (word_ & 1) != 0; }
  descriptor* as_descriptor() const { return reinterpret_cast<descriptor*>(word_); }
  real_task* as_task() const { return reinterpret_cast<real_task*>(word_ & ~std::uintptr_t{1}); }

 private:
  std::uintptr_t word_ = 0;
};

class local_queues {
 public:
  // --- the owner
  void push_ready(real_task* t) {
    lock_.enter();
    ready_.push_back(t);
    set_ready_hint();
    lock_.leave();
  }
  real_task* pop_ready() {
    if (ready_hint() == 0) return nullptr;  // thieves only take: an empty queue stays empty
    lock_.enter();
    real_task* t = nullptr;
    if (!ready_.empty()) {
      t = ready_.pop_front();
      set_ready_hint();
    }
    lock_.leave();
    return t;
  }
  /// A yield takes the oldest ready task and puts the yielding one last, in one stay inside the lock:
  /// begin_rotation() enters and pops; the worker then switches stacks, and calls finish_rotation() on the
  /// other side.
  real_task* begin_rotation() {
    lock_.enter();
    if (HOCKET_UNLIKELY(ready_.empty())) {
      lock_.leave();
      return nullptr;
    }
    real_task* t = ready_.pop_front();
    return t;
  }
  void begin_rotation_to_other() { lock_.enter(); }
  void finish_rotation(real_task* yielded) {
    ready_.push_back(yielded);
    set_ready_hint();
    lock_.leave();
  }
  void push_virtual(virtual_entry e) {
    lock_.enter();
    virtual_.push_back(e);
    set_virtual_hint();
    lock_.leave();
  }
  virtual_entry pop_virtual(bool oldest) {
    if (virtual_hint() == 0) return {};
    lock_.enter();
    virtual_entry e;
    if (!virtual_.empty()) {
      e = oldest ? virtual_.pop_front() : virtual_.pop_back();
      set_virtual_hint();
    }
    lock_.leave();
    return e;
  }
  /// Takes d off if it is the newest or the oldest, the usual orders of waiting. If it is not the newest,
  /// entries that are of no use any more (their task was run through a handle) are taken off both ends, a few
  /// at a time; drop() releases them.
  template <class Stale, class Drop>
  bool pop_if_at_end(descriptor* d, Stale stale, Drop drop) {
    if (virtual_hint() == 0) return false;
    lock_.enter();
    if (HOCKET_LIKELY(!virtual_.empty() && virtual_.back() == virtual_entry(d))) {
      virtual_.pop_back();
      set_virtual_hint();
      lock_.leave();
      return true;
    }
    const bool oldest = !virtual_.empty() && virtual_.peek(0) == virtual_entry(d);
    if (oldest) {
      virtual_.pop_front();
      prefetch_virtual(ahead);
    }
    virtual_entry dropped[2 * most_dropped];
    std::size_t n = 0;
    while (n < most_dropped && !virtual_.empty() && stale(virtual_.peek(0)))
      dropped[n++] = virtual_.pop_front();
    if (!oldest) {
      while (n < 2 * most_dropped && !virtual_.empty() && stale(virtual_.back())) {
        dropped[n++] = virtual_.pop_back();
      }
    }
    set_virtual_hint();
    lock_.leave();
    for (std::size_t i = 0; i < n; ++i) drop(dropped[i]);
    return oldest;
  }

  // --- any other worker
  /// Moves up to half of the victim's oldest tasks and entries here; returns how many. Both queues' owners
  /// run on.
  std::size_t steal_from(local_queues& victim) {
    constexpr std::size_t most = 4096;  // the interrupt of the heavy fence is paid once for so many
    if (!victim.lock_.try_enter_other()) return 0;
    loot_tasks_.clear();
    loot_entries_.clear();
    const std::size_t t = std::min(most, (victim.ready_.size() + 1) / 2);
    for (std::size_t i = 0; i < t; ++i) loot_tasks_.push_back(victim.ready_.pop_front());
    const std::size_t e = std::min(most, (victim.virtual_.size() + 1) / 2);
    for (std::size_t i = 0; i < e; ++i) loot_entries_.push_back(victim.virtual_.pop_front());
    victim.set_ready_hint();
    victim.set_virtual_hint();
    victim.lock_.leave_other();
    lock_.enter();
    for (real_task* task : loot_tasks_) ready_.push_back(task);
    // In their order, so that the newest of them run first: who made them likely waits for the oldest first,
    // and would otherwise meet this worker at every one.
    for (virtual_entry entry : loot_entries_) virtual_.push_back(entry);
    set_ready_hint();
    set_virtual_hint();
    lock_.leave();
    return t + e;
  }

  /// How many there were a moment ago; any thread.
  std::size_t ready_hint() const { return ready_hint_.load(std::memory_order_relaxed); }
  std::size_t virtual_hint() const { return virtual_hint_.load(std::memory_order_relaxed); }

 private:
  void set_ready_hint() { ready_hint_.store(ready_.size(), std::memory_order_relaxed); }
  void set_virtual_hint() { virtual_hint_.store(virtual_.size(), std::memory_order_relaxed); }
  static constexpr std::size_t most_dropped = 4;
  static constexpr std::size_t ahead = 8;  // entries whose descriptors are fetched before their turn
  void prefetch_virtual(std::size_t i) {
    if (i < virtual_.size()) __builtin_prefetch(virtual_.peek(i).as_descriptor(), 1);
  }

  biased_lock lock_;
  ring<real_task*> ready_;
  ring<virtual_entry> virtual_;
  atomic<std::size_t> ready_hint_{0};
  atomic<std::size_t> virtual_hint_{0};
  std::vector<real_task*> loot_tasks_;  // scratch of steal_from
  std::vector<virtual_entry> loot_entries_;
};

}  // namespace hocket::detail
