// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker's two queues under one biased lock: ready tasks (first in, first out) and what has no stack yet
// (its owner takes the newest, all others the oldest).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/biased_lock.hpp"
#include "sched/queue_set.hpp"

namespace hocket::detail {

class local_queues {
 public:
  // --- the owner
  void push_ready(real_task* t) {
    lock_.enter();
    push(t);
    lock_.leave();
  }
  /// The oldest ready task, where only the usual level has any.
  real_task* pop_ready() {
    if (ready_hint() == 0) return nullptr;  // thieves only take: an empty queue stays empty
    lock_.enter();
    real_task* t = nullptr;
    if (!set_.at[usual].ready.empty()) {
      t = set_.at[usual].ready.pop_front();
      show_ready();
    }
    lock_.leave();
    return t;
  }
  /// Whether there is work of another than the usual level.
  bool has_levels() const { return unusual_.load(std::memory_order_relaxed) != 0; }
  /// The best of the levels from `lowest` up; `oldest`: the oldest entry of a level, the levels in turn.
  work pop_best(unsigned lowest, bool oldest) {
    lock_.enter();
    unsigned level = usual;
    const work found = set_.pop_best(lowest, oldest, level);
    if (found && level != usual) count_unusual();
    show_ready();
    show_entries();
    lock_.leave();
    return found;
  }
  /// A yield takes the oldest ready task and puts the yielding one last, in one stay inside the lock:
  /// begin_rotation() enters and pops; the worker then switches stacks, and calls finish_rotation() on the
  /// other side. Usual level only.
  real_task* begin_rotation() {
    lock_.enter();
    if (HOCKET_UNLIKELY(set_.at[usual].ready.empty())) {
      lock_.leave();
      return nullptr;
    }
    return set_.at[usual].ready.pop_front();
  }
  void begin_rotation_to_other() { lock_.enter(); }
  void finish_rotation(real_task* yielded) {
    push(yielded);
    lock_.leave();
  }
  void push_virtual(virtual_entry e, unsigned level) {
    lock_.enter();
    push(e, level);
    lock_.leave();
  }
  /// A virtual entry of the usual level.
  virtual_entry pop_virtual(bool oldest) {
    if (virtual_hint() == 0) return {};
    lock_.enter();
    virtual_entry e;
    ring<virtual_entry>& entries = set_.at[usual].entries;
    if (!entries.empty()) {
      e = oldest ? entries.pop_front() : entries.pop_back();
      show_entries();
    }
    lock_.leave();
    return e;
  }
  /// Takes d off if it is the newest or the oldest, the usual orders of waiting. If it is not the newest,
  /// entries that are of no use any more (their task was run through a handle) are taken off both ends, a few
  /// at a time; drop() releases them.
  template <class Stale, class Drop>
  HOCKET_ALWAYS_INLINE bool pop_if_at_end(descriptor* d, unsigned level, Stale stale, Drop drop) {
    if (virtual_hint() == 0) return false;
    lock_.enter();
    ring<virtual_entry>& entries = set_.at[usual].entries;
    if (HOCKET_UNLIKELY(level != usual || entries.empty() || entries.back() != virtual_entry(d)))
      return pop_from_ends(d, level, stale, drop);
    entries.pop_back();
    show_entries();
    lock_.leave();
    return true;
  }

  // --- any other worker
  /// Moves up to half of the victim's oldest tasks and entries of each level here; returns how many. Both
  /// queues' owners run on.
  std::size_t steal_from(local_queues& victim) {
    constexpr std::size_t most = 4096;  // the interrupt of the heavy fence is paid once for so many
    if (!victim.lock_.try_enter_other()) return 0;
    loot_tasks_.clear();
    loot_entries_.clear();
    for (unsigned level = levels; level-- > 0;) {
      level_queues& q = victim.set_.at[level];
      const std::size_t t = std::min(most, (q.ready.size() + 1) / 2);
      for (std::size_t i = 0; i < t; ++i) loot_tasks_.push_back(q.ready.pop_front());
      const std::size_t e = std::min(most, (q.entries.size() + 1) / 2);
      for (std::size_t i = 0; i < e; ++i) loot_entries_.push_back({q.entries.pop_front(), level});
    }
    victim.count_unusual();
    victim.show_ready();
    victim.show_entries();
    victim.lock_.leave_other();
    lock_.enter();
    for (real_task* task : loot_tasks_) push(task);
    // In their order, so that the newest of them run first: who made them likely waits for the oldest first,
    // and would otherwise meet this worker at every one.
    for (const loot& l : loot_entries_) push(l.entry, l.level);
    lock_.leave();
    return loot_tasks_.size() + loot_entries_.size();
  }

