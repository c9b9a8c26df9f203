// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the scheduler does with descriptors.
#pragma once
#include <hocket/detail/descriptor.hpp>

namespace hocket::detail {

class kernel;

/// claim() makes a virtual task the caller's to run; false if it is not virtual any more.
inline bool claim(descriptor* d) {
  std::uint64_t v = d->word.load(std::memory_order_relaxed);
  while ((v & task_word::state_mask) == task_word::virtual_) {
    // acquire: the closure, written by the spawner; the queue gives that too, a handle may not.
    if (d->word.compare_exchange_weak(v, v | task_word::claimed, std::memory_order_acquire, std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

/// The stack class that a task asks for.
unsigned stack_class_of(descriptor*, const kernel*);

}  // namespace hocket::detail
