// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that do not begin before something has happened: until then they are claimed, so that nobody runs
// them, and lie in no queue.
#pragma once
#include <cstdint>

#include <hocket/detail/atomic.hpp>

namespace hocket::detail {

struct descriptor;

/// hold() makes a new task one that is held: counts it, and claims it. If no run goes on, the task is
/// destroyed, and error(not_running) thrown.
void hold(descriptor*);
/// begin_held() makes it virtual, and puts it where workers find it. Any thread; never blocks.
void begin_held(descriptor*);

/// What holds a task back: a number of things that are to happen. In heap memory.
struct held_task {
  descriptor* begins = nullptr;
  atomic<std::uint32_t> left{1};  // acq_rel: who counts it down to zero sees what the others did
  virtual ~held_task() = default;
};

/// let_begin() counts one of them down; the last one destroys the record, and the task begins.
void let_begin(held_task*);

}  // namespace hocket::detail
