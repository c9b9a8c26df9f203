// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Those who wait for one or several descriptors to be done.
#pragma once
#include <cstddef>

#include <hocket/detail/deadline.hpp>

#include "sched/park.hpp"

namespace hocket::detail {

struct descriptor;
struct real_task;

/// In the list of a descriptor.
struct waiter {
  waiter* next = nullptr;
  waiter* previous = nullptr;
  parked* who = nullptr;
  bool linked = false;  // guarded by the descriptor's lock, as the links are
};

/// Hangs one in, for a future; false if the task has ended.
bool enlist(descriptor*, waiter&);

/// Blocks the calling task or thread until one of the n descriptors, none of them virtual, is done, or the
/// time has come, or the task is asked to stop.
wake wait_blocked(descriptor* const*, std::size_t n, deadline until);

/// Fires a list of waiters whose descriptor is locked by the caller; returns the first task to run, and makes
/// the others ready. Unlock only afterwards: who was woken passes the lock before it leaves.
real_task* fire_all(waiter* list);

}  // namespace hocket::detail
