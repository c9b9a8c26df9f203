// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// counter: one word, and a list for those who wait.
#include <hocket/counter.hpp>

#include <hocket/error.hpp>

#include "sync/waiting.hpp"

namespace hocket {
namespace {
using namespace detail;

void check_step(std::int64_t n) {
  if (HOCKET_UNLIKELY(n < 0 || n > counter::max()))
    throw error(errc::misuse,
                "a counter was changed by " + std::to_string(n) + "; the step is 0 to counter::max()");
}

}  // namespace

counter::counter(std::int64_t initial) : state_(initial * one) {
  if (initial < 0 || initial > max())
    throw error(errc::misuse, "a counter was made with " + std::to_string(initial) +
                                  "; it begins with 0 to counter::max()");
}

void counter::add(std::int64_t n) {
  check_step(n);
  std::int64_t v = state_.load(std::memory_order_relaxed), to;
  do {
    if (HOCKET_UNLIKELY(v / one > max() - n))
      throw error(errc::misuse, "a counter was raised above counter::max()");
    to = v + n * one;  // with the bit: who brought it to zero under the lock may still hold that
  } while (!state_.compare_exchange_weak(v, to, std::memory_order_relaxed));
}

bool counter::done(std::int64_t n) {
  check_step(n);
  std::int64_t v = state_.load(std::memory_order_relaxed);
  do {
    if (HOCKET_UNLIKELY(v < n * one))
      throw error(errc::misuse,
                  "a counter was lowered below zero; call add() before the work that calls done()");
    if (HOCKET_UNLIKELY(v - n * one == waited_for)) return reach_zero(n);
  } while (
      !state_.compare_exchange_weak(v, v - n * one, std::memory_order_acq_rel, std::memory_order_relaxed));
  return n != 0 && v == n * one;
}

/// The step would take it to zero, and somebody may wait.
HOCKET_NOINLINE bool counter::reach_zero(std::int64_t n) {
  ready_list go;
  const std::lock_guard g(waiters_);
  std::int64_t v = state_.load(std::memory_order_relaxed);
  do {
    if (HOCKET_UNLIKELY(v < n * one)) throw error(errc::misuse, "a counter was lowered below zero");
  } while (
      !state_.compare_exchange_weak(v, v - n * one, std::memory_order_acq_rel, std::memory_order_relaxed));
  if (v - n * one != waited_for) return false;  // somebody raised it meanwhile
  while (list_waiter* w = waiters_.first()) waiters_.let_go(w, go);
  return n != 0;
}

/// With the list locked: says that somebody waits. False if the count is zero.
bool counter::announce() {
  std::int64_t v = state_.load(std::memory_order_acquire);
  while (v / one != 0) {
    if (state_.compare_exchange_weak(v, v | waited_for, std::memory_order_acquire)) return true;
  }
  return false;
}

/// Whether it is zero, and then nobody who made it so touches it any more.
bool counter::is_zero() {
  const std::int64_t v = state_.load(std::memory_order_acquire);
  if (HOCKET_UNLIKELY(v == waited_for)) {
    const std::lock_guard pass(waiters_);
    return true;
  }
  return v == 0;
}

bool detail::enlist(counter& c, list_waiter& w) {
  const std::lock_guard g(c.waiters_);
  if (!c.announce()) return false;
  c.waiters_.push_back(&w);
  return true;
}

bool counter::wait_until_deadline(deadline until) {
  if (is_zero()) return true;
  if (is_over(until)) return false;
  check_stop();
  waiters_.lock();
  if (!announce()) {
    waiters_.unlock();
    return true;
  }
  list_waiter me;
  waiters_.push_back(&me);
  const wake why = waiters_.wait(me, {wait_kind::counter, this}, until, true);
  if (why == wake::stopped) throw_cancelled();
  return why == wake::done;
}

}  // namespace hocket
