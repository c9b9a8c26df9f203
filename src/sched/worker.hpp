// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker: an OS thread that runs tasks, with its queues, its pools and its counters.
#pragma once
#include <cstdint>
#include <vector>

#include "sched/local_queues.hpp"

namespace hocket::detail {

class kernel;

/// The counts of one worker, written by it alone. In the order of hocket::statistics where they meet there.
struct worker_counts {
  tally joined_stolen, spawned, begun, started, finished, realised, inlined, adopted;
  tally stolen, exposed, queue_steals, switches, yields, slices, suspended, resumed, sleeps, wakes;
  tally stacks_made, stacks_reused, stacks_released, descriptors_made;
};

/// What is to be done with the task that was left, by whoever arrives (the task's registers are saved only
/// then).
enum class after : std::uint8_t { nothing, free_stack, requeue, call };

struct free_descriptors {
  descriptor* first = nullptr;
  std::size_t count = 0;
};
inline constexpr unsigned descriptor_classes = 3;  // 64, 128, 256 bytes; larger ones come from operator new

struct alignas(128) worker {
  // Read by thieves.
  atomic<real_task*> current{
      nullptr};  // release at each switch, acquire by thieves; blocks are never unmapped
  enum : std::uint32_t { is_awake, sleeps, nudged };
  // Whether it sleeps, or is about to; whoever sets it to is_awake has woken it; nudged: it is to look at the
  // timers and sleep on (seq_cst, see idle.cpp).
  atomic<std::uint32_t> asleep{is_awake};
  tally falls;  // times that it fell asleep; published before each, observed by standstill.cpp
  local_queues queues;
  atomic<std::uint32_t> slice_over{0};  // set by the ticker, taken back by the worker; a hint (relaxed)

  // Its own.
  alignas(128) kernel* kernel_ = nullptr;
  unsigned number = 0;
  after then = after::nothing;  // for arrived()
  real_task* left = nullptr;
  void (*call)(void*, real_task*) = nullptr;
  void* argument = nullptr;
  void** exception_globals = nullptr;  // this thread's __cxa_eh_globals
  real_task* native = nullptr;         // the OS thread's own context, as a task that is never queued
  slot* given = nullptr;               // a child that the next idle stack is to run first
  virtual_entry entry_first;           // else an entry
  std::uint32_t until_oldest = 61;     // scheduling decisions until the oldest virtual task is due
  std::uint64_t looked_at_timers = 0;  // ticks() then
  std::uint16_t shepherd = 0;
  const atomic<std::size_t>* bound_waiting = nullptr;  // how many tasks are bound to it and wait
  bool bound_turn = false;                             // tasks bound to its shepherd are next, before its own
  std::uint64_t random = 0;
  std::uint64_t next_id = 0;  // ids are handed out to workers a thousand at a time
  real_task* last_victim = nullptr;
  segment* last_segment = nullptr;
  std::vector<descriptor*> taken;  // scratch of take_injected
  std::vector<real_task*> free_stacks[stack_classes];
  std::vector<segment*> spare_segments;
  free_descriptors descriptors[descriptor_classes];
  std::size_t carve_next = 4;  // stacks to carve next time: grows, so that small runs stay small
  worker_counts counts;
};

}  // namespace hocket::detail
