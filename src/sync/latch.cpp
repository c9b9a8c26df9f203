// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// latch: a word that is counted down, and a list of those who wait for zero.
#include <hocket/latch.hpp>

#include <mutex>

#include <hocket/error.hpp>

#include "sync/waiting.hpp"

namespace hocket {
using namespace detail;

latch::latch(std::ptrdiff_t expected) : word_(0) {
  if (expected < 0 || expected > max()) refuse_count();
  word_.store(expected * one, std::memory_order_relaxed);
}

latch::~latch() {
  const std::lock_guard g(list_);  // who let go the last one may still be about to unlock
  if (HOCKET_UNLIKELY(!list_.empty())) refuse_end("a latch", this);
}

void latch::refuse_count() {
  throw error(errc::misuse, "a latch was given a count below 0 or above latch::max()");
}

/// The word was counted down from `was`, to zero or less.
HOCKET_NOINLINE void latch::reach_zero(std::int64_t was, std::ptrdiff_t n) {
  if (HOCKET_UNLIKELY(was < n * one)) {
    word_.fetch_add(n * one, std::memory_order_relaxed);
    throw error(errc::misuse, "a latch was counted down by more than was left");
  }
  if (n == 0 || (was & waiting) == 0) return;
  ready_list go;
  const std::lock_guard g(list_);
  word_.fetch_sub(waiting, std::memory_order_acq_rel);  // now it is open
  while (list_waiter* w = list_.first()) list_.let_go(w, go);
}

bool latch::wait_slowly(deadline until) {
  if (is_over(until)) return false;
  check_stop();
  list_waiter me;
  list_.lock();
  std::int64_t seen = word_.load(std::memory_order_acquire);
  // Not open: who counts down to zero from now on sees `waiting`, and locks.
  while (seen > 0 && (seen & waiting) == 0) {
    if (word_.compare_exchange_weak(seen, seen | waiting, std::memory_order_acquire)) break;
  }
  if (seen <= 0) {
    list_.unlock();
    return true;
  }
  list_.push_back(&me);
  const wake why = list_.wait(me, {wait_kind::latch, this}, until, true);
  if (why == wake::stopped) throw_cancelled();
  return why == wake::done || try_wait();
}

}  // namespace hocket
