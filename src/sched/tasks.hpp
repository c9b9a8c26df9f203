// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the scheduler does with descriptors.
#pragma once
#include <atomic>
#include <cstddef>
#include <new>

#include <hocket/detail/descriptor.hpp>

#include "sched/real_task.hpp"
#include "sched/tracing.hpp"
#include "sched/worker.hpp"

namespace hocket::detail {

class kernel;
struct timer;

/// claim() makes a virtual task the caller's to run; false if it is not virtual any more. With references = 1
/// the run holds one of its own; without, it takes over that of the queue's entry.
inline bool claim(descriptor* d, unsigned references) {
  const std::uint64_t change = task_word::claimed + references * task_word::reference;
  std::uint64_t v = d->word.load(std::memory_order_relaxed);
  while ((v & task_word::state_mask) == task_word::virtual_) {
    // acquire: the closure, written by the spawner; the queue gives that too, a handle may not.
    if (d->word.compare_exchange_weak(v, v + change, std::memory_order_acquire, std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

// --- what a descriptor says of its task
inline std::uint8_t level_of(std::uint64_t word) {
  return static_cast<std::uint8_t>((word & task_word::level_mask) >> task_word::level_shift);
}
inline std::uint16_t shepherd_of(std::uint64_t word) {  // no_shepherd if it may run anywhere
  return static_cast<std::uint16_t>(((word & task_word::shepherd_mask) >> task_word::shepherd_shift) - 1);
}
inline kept_attributes* attributes_of(descriptor* d) {
  return d->operations->named ? std::launder(reinterpret_cast<kept_attributes*>(d->data())) : nullptr;
}
const char* name_of(descriptor*);                     // never null
unsigned stack_class_of(descriptor*, const kernel*);  // that it asks for

/// The stop token lies behind the rest, if the word says `scoped`.
constexpr std::size_t token_offset(const task_operations* o) { return (o->bytes + 7u) & ~std::size_t{7}; }
inline std::stop_token* token_place(descriptor* d) {
  return reinterpret_cast<std::stop_token*>(reinterpret_cast<unsigned char*>(d) +
                                            token_offset(d->operations));
}
inline std::stop_token& token_of(descriptor* d) { return *std::launder(token_place(d)); }

/// The real task that runs it, kept in `link` while it runs; read by those who lend it a priority (relaxed).
inline void set_runner(descriptor* d, real_task* t) {
  std::atomic_ref(d->link).store(reinterpret_cast<descriptor*>(t), std::memory_order_relaxed);
}
inline real_task* runner_of(descriptor* d) {
  const auto word =
      reinterpret_cast<std::uintptr_t>(std::atomic_ref(d->link).load(std::memory_order_relaxed));
  return (word & 1) != 0 ? nullptr : reinterpret_cast<real_task*>(word);  // odd: its number in a trace
}

inline worker* current_worker() {
  real_task* t = current_task();
  return t == nullptr ? nullptr : t->on;
}

/// Destroys the values of task_local variables that the innermost task on the stack has, if any.
void end_locals(real_task*);
/// The real task is to begin with d, which has been claimed.
void begin_with(real_task*, descriptor*, begun_as);
/// Destroys what is left of a task without references.
void destroy_descriptor(descriptor*);
/// Destroys a task that will never run.
void refuse(descriptor*);
/// Puts a virtual task where workers find it; from a worker.
void queue_virtual(worker*, descriptor*);
/// Counts a task that a worker makes.
void count_made(worker*, descriptor*, tally& count);
/// Starts the tasks whose time has come.
void start_expired(timer*);

}  // namespace hocket::detail
