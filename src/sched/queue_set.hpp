// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What waits for a worker, by priority: ready tasks, and what has no stack yet. No synchronisation of its
// own.
#pragma once
#include <cstddef>
#include <cstdint>

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

/// How many priorities there are, and the usual one.
inline constexpr unsigned levels = 3, usual = 1;

/// What a worker is to do next: a ready task, or a virtual entry, or neither.
struct work {
  real_task* ready = nullptr;
  virtual_entry entry{};
  explicit operator bool() const { return ready != nullptr || static_cast<bool>(entry); }
};

/// The two queues of one level.
struct level_queues {
  ring<real_task*> ready;
  ring<virtual_entry> entries;
  bool empty() const { return ready.empty() && entries.empty(); }
  std::size_t size() const { return ready.size() + entries.size(); }
};

/// The queues of all levels.
struct queue_set {
  level_queues at[levels];
  unsigned turn = 0;  // the level whose oldest work is due

  /// The best of the levels from `lowest` up: ready tasks before virtual ones, of these the newest. Or, if
  /// `oldest`, the oldest virtual one, else the oldest ready one, of the levels in turn, so that none
  /// starves.
  work pop_best(unsigned lowest, bool oldest, unsigned& level) {
    for (unsigned i = 0; i < levels; ++i) {
      level = oldest ? (turn + i) % levels : levels - 1 - i;
      level_queues& q = at[level];
      if (level < lowest || q.empty()) continue;
      if (oldest) turn = level + 1;
      const bool entry = oldest ? !q.entries.empty() : q.ready.empty();
      if (!entry) return {q.ready.pop_front(), {}};
      return {nullptr, oldest ? q.entries.pop_front() : q.entries.pop_back()};
    }
    return {};
  }
};

}  // namespace hocket::detail
