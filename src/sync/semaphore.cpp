// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// semaphore: a word of permits, and a list of those who want more than there are.
#include <hocket/semaphore.hpp>

#include <mutex>

#include <hocket/error.hpp>

#include "sync/waiting.hpp"

namespace hocket {
namespace {
using namespace detail;

struct semaphore_waiter : list_waiter {
  std::int64_t wants = 0;
};

[[noreturn]] void throw_misuse(const char* what) { throw error(errc::misuse, what); }

}  // namespace

semaphore::semaphore(std::ptrdiff_t initial) : word_(0) {
  if (initial < 0 || initial > max())
    throw_misuse("a semaphore was made with a count of permits below 0 or above semaphore::max()");
  word_.store(initial * permit, std::memory_order_relaxed);
}

semaphore::~semaphore() {
  const std::lock_guard g(list_);  // who let go the last one may still be about to unlock
  if (HOCKET_UNLIKELY(!list_.empty())) refuse_end("a semaphore", this);
}

bool semaphore::accept_none(std::ptrdiff_t n) {
  if (n != 0) throw_misuse("a semaphore was asked for, or given, a count below 0 or above semaphore::max()");
  return true;
}

bool semaphore::acquire_slowly(std::ptrdiff_t n, deadline until) {
  if (is_over(until)) return false;
  check_stop();
  semaphore_waiter me;
  me.wants = n * permit;
  list_.lock();
  std::int64_t seen = word_.load(std::memory_order_acquire);
  for (;;) {
    // With an empty list, `waiting` is left from one that is about to lock, to tidy up.
    const std::int64_t available = seen & ~waiting;
    const bool enough = list_.empty() && available >= me.wants;
    if (!enough && (seen & waiting) != 0) break;
    if (word_.compare_exchange_weak(seen, enough ? available - me.wants : available | waiting,
                                    std::memory_order_acq_rel, std::memory_order_acquire)) {
      if (!enough) break;
      list_.unlock();
      return true;
    }
  }
  list_.push_back(&me);
  const wake why = list_.wait(me, {wait_kind::semaphore, this}, until, true);
  if (why == wake::done) return true;
  {
    ready_list go;
    const std::lock_guard g(list_);
    // What was too little for the one that leaves may be enough for those behind it.
    seen = word_.load(std::memory_order_acquire);
    if ((seen & waiting) != 0) hand_out(seen & ~waiting, go);
  }
  if (why == wake::stopped) throw_cancelled();
  return false;
}

void semaphore::release_slowly(std::ptrdiff_t n) {
  ready_list go;
  const std::lock_guard g(list_);
  std::int64_t seen = word_.load(std::memory_order_acquire);
  for (;;) {
    const std::int64_t available = seen & ~waiting;
    if (available > (max() - n) * permit)
      throw_misuse("a semaphore was given more permits than semaphore::max()");
    if ((seen & waiting) != 0) {
      hand_out(available + n * permit, go);
      return;
    }
    if (word_.compare_exchange_weak(seen, seen + n * permit, std::memory_order_acq_rel,
                                    std::memory_order_acquire)) {
      return;
    }
  }
}

/// With the list's lock, and `waiting` in the word: nobody else changes it.
void semaphore::hand_out(std::int64_t available, ready_list& go) {
  while (auto* w = static_cast<semaphore_waiter*>(list_.first())) {
    const std::int64_t wants = w->wants;  // once it is let go, it may be gone
    if (wants > available) break;
    if (list_.let_go(w, go)) available -= wants;
  }
  word_.store(available | (list_.empty() ? 0 : waiting), std::memory_order_release);
}

}  // namespace hocket
