// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the scheduler does with descriptors.
#pragma once
#include <hocket/detail/descriptor.hpp>

namespace hocket::detail {

class kernel;

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

/// The stack class that a task asks for.
unsigned stack_class_of(descriptor*, const kernel*);

}  // namespace hocket::detail
