// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// condition_variable: a list of those who wait; each is in it before it gives up the user's lock.
//
// It may be destroyed as soon as its waiters have been notified. So one that was does not touch it any more.
// One whose time was over before takes itself off the list, unless the destructor came first: it cannot wait
// for that one, which may lie in the queue of the same worker.
#include <hocket/condition_variable.hpp>

#include <mutex>
#include <optional>

#include <hocket/stop.hpp>

#include "sync/waiting.hpp"

namespace hocket {
using namespace detail;

namespace {

enum leaving : std::uint32_t { not_yet, by_itself, by_destructor };

struct condition_waiter : list_waiter {
  // Who takes it off, if it is not notified: the first to write it. acq_rel, by itself and by the destructor.
  atomic<std::uint32_t> leaves{not_yet};
};

}  // namespace

condition_variable::~condition_variable() {
  for (unsigned i = 0;; back_off(i++)) {
    const std::lock_guard g(list_);  // who let go the last one may still be about to unlock
    condition_waiter* next;
    for (auto* w = static_cast<condition_waiter*>(list_.first()); w != nullptr; w = next) {
      if (!w->who.fired()) refuse_end("a condition variable", this);
      next = static_cast<condition_waiter*>(w->next);
      list_.remove(w);
      std::uint32_t seen = not_yet;
      if (!w->leaves.compare_exchange_strong(seen, by_destructor, std::memory_order_acq_rel,
                                             std::memory_order_acquire)) {
        list_.push_front(w);  // it runs, and is about to lock the list
      }  // else it may be gone
    }
    if (HOCKET_LIKELY(list_.empty())) return;
  }
}

/// Of one that was not notified.
void condition_variable::take_off(list_waiter& w) {
  auto& leaves = static_cast<condition_waiter&>(w).leaves;
  if (leaves.exchange(by_itself, std::memory_order_acq_rel) == by_destructor) return;
  const std::lock_guard g(list_);
  list_.remove(&w);
  if (list_.empty()) waiting_.store(0, std::memory_order_release);
}

/// True if notified.
bool condition_variable::wait_until_deadline(const any_lock& lock, deadline until) {
  if (is_over(until)) {
    lock.unlock(lock.object);
    lock.lock(lock.object);
    return false;
  }
  check_stop();
  condition_waiter me;
  {
    const std::lock_guard g(list_);
    list_.push_back(&me);
    waiting_.store(1, std::memory_order_release);
  }
  try {
    lock.unlock(lock.object);  // from now on it may be notified
  } catch (...) {
    real_task* none = nullptr;
    if (fire(&me.who, wake::stopped, none)) {
      take_off(me);
    } else {
      notify_one();  // in place of this one
    }
    throw;
  }
  const wake why = park(me.who, {wait_kind::condition, this}, until);
  if (why != wake::done) take_off(me);
  {
    std::optional<stop_shield> shield;
    if (why == wake::stopped) shield.emplace();  // the user's lock may be one that can be cancelled
    lock.lock(lock.object);
  }
  if (why == wake::stopped) throw_cancelled();
  return why == wake::done;
}

HOCKET_NOINLINE void condition_variable::notify(bool all) {
  ready_list go;
  const std::lock_guard g(list_);
  list_waiter* next;
  for (list_waiter* w = list_.first(); w != nullptr; w = next) {
    next = w->next;
    if (w->who.fired()) continue;  // its time is over, and it is about to take itself off
    if (list_.let_go(w, go)) {
      if (!all) break;
    } else {
      list_.push_front(w);
    }
  }
  if (list_.empty()) waiting_.store(0, std::memory_order_release);
}

}  // namespace hocket
