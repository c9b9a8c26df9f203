// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shared_mutex: a word for the usual case, a list for those who wait, of both kinds in one order.
#include <hocket/shared_mutex.hpp>

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include <hocket/error.hpp>

#include "sched/kernel.hpp"
#include "sched/priorities.hpp"
#include "sched/report.hpp"
#include "sched/scheduler.hpp"
#include "sync/waiting.hpp"

namespace hocket {
namespace {
using namespace detail;

struct shared_mutex_waiter : list_waiter {
  bool alone = false;
  std::uint64_t number = 0;
};

/// Who the caller is: a task by its number, a thread by its own.
std::uint64_t number_of(const real_task* t) {
  return t != nullptr ? t->id : static_cast<std::uint64_t>(pthread_self());
}

/// For reports; `copy` is one of the mutex's bytes.
holder holder_of(const void* copy) {
  const auto* m = static_cast<const shared_mutex*>(copy);
  return {m->owner(), m->owner_number()};
}
constexpr wait_describer describer{sizeof(shared_mutex), &holder_of};
[[maybe_unused]] const bool described = describe_waits(wait_kind::shared_mutex, &describer);

[[noreturn]] void throw_misuse(const char* what) { throw error(errc::misuse, what); }

std::uint8_t level_of(const real_task* t) {
  return t == nullptr ? std::uint8_t{0} : t->level.load(std::memory_order_relaxed);
}

/// The rare wait of one whose priority the owner is to be lent: not under the list's lock, which is held
/// here.
wake lend_and_wait(wait_list& list, list_waiter& w, const wait_note& note, deadline until, real_task* owner) {
  list.unlock();
  lend_to(owner, level_of(w.who.task));
  const wake why = park(w.who, note, until, false);
  if (why != wake::done) {
    const std::lock_guard g(list);
    if (w.linked) list.remove(&w);
  }
  return why;
}

}  // namespace

shared_mutex::~shared_mutex() {
  const std::lock_guard g(list_);  // who handed it over may still be about to unlock
  if (HOCKET_LIKELY(word_.load(std::memory_order_relaxed) == 0)) return;
  std::fprintf(stderr, "hocket: a shared mutex at %p was destroyed while it is held; unlock it before\n",
               static_cast<const void*>(this));
  std::abort();
}

void shared_mutex::set_owner(real_task* t, std::uint64_t number) {
  owner_.store(t, std::memory_order_relaxed);
  owner_number_.store(number, std::memory_order_relaxed);
}

bool shared_mutex::try_lock() {
  std::uint64_t seen = 0;
  if (!word_.compare_exchange_strong(seen, held, std::memory_order_acquire, std::memory_order_relaxed))
    return false;
  real_task* t = current_task();
  set_owner(t, number_of(t));
  return true;
}

/// With the list's lock. False if the caller must wait: whoever holds it now locks the list before it lets
/// go.
bool shared_mutex::take_or_announce(bool alone) {
  std::uint64_t seen = word_.load(std::memory_order_relaxed);
  for (;;) {
    // With an empty list, `waiting` is left from one that is about to lock, to tidy up.
    const std::uint64_t holders = seen & ~waiting;
    const bool free = list_.empty() && (alone ? holders == 0 : (holders & held) == 0);
    if (!free && (seen & waiting) != 0) return false;
    const std::uint64_t next = free ? holders + (alone ? held : reader) : holders | waiting;
    if (word_.compare_exchange_weak(seen, next, std::memory_order_acquire, std::memory_order_relaxed))
      return free;
  }
}

HOCKET_NOINLINE bool shared_mutex::lock_slowly(bool alone, deadline until) {
  if (is_over(until)) return false;
  if (forked_away()) throw_outside_run("a shared mutex was waited for");
  shared_mutex_waiter me;
  real_task* t = me.who.task;
  me.alone = alone;
  me.number = number_of(t);
  if (owner_.load(std::memory_order_relaxed) == t &&
      owner_number_.load(std::memory_order_relaxed) == me.number &&
      (word_.load(std::memory_order_relaxed) & held) != 0) {
    throw_misuse("a shared mutex was locked by the task or thread that holds it alone; unlock it first");
  }
  list_.lock();
  if (take_or_announce(alone)) {
    if (alone) set_owner(t, me.number);
    list_.unlock();
    return true;
  }
  const std::uint8_t level = level_of(t);
  highest_ = std::max(list_.empty() ? std::uint8_t{0} : highest_, level);
  list_.push_back(&me);
  const wait_note note{wait_kind::shared_mutex, this};
  real_task* owner = owner_.load(std::memory_order_relaxed);
  const bool lends = owner != nullptr && t != nullptr && level_of(owner) < level;
  const wake why = HOCKET_UNLIKELY(lends) ? lend_and_wait(list_, me, note, until, owner)
                                          : list_.wait(me, note, until, false);
  if (why == wake::done) return true;
  ready_list go;
  const std::lock_guard g(list_);
  if ((word_.load(std::memory_order_relaxed) & waiting) != 0)
    hand_over(go);  // to those behind a writer that leaves
  return false;
}

void shared_mutex::unlock() {
  real_task* t = current_task();
  if (HOCKET_UNLIKELY((word_.load(std::memory_order_relaxed) & held) == 0 ||
                      owner_.load(std::memory_order_relaxed) != t ||
                      owner_number_.load(std::memory_order_relaxed) != number_of(t))) {
    throw_misuse("a shared mutex was unlocked by a task or thread that does not hold it alone");
  }
  set_owner(nullptr, 0);
  std::uint64_t seen = held;
  if (HOCKET_LIKELY(
          word_.compare_exchange_strong(seen, 0, std::memory_order_release, std::memory_order_relaxed)))
    return;
  ready_list go;
  const std::lock_guard g(list_);
  word_.fetch_and(~held, std::memory_order_release);
  hand_over(go);
}

/// The last one that reads, while somebody waits; or one that does not hold it.
HOCKET_NOINLINE void shared_mutex::unlock_shared_slowly() {
  if (word_.load(std::memory_order_relaxed) < reader)
    throw_misuse("a shared mutex was unlocked as shared while nobody holds it so");
  ready_list go;
  const std::lock_guard g(list_);
  word_.fetch_sub(reader, std::memory_order_acq_rel);  // acquire: those who left before, for the next owner
  hand_over(go);
}

/// With the list's lock: lets in, of those who wait, whom it can. Nobody else comes in meanwhile.
HOCKET_NOINLINE void shared_mutex::hand_over(ready_list& go) {
  while (auto* w = static_cast<shared_mutex_waiter*>(list_.first())) {
    const std::uint64_t holders = word_.load(std::memory_order_acquire) & ~waiting;
    if ((holders & held) != 0 || (w->alone && holders != 0)) break;
    const bool alone = w->alone;  // once it is let go, it may be gone
    if (alone) {
      set_owner(w->who.task, w->number);
      if (w->next != nullptr && w->who.task != nullptr) raise(w->who.task, highest_);  // for those behind it
    }
    word_.fetch_add(alone ? held : reader, std::memory_order_relaxed);
    if (!list_.let_go(w, go)) {
      word_.fetch_sub(alone ? held : reader, std::memory_order_relaxed);
      if (alone) set_owner(nullptr, 0);
    }
  }
  if (list_.empty()) word_.fetch_and(~waiting, std::memory_order_release);
}

}  // namespace hocket
