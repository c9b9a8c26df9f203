// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What explored code and scenarios call: steps, at which the explorer may let another thread go on, and
// checks.
#pragma once
#include <cstdint>
#include <source_location>

namespace explorer {

/// What a thread is about to do at a step.
enum class access : std::uint8_t {
  load,
  store,
  exchange,
  compare_exchange,
  fetch_add,
  fetch_sub,
  fetch_or,
  fetch_and,
  counter,
  pause,
  heavy_fence,
  futex_wait,
  futex_wake,
  lock,
  create,
  join,
  begins,
  ends,
  timed_out
};

/// step() is called before each access to shared memory. Does nothing on threads that are not explored.
void step(access, const void* word, std::source_location);

/// note_value() adds to the trace what the last step of this thread read or wrote.
void note_value(std::uint64_t value, bool failed);

/// pause() is a step of a thread that can do nothing until others have gone on.
void pause();

/// Every scenario calls counts_from_here() when its preparations are made: preemptions are placed after it,
/// and before counts_until_here(), if that is called.
void counts_from_here();
void counts_until_here();

/// check() ends the schedule as failed, with this sentence, unless the promise held.
void check(bool held, const char* promise);

/// planted() tells whether the program runs with `--bug name`; only patched sources ask.
bool planted(const char* name);

template <class T>
std::uint64_t to_word(T value) {
  if constexpr (requires { reinterpret_cast<std::uintptr_t>(value); }) {
    return reinterpret_cast<std::uintptr_t>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

}  // namespace explorer