  /// move_up() looks for a ready task below its new level, and moves it there. Any thread but the owner, or
  /// the owner as `mine`. Linear in the queues.
  void move_up(real_task* t, unsigned to, bool mine) {
    if (ready_hint() == 0) return;
    if (mine) {
      lock_.enter();
    } else if (!lock_.try_enter_other()) {
      return;
    }
    for (unsigned level = 0; level < to; ++level) {
      if (!set_.at[level].ready.remove(t)) continue;
      count_unusual();
      push(t);
      break;
    }
    if (mine) {
      lock_.leave();
    } else {
      lock_.leave_other();
    }
  }

  /// Calls visit(task) for every ready task, under the lock; false if the owner did not let it in. Any thread
  /// that runs no task of this worker.
  template <class F>
  bool for_each_ready(F visit) {
    if (!lock_.try_enter_other()) return false;
    for (level_queues& q : set_.at) {
      for (std::size_t i = 0; i < q.ready.size(); ++i) visit(q.ready.peek(i));
    }
    lock_.leave_other();
    return true;
  }

  /// How many there were a moment ago; any thread.
  std::size_t ready_hint() const { return ready_hint_.load(std::memory_order_relaxed); }
  std::size_t virtual_hint() const { return virtual_hint_.load(std::memory_order_relaxed); }

 private:
  void push(real_task* t) {
    const unsigned level = t->level.load(std::memory_order_relaxed);
    set_.at[level].ready.push_back(t);
    if (HOCKET_UNLIKELY(level != usual)) count_unusual();
    show_ready();
  }
  void push(virtual_entry e, unsigned level) {
    set_.at[level].entries.push_back(e);
    if (HOCKET_UNLIKELY(level != usual)) count_unusual();
    show_entries();
  }
  /// The rest of pop_if_at_end(), inside the lock, which it leaves.
  template <class Stale, class Drop>
  HOCKET_NOINLINE bool pop_from_ends(descriptor* d, unsigned level, Stale stale, Drop drop) {
    ring<virtual_entry>& entries = set_.at[level].entries;
    const bool newest = !entries.empty() && entries.back() == virtual_entry(d);
    const bool oldest = !newest && !entries.empty() && entries.peek(0) == virtual_entry(d);
    if (newest) entries.pop_back();
    if (oldest) {
      entries.pop_front();
      if (ahead < entries.size()) __builtin_prefetch(entries.peek(ahead).as_descriptor(), 1);
    }
    virtual_entry dropped[2 * most_dropped];
    std::size_t n = 0;
    while (!newest && n < most_dropped && !entries.empty() && stale(entries.peek(0)))
      dropped[n++] = entries.pop_front();
    if (!newest && !oldest) {
      while (n < 2 * most_dropped && !entries.empty() && stale(entries.back()))
        dropped[n++] = entries.pop_back();
    }
    if (HOCKET_UNLIKELY(level != usual)) count_unusual();
    show_entries();
    lock_.leave();
    for (std::size_t i = 0; i < n; ++i) drop(dropped[i]);
    return newest || oldest;
  }
  /// After a change of another level than the usual one; before show_ready(), show_entries().
  HOCKET_NOINLINE void count_unusual() {
    unusual_ready_ = unusual_entries_ = 0;
    for (unsigned level = 0; level < levels; ++level) {
      if (level == usual) continue;
      unusual_ready_ += set_.at[level].ready.size();
      unusual_entries_ += set_.at[level].entries.size();
    }
    unusual_.store(unusual_ready_ + unusual_entries_, std::memory_order_relaxed);
  }
  void show_ready() {
    ready_hint_.store(set_.at[usual].ready.size() + unusual_ready_, std::memory_order_relaxed);
  }
  void show_entries() {
    virtual_hint_.store(set_.at[usual].entries.size() + unusual_entries_, std::memory_order_relaxed);
  }
  static constexpr std::size_t most_dropped = 4;
  static constexpr std::size_t ahead = 8;  // entries whose descriptors are fetched before their turn

  biased_lock lock_;
  queue_set set_;
  std::size_t unusual_ready_ = 0, unusual_entries_ = 0;  // what lies in other levels than the usual one
  atomic<std::size_t> unusual_{0};                       // the sum, for has_levels(); relaxed, as the hints
  atomic<std::size_t> ready_hint_{0};  // written under the lock, read by anyone: the fences are wake_one's
  atomic<std::size_t> virtual_hint_{0};
  struct loot {
    virtual_entry entry;
    unsigned level;
  };
  std::vector<real_task*> loot_tasks_;  // scratch of steal_from
  std::vector<loot> loot_entries_;
};

}  // namespace hocket::detail
