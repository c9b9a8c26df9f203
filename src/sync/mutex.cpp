// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mutex: a word for the usual case, a guarded list for those who wait.
#include <hocket/mutex.hpp>

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <hocket/error.hpp>

#include "base/cpu_pause.hpp"
#include "sched/kernel.hpp"
#include "sched/park.hpp"
#include "sched/priorities.hpp"
#include "sched/real_task.hpp"
#include "sched/report.hpp"
#include "sched/scheduler.hpp"

namespace hocket {
namespace detail {

/// On the waiter's stack. `linked` and the links are guarded; once hand_over has taken it off, the waiter is
/// its own until it has been fired or passed.
struct mutex_waiter {
  parked who;
  std::uint64_t number = 0;
  mutex_waiter* next = nullptr;
  mutex_waiter* previous = nullptr;
  bool linked = true;
  atomic<std::uint32_t> passed{
      0};  // release by hand_over when it did not fire this one, acquire by the waiter
};

}  // namespace detail

namespace {
using namespace detail;

/// The guard as a lock for std::lock_guard's pattern.
class guarded {
 public:
  explicit guarded(atomic<std::uint32_t>& word) : word_(word) {
    for (unsigned i = 0; word_.exchange(1, std::memory_order_acquire) != 0;) {
      while (word_.load(std::memory_order_relaxed) != 0) back_off(i++);
    }
  }
  ~guarded() { word_.store(0, std::memory_order_release); }  // pairs with the exchange
  guarded(const guarded&) = delete;
  guarded& operator=(const guarded&) = delete;

 private:
  atomic<std::uint32_t>& word_;
};

/// Who the caller is: a task by its number, a thread by its own.
std::uint64_t number_of(const real_task* t) {
  return t != nullptr ? t->id : static_cast<std::uint64_t>(pthread_self());
}

/// For reports; `copy` is one of the mutex's bytes.
holder holder_of(const void* copy) {
  const auto* m = static_cast<const mutex*>(copy);
  return {m->owner(), m->owner_number()};
}
constexpr wait_describer describer{sizeof(mutex), &holder_of};
[[maybe_unused]] const bool described = describe_waits(wait_kind::mutex, &describer);

[[noreturn]] void throw_misuse(const char* what) { throw error(errc::misuse, what); }

}  // namespace

void mutex::set_owner(real_task* t, std::uint64_t number) {
  owner_.store(t, std::memory_order_relaxed);
  owner_number_.store(number, std::memory_order_relaxed);
}

bool mutex::try_lock() {
  std::uint32_t seen = free;
  if (!state_.compare_exchange_strong(seen, held, std::memory_order_acquire, std::memory_order_relaxed))
    return false;
  real_task* t = current_task();
  set_owner(t, number_of(t));
  return true;
}

bool mutex::lock_until_deadline(deadline until) { return try_lock() || lock_slowly(until); }

HOCKET_NOINLINE bool mutex::lock_slowly(deadline until) {
  if (is_over(until)) return false;
  if (forked_away()) throw_outside_run("a mutex was waited for");
  // Held by another worker's task, and nobody waits: it is often free again before a task could have left.
  if (real_task* self = current_task()) {
    for (unsigned looks = self->on->kernel_->join_spins; looks != 0; --looks) {
      const std::uint32_t seen = state_.load(std::memory_order_relaxed);
      if (seen == wanted) break;
      if (seen == free && try_lock()) return true;
      cpu_pause();
    }
  }
  mutex_waiter w;
  real_task* t = w.who.task;
  w.number = number_of(t);
  const std::uint8_t level = t == nullptr ? std::uint8_t{0} : t->level.load(std::memory_order_relaxed);
  if (owner_.load(std::memory_order_relaxed) == t &&
      owner_number_.load(std::memory_order_relaxed) == w.number &&
      state_.load(std::memory_order_relaxed) != free) {
    throw_misuse("a mutex was locked by the task or thread that holds it; unlock it first");
  }
  {
    const guarded g(guard_);
    std::uint32_t seen = state_.load(std::memory_order_relaxed);
    for (;;) {
      if (seen == free) {
        if (state_.compare_exchange_weak(seen, held, std::memory_order_acquire, std::memory_order_relaxed)) {
          set_owner(t, w.number);
          return true;
        }
      } else if (seen == wanted || state_.compare_exchange_weak(seen, wanted, std::memory_order_relaxed)) {
        break;
      }
    }
    highest_ = std::max(first_ == nullptr ? std::uint8_t{0} : highest_, level);
    w.previous = last_;
    (last_ != nullptr ? last_->next : first_) = &w;
    last_ = &w;
  }
  if (real_task* owner = owner_.load(std::memory_order_relaxed); owner != nullptr && t != nullptr)
    lend_to(owner, level);
  if (park(w.who, {wait_kind::mutex, this}, until, false) == wake::done) return true;
  take_off(&w);
  return false;
}

/// The waiter's time is over before it was handed the mutex.
void mutex::take_off(mutex_waiter* w) {
  {
    const guarded g(guard_);
    if (w->linked) {
      (w->previous != nullptr ? w->previous->next : first_) = w->next;
      (w->next != nullptr ? w->next->previous : last_) = w->previous;
      if (first_ == nullptr) state_.store(held, std::memory_order_relaxed);
      return;
    }
  }
  for (unsigned i = 0; w->passed.load(std::memory_order_acquire) == 0; ++i) back_off(i);
}

void mutex::unlock() {
  real_task* t = current_task();
  if (HOCKET_UNLIKELY(state_.load(std::memory_order_relaxed) == free ||
                      owner_.load(std::memory_order_relaxed) != t ||
                      owner_number_.load(std::memory_order_relaxed) != number_of(t))) {
    throw_misuse("a mutex was unlocked by a task or thread that does not hold it");
  }
  set_owner(nullptr, 0);
  std::uint32_t seen = held;
  if (state_.compare_exchange_strong(seen, free, std::memory_order_release, std::memory_order_relaxed))
    return;
  hand_over();
}

/// Gives the mutex, which the caller still holds, to the first waiter that has not timed out.
HOCKET_NOINLINE void mutex::hand_over() {
  for (;;) {
    mutex_waiter* w;
    {
      const guarded g(guard_);
      w = first_;
      if (w == nullptr) {
        set_owner(nullptr, 0);  // it may name one that timed out
        state_.store(free, std::memory_order_release);
        return;
      }
      first_ = w->next;
      (first_ != nullptr ? first_->previous : last_) = nullptr;
      w->linked = false;
      if (first_ == nullptr) state_.store(held, std::memory_order_relaxed);
      set_owner(w->who.task, w->number);
      if (first_ != nullptr && w->who.task != nullptr) raise(w->who.task, highest_);  // for those behind it
    }
    real_task* ready = nullptr;
    if (fire(&w->who, wake::done, ready)) {  // then neither w nor the mutex is touched any more
      if (ready != nullptr) make_ready(ready);
      return;
    }
    set_owner(nullptr, 0);  // not the one that has timed out: it may come back to lock
    w->passed.store(1, std::memory_order_release);
  }
}

void mutex::refuse_end() const {
  std::fprintf(stderr, "hocket: a mutex at %p was destroyed while it is held; unlock it before\n",
               static_cast<const void*>(this));
  std::abort();
}

}  // namespace hocket
