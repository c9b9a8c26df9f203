// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lending: a walk along the waits of tasks, each of which holds still for one step only.
#include "sched/priorities.hpp"

#include "sched/kernel.hpp"
#include "sched/tasks.hpp"

namespace hocket::detail {
namespace {

/// The longest chain of waits that is followed.
constexpr int most_steps = 64;

/// Raises the level in the word; false if it is as high already.
bool raise(descriptor* d, std::uint8_t level) {
  std::uint64_t v = d->word.load(std::memory_order_relaxed);
  while (level_of(v) < level) {
    const std::uint64_t to = (v & ~task_word::level_mask) | std::uint64_t{level} << task_word::level_shift;
    if (d->word.compare_exchange_weak(v, to, std::memory_order_relaxed)) return true;
  }
  return false;
}

}  // namespace

bool raise(real_task* t, std::uint8_t level) {
  std::uint8_t v = t->level.load(std::memory_order_relaxed);
  while (v < level) {
    if (t->level.compare_exchange_weak(v, level, std::memory_order_relaxed)) return true;
  }
  return false;
}

namespace {

/// What t waits for, with a reference; null if it waits for no task, or is about to go on.
descriptor* awaited_by(real_task* t) {
  if (!t->lending.try_enter_other()) return nullptr;
  descriptor* d = t->lends_to;
  if (d != nullptr) d->word.fetch_add(task_word::reference, std::memory_order_relaxed);
  t->lending.leave_other();
  return d;
}

}  // namespace

void lend_to(real_task* t, std::uint8_t level) {
  if (current_task() == nullptr) return;
  descriptor* held = nullptr;
  for (int i = 0; i < most_steps && t != nullptr && raise(t, level); ++i) {
    // It is ready, or waits, or runs; if it lies in a queue it must move up in it.
    current_task()->on->kernel_->move_up(t, level);
    descriptor* next = awaited_by(t);
    if (held != nullptr) release_descriptor(held);
    held = next;
    if (next == nullptr || !raise(next, level)) break;
    t = (next->word.load(std::memory_order_acquire) & task_word::state_mask) == task_word::claimed
            ? runner_of(next)
            : nullptr;
  }
  if (held != nullptr) release_descriptor(held);
}

void begin_lending(real_task* waiter, descriptor* d) {
  if (waiter == nullptr) return;
  waiter->lending.enter();
  waiter->lends_to = d;
  waiter->lending.leave();
  const std::uint8_t level = waiter->level.load(std::memory_order_relaxed);
  const std::uint64_t v = d->word.load(std::memory_order_relaxed);
  if (HOCKET_LIKELY(level_of(v) >= level) || !raise(d, level)) return;
  if ((v & task_word::state_mask) != task_word::claimed) return;
  if (real_task* t = runner_of(d)) lend_to(t, level);
}

void end_lending(real_task* waiter) {
  if (waiter == nullptr) return;
  waiter->lending.enter();
  waiter->lends_to = nullptr;
  waiter->lending.leave();
}

}  // namespace hocket::detail
