// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a suspended task waits for, as reports say it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace hocket::detail {

enum class wait_kind : std::uint8_t {
  nothing,        // it does not wait: runs, is ready, or is an idle stack
  task,           // object: the descriptor
  any_task,       // object: the first of an array of `count` descriptors
  stolen_child,   // object: the slot; fork_join's wait for a child that runs elsewhere
  event,          // object: the event
  mutex,          // object: the mutex
  timer,          // sleep_for, sleep_until; object: null
  blocking_call,  // blocking(f); object: null
  full_word,      // object: the word, or the sync or single variable, that is to be full
  empty_word,     // the same, to be empty
  shared_mutex,   // object: the shared_mutex
  condition,      // object: the condition variable
  semaphore,      // object: the semaphore
  barrier,        // object: the barrier
  latch,          // object: the latch
  counter,        // object: the counter
  channel,        // object: the channel; of a select, the first one
};
inline constexpr std::size_t wait_kinds = static_cast<std::size_t>(wait_kind::channel) + 1;

/// One word for it, for traces.
inline const char* text_of(wait_kind k) {
  static const char* const texts[wait_kinds] = {
      "nothing",   "task",    "tasks",     "child",      "event",        "mutex",
      "timer",     "call",    "full word", "empty word", "shared mutex", "condition",
      "semaphore", "barrier", "latch",     "counter",    "channel"};
  return texts[static_cast<unsigned>(k)];
}

/// Kept in the task's control block while it waits.
struct wait_note {
  wait_kind kind = wait_kind::nothing;
  const void* object = nullptr;
  std::size_t count = 1;
};

}  // namespace hocket::detail
