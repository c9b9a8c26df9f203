// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// event: one word that holds the list of waiters, and its lock, until it is set.
#include <hocket/event.hpp>

#include <cstdio>
#include <cstdlib>

#include "base/cpu_pause.hpp"
#include "sched/park.hpp"
#include "sched/real_task.hpp"
#include "sched/scheduler.hpp"
#include "sync/event_waiter.hpp"

namespace hocket {

namespace {
using namespace detail;

constexpr std::uintptr_t set_bit = 1, locked_bit = 2, list_mask = ~std::uintptr_t{3};

event_waiter* list_in(std::uintptr_t word) { return reinterpret_cast<event_waiter*>(word & list_mask); }

/// Locks the word; false if the event is set, which ends all locking.
bool lock(atomic<std::uintptr_t>& state, std::uintptr_t& seen) {
  for (unsigned i = 0;; back_off(i++)) {
    seen = state.load(std::memory_order_acquire);
    if ((seen & set_bit) != 0) return false;
    if ((seen & locked_bit) == 0 &&
        state.compare_exchange_weak(seen, seen | locked_bit, std::memory_order_acq_rel,
                                    std::memory_order_acquire)) {
      return true;
    }
  }
}

/// The waiter has not been fired by set(): takes it off, or waits for the setter that holds the list to pass.
void take_off(atomic<std::uintptr_t>& state, event_waiter* w) {
  std::uintptr_t seen;
  if (lock(state, seen)) {
    if (w->next != nullptr) w->next->previous = w->previous;
    if (w->previous != nullptr) {
      w->previous->next = w->next;
      state.store(seen, std::memory_order_release);
    } else {
      state.store(address(w->next), std::memory_order_release);
    }
    return;
  }
  for (unsigned i = 0; w->passed.load(std::memory_order_acquire) == 0; ++i) back_off(i);
}

}  // namespace

bool detail::enlist(event& e, event_waiter& w) {
  std::uintptr_t seen;
  if (!lock(e.state_, seen)) return false;
  w.next = list_in(seen);
  if (w.next != nullptr) w.next->previous = &w;
  e.state_.store(address(&w), std::memory_order_release);  // pairs with set(): the waiter
  return true;
}

bool event::wait_until_deadline(detail::deadline until) {
  if (ready()) return true;
  if (is_over(until)) return false;
  check_stop();
  event_waiter w;
  if (!enlist(*this, w)) return true;
  const wake why = park(w.who, {wait_kind::event, this}, until);
  if (why == wake::done) return true;
  take_off(state_, &w);
  if (why == wake::stopped) throw_cancelled();
  return ready();
}

void event::wait() { wait_until_deadline(never); }

void event::set() {
  std::uintptr_t seen = state_.load(std::memory_order_relaxed);
  for (unsigned i = 0;;) {
    if ((seen & set_bit) != 0) return;
    if ((seen & locked_bit) != 0) {
      back_off(i++);
      seen = state_.load(std::memory_order_relaxed);
    } else if (state_.compare_exchange_weak(seen, set_bit, std::memory_order_acq_rel,
                                            std::memory_order_relaxed)) {
      break;
    }
  }
  // The newest first: to turn the list around would touch every waiter's stack twice. The event itself is not
  // touched any more.
  for (event_waiter* w = list_in(seen); w != nullptr;) {
    event_waiter* next = w->next;
    real_task* task = nullptr;
    if (!fire(&w->who, wake::done, task)) {
      w->passed.store(1, std::memory_order_release);  // it has timed out meanwhile, and waits for us to go on
    } else if (task != nullptr) {
      make_ready(task);
    }  // else w may be gone
    w = next;
  }
}

void event::refuse_end() const {
  std::fprintf(
      stderr,
      "hocket: an event at %p was destroyed while tasks or threads wait for it; set it before, or let "
      "it live as long as its waiters\n",
      static_cast<const void*>(this));
  std::abort();
}

}  // namespace hocket
