// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// barrier: a word that is counted down anew in each phase, and a list of those who wait for its end.
#include <hocket/barrier.hpp>

#include <mutex>

#include <hocket/error.hpp>

#include "sync/waiting.hpp"

namespace hocket::detail {

barrier_core::barrier_core(std::ptrdiff_t expected) : expected_(expected), word_(fresh(expected, 0)) {
  if (expected < 0 || expected > max()) refuse_count();
}

barrier_core::~barrier_core() {
  const std::lock_guard g(list_);  // who let go the last one may still be about to unlock
  if (HOCKET_UNLIKELY(!list_.empty())) refuse_end("a barrier", this);
}

void barrier_core::refuse_count() {
  throw error(errc::misuse,
              "a barrier was given a count below 1 (to begin with: below 0) or above barrier::max()");
}

HOCKET_COLD void barrier_core::refuse_arrival(std::ptrdiff_t n) {
  word_.fetch_add(times(n), std::memory_order_relaxed);
  throw error(errc::misuse, "more arrived at a barrier in one phase than it expects");
}

void barrier_core::drop_one() {
  // The first look is enough for a program that keeps the rules: who drops out has not arrived yet.
  if (left_in(word_.load(std::memory_order_relaxed)) < 1)
    throw error(errc::misuse, "more arrived at a barrier in one phase than it expects");
  expected_.fetch_sub(1, std::memory_order_relaxed);
}

/// The last one has arrived: nobody else arrives until the word says that the next phase has begun.
void barrier_core::begin_next_phase() {
  std::uint64_t seen = word_.load(std::memory_order_relaxed);
  const std::uint64_t next = fresh(expected_.load(std::memory_order_relaxed), phase_in(seen) + 1);
  if ((seen & waiting) == 0 &&
      word_.compare_exchange_strong(seen, next, std::memory_order_release, std::memory_order_relaxed)) {
    return;
  }
  ready_list go;
  const std::lock_guard g(list_);
  // Before anyone is let go, who may arrive again at once. An addition: it leaves a wrong arrival to be
  // undone.
  word_.fetch_add(next - seen, std::memory_order_release);
  while (list_waiter* w = list_.first()) list_.let_go(w, go);
}

bool barrier_core::wait_slowly(std::uint32_t phase, deadline until) {
  if (detail::is_over(until)) return false;
  check_stop();
  list_waiter me;
  list_.lock();
  std::uint64_t seen = word_.load(std::memory_order_acquire);
  // Not over: who ends the phase from now on sees `waiting`, and locks.
  while (phase_in(seen) == phase && (seen & waiting) == 0) {
    if (word_.compare_exchange_weak(seen, seen | waiting, std::memory_order_acquire)) break;
  }
  if (phase_in(seen) != phase) {
    list_.unlock();
    return true;
  }
  list_.push_back(&me);
  const wake why = list_.wait(me, {wait_kind::barrier, this}, until, true);
  if (why == wake::stopped) throw_cancelled();
  return why == wake::done || is_over(phase);
}

}  // namespace hocket::detail
