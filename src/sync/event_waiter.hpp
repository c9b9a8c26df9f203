// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One who waits for an event.
#pragma once
#include <hocket/event.hpp>

#include "sched/park.hpp"

namespace hocket::detail {

/// On the waiter's stack. The links are guarded by the event's lock while it is linked; set() takes the whole
/// list with one step, and from then on the nodes are the setter's until it has passed them.
struct event_waiter {
  parked who;
  event_waiter* next = nullptr;
  event_waiter* previous = nullptr;
  atomic<std::uint32_t> passed{0};  // release by set() when it did not fire this one, acquire by the waiter
  event_waiter() = default;
  explicit event_waiter(held_task* h) : who(h) {}
};

}  // namespace hocket::detail
