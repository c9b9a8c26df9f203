// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sync and single variables: their state is one word, which holds the list of waiters, its lock, and whether
// the variable is full.
#include <hocket/error.hpp>

#include "sched/kernel.hpp"
#include "sched/scheduler.hpp"
#include "sync/full_empty_cell.hpp"

namespace hocket::detail {
namespace {

constexpr std::uintptr_t full = full_empty_state::full, locked = full_empty_state::locked;

std::uintptr_t lock_any(atomic<std::uintptr_t>& word) {
  for (unsigned i = 0;; back_off(i++)) {
    std::uintptr_t seen = word.load(std::memory_order_relaxed);
    if ((seen & locked) == 0 && word.compare_exchange_weak(seen, seen | locked, std::memory_order_acquire,
                                                           std::memory_order_relaxed)) {
      return seen;
    }
  }
}

full_empty_cell cell_of(std::uintptr_t seen, void* variable, std::size_t bytes) {
  return {(seen & full) != 0, reinterpret_cast<list_waiter*>(seen & ~(full | locked)), variable, bytes};
}

std::uintptr_t word_of(const full_empty_cell& c) {
  return reinterpret_cast<std::uintptr_t>(c.first()) | (c.full() ? full : 0);
}

/// What unlocks a variable.
struct unlocked {
  atomic<std::uintptr_t>& word;
  std::uintptr_t to;
};
void unlock_variable(void* argument, real_task*) {
  const unlocked u = *static_cast<unlocked*>(argument);  // which may be gone at once
  u.word.store(u.to, std::memory_order_release);
}

/// Looks for a while whether the variable becomes what is wanted of it; true if it has.
bool look_for(const atomic<std::uintptr_t>& word, full_empty what) {
  const std::uintptr_t wanted = what == full_empty::writeEF ? 0 : full;
  for (unsigned left = looks_before_waiting(current_task()); left != 0; --left) {
    if ((word.load(std::memory_order_relaxed) & (full | locked)) == wanted) return true;
    cpu_pause();
  }
  return false;
}

void copy(void* to, const void* from, std::size_t bytes) {
  if (HOCKET_LIKELY(bytes == 8)) {
    std::memcpy(to, from, 8);
  } else {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace

HOCKET_NOINLINE bool full_empty_state::operate(full_empty what, void* variable, std::size_t bytes,
                                               void* value, deadline until, const void* object) {
  if (what <= full_empty::writeFF && until != at_once) look_for(word_, what);
  ready_list go(what <= full_empty::writeFF && until != at_once ? ready_list::caller::may_block
                                                                : ready_list::caller::stays);
  std::uintptr_t seen = lock_any(word_);
  full_empty_cell cell = cell_of(seen, variable, bytes);
  if (cell.try_now(what, value, go)) {
    word_.store(word_of(cell), std::memory_order_release);
    return true;
  }
  const bool too_late = is_over(until);
  if (HOCKET_UNLIKELY(too_late || stop_wanted())) {
    word_.store(seen, std::memory_order_release);
    if (!too_late) throw_cancelled();
    return false;
  }
  full_empty_waiter me;
  me.wants = what;
  me.place = value;
  cell.add(me);
  unlocked then{word_, word_of(cell)};
  const wake why = wait_released(me, {wait_kind_of(what), object}, until, true, &unlock_variable, &then);
  if (HOCKET_LIKELY(me.only_listed)) return true;
  seen =
      lock_any(word_);  // also when done: who let it go has left the variable, so the caller may destroy it
  if (me.linked) {
    cell = cell_of(seen, variable, bytes);
    cell.remove(me);
    seen = word_of(cell);
  }
  word_.store(seen, std::memory_order_release);
  if (why == wake::stopped) throw_cancelled();
  return why == wake::done;
}

namespace {

struct waiting_reader {
  full_empty_waiter me;
  atomic<std::uintptr_t>* word;
};
static_assert(sizeof(waiting_reader) <= sizeof(waiter_frame));

void show_reader(void* reader, real_task*) {
  auto* r = static_cast<waiting_reader*>(reader);
  r->word->store(reinterpret_cast<std::uintptr_t>(static_cast<list_waiter*>(&r->me)),
                 std::memory_order_release);
}

}  // namespace

HOCKET_NOINLINE void full_empty_state::read(full_empty what, void* variable, std::size_t bytes, void* value,
                                            const void* object, waiter_frame& f) {
  real_task* t = current_task();
  // A task that finds it empty, nobody else waits, and nothing but a value can let it go on.
  if (HOCKET_LIKELY(t != nullptr && t->scope.load(std::memory_order_relaxed) == nullptr && !forked_away() &&
                    (t->on->kernel_->join_spins == 0 || !look_for(word_, what)))) {
    std::uintptr_t seen = 0;
    if (word_.compare_exchange_strong(seen, locked, std::memory_order_acquire, std::memory_order_relaxed)) {
      auto* r = new (f.bytes) waiting_reader;
      r->me.wants = what;
      r->me.place = value;
      r->me.next = r->me.previous = &r->me;
      r->me.linked = r->me.only_listed = true;
      r->word = &word_;
      return suspend({wait_kind::full_word, object}, &show_reader, r);
    }
  }
  operate(what, variable, bytes, value, never, object);
}

HOCKET_NOINLINE void full_empty_state::write(full_empty what, void* variable, std::size_t bytes, void* value,
                                             const void* object) {
  // One task waits for a value, alone and without a limit: the value, and perhaps the worker, go over at
  // once.
  std::uintptr_t seen = word_.load(std::memory_order_relaxed);
  if (HOCKET_LIKELY(seen != 0 && (seen & (full | locked)) == 0 && what == full_empty::writeEF) &&
      word_.compare_exchange_strong(seen, seen | locked, std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
    auto* w = static_cast<full_empty_waiter*>(reinterpret_cast<list_waiter*>(seen));
    if (HOCKET_LIKELY(w->next == w && w->only_listed && w->wants == full_empty::readFE)) {
      copy(variable, value, bytes);
      copy(w->place, value, bytes);
      real_task* reader = w->who.task;
      word_.store(0, std::memory_order_release);
      return hand_worker_to(reader);
    }
    word_.store(seen, std::memory_order_release);
  }
  operate(what, variable, bytes, value, never, object);
}

bool enlist(full_empty_state& s, full_empty_waiter& w) {
  const std::uintptr_t seen = lock_any(s.word_);
  full_empty_cell cell = cell_of(seen, nullptr, 0);
  if (!cell.full()) cell.add(w);
  s.word_.store(word_of(cell), std::memory_order_release);
  return !cell.full();
}

void full_empty_state::look(const void* variable, std::size_t bytes, void* to) {
  const std::uintptr_t seen = lock_any(word_);
  std::memcpy(to, variable, bytes);
  word_.store(seen, std::memory_order_release);
}

bool waits_plainly(real_task* t) {
  return t != nullptr && t->scope.load(std::memory_order_relaxed) == nullptr && !forked_away() &&
         (t->on->kernel_->join_spins == 0 || looks_before_waiting(t) == 0);
}

void throw_misuse(const char* sentence) { throw error(errc::misuse, sentence); }

}  // namespace hocket::detail
