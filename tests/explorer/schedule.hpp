// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One schedule: the threads of a scenario, of which one at a time runs, and the record of their steps. It is
// run in a process of its own; the record lies in memory that the process shares with its parent.
#pragma once
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <source_location>

#include "steps.hpp"

namespace explorer {

inline constexpr std::size_t most_steps = 60'000;  // a schedule with more is taken for endless
inline constexpr std::size_t most_threads = 16;

struct step_record {
  std::source_location place;
  const void* word;
  std::uint64_t value;
  std::uint8_t thread;
  access what;
  bool preempted;  // the thread that ran before could have gone on
  bool failed;     // a compare-and-swap
};

enum class outcome : std::uint32_t { running, passed, failed };

/// What the child process tells its parent.
struct record {
  outcome how;
  std::size_t steps;        // made
  std::size_t counted;      // of these, the ones at which another thread could have gone on instead
  std::size_t preemptions;  // made
  std::uint64_t digest;     // of all steps, without addresses: equal for a replay
  char message[512];
  step_record list[most_steps];
};

struct plan {
  std::uint64_t seed = 0;
  unsigned preemptions = 0;
  std::size_t length = 0;  // counted steps to expect; the preemptions are placed among them
};

/// Makes the calling thread the first of the schedule; no other exists yet.
void begin_schedule(const plan&, record*);
/// The scenario has ended and every promise held.
[[noreturn]] void end_schedule();
[[noreturn]] void fail_schedule(const char* why);

// --- for the calls into the operating system (system_calls.cpp)
/// Whether the calling thread is one of the schedule's.
bool is_explored();
/// Blocks the thread until wake_blocked(word), or until a point in virtual time; false if that came first.
inline constexpr std::int64_t no_limit = INT64_MAX;
bool block_on(const void* word, std::int64_t until);
int wake_blocked(const void* word, int how_many);
std::int64_t virtual_time();

using real_create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
int create_thread(real_create, pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
/// Waits until the thread has ended, if it is one of the schedule's.
void wait_for_end(pthread_t);

}  // namespace explorer
