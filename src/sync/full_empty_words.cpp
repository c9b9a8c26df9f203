// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full/empty words: a table that holds an entry for a word only while it is empty or waited for. The table is
// cut into stripes by the word's address; a stripe is a cache line with a lock and room for a few entries,
// and a map for more.
#include <hocket/full_empty.hpp>

#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/spin_lock.hpp"
#include "sync/full_empty_cell.hpp"

namespace hocket::detail {
namespace {

/// What the table knows of a word: the first of those who wait for it, and whether it is full.
struct entry {
  const std::uint64_t* word = nullptr;  // null: the place is free
  std::uintptr_t state = 0;
};

struct alignas(64) stripe {
  static constexpr unsigned places = 3;
  spin_lock lock;
  atomic<std::uint32_t> changes{0};  // of anything in it (relaxed): for those who look before they wait
  entry at[places];
  std::unordered_map<const std::uint64_t*, std::uintptr_t>* more = nullptr;
};
static_assert(sizeof(stripe) == 64);

constexpr unsigned stripe_bits = 14;
constinit stripe table[1u << stripe_bits];

stripe& stripe_of(const std::uint64_t* word) {
  // Fibonacci hashing: neighbours, of which loops wait in turn, lie far apart.
  const std::uint64_t h = (reinterpret_cast<std::uintptr_t>(word) >> 3) * 0x9e3779b97f4a7c15u;
  return table[h >> (64 - stripe_bits)];
}

constexpr std::uintptr_t full = 1;

/// Where the state of a word lies in its stripe, whose lock is held; null: it is full, and nobody waits.
std::uintptr_t* find(stripe& s, const std::uint64_t* word) {
  for (entry& e : s.at) {
    if (e.word == word) return &e.state;
  }
  if (HOCKET_LIKELY(s.more == nullptr)) return nullptr;
  const auto found = s.more->find(word);
  return found == s.more->end() ? nullptr : &found->second;
}

HOCKET_NOINLINE void remember_in_map(stripe& s, const std::uint64_t* word, std::uintptr_t state) {
  if (s.more == nullptr) s.more = new std::unordered_map<const std::uint64_t*, std::uintptr_t>;
  s.more->emplace(word, state);
}

HOCKET_ALWAYS_INLINE void remember(stripe& s, const std::uint64_t* word, std::uintptr_t state) {
  for (entry& e : s.at) {
    if (e.word == nullptr) {
      e = {word, state};
      return;
    }
  }
  remember_in_map(s, word, state);
}

HOCKET_NOINLINE void forget_in_map(stripe& s, const std::uint64_t* word) {
  s.more->erase(word);
  if (s.more->empty()) delete std::exchange(s.more, nullptr);
}

HOCKET_ALWAYS_INLINE void forget(stripe& s, const std::uint64_t* word, std::uintptr_t* state) {
  for (entry& e : s.at) {
    if (&e.state == state) {
      e.word = nullptr;
      return;
    }
  }
  forget_in_map(s, word);
}

/// A word's state, taken out of its stripe and put back; the stripe's lock is held.
class held_word {
 public:
  HOCKET_ALWAYS_INLINE held_word(stripe& s, std::uint64_t* word)
      : s_(s), word_(word), state_(find(s, word)), cell_(taken(state_ == nullptr ? full : *state_, word)) {}
  full_empty_cell& cell() { return cell_; }
  // noexcept: without memory for an entry the program ends, since what was done cannot be told to others.
  HOCKET_ALWAYS_INLINE void put_back() noexcept {
    s_.changes.store(s_.changes.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    const std::uintptr_t now = reinterpret_cast<std::uintptr_t>(cell_.first()) | (cell_.full() ? full : 0);
    if (now == full) {
      if (state_ != nullptr) forget(s_, word_, state_);
    } else if (state_ != nullptr) {
      *state_ = now;
    } else {
      remember(s_, word_, now);
    }
  }

 private:
  static full_empty_cell taken(std::uintptr_t state, std::uint64_t* word) {
    return {(state & full) != 0, reinterpret_cast<list_waiter*>(state & ~full), word, sizeof *word};
  }
  stripe& s_;
  std::uint64_t* word_;
  std::uintptr_t* state_;
  full_empty_cell cell_;
};

void unlock_stripe(void* lock, real_task*) { static_cast<spin_lock*>(lock)->unlock(); }

/// The caller, who has the stripe locked, would have to wait: unlocks it and looks for a while whether
/// anything happens there. False at once if the caller had better wait.
bool look(stripe& s) {
  unsigned left = looks_before_waiting(current_task());
  if (left == 0) return false;
  const std::uint32_t before = s.changes.load(std::memory_order_relaxed);
  s.lock.unlock();
  for (; left != 0 && s.changes.load(std::memory_order_relaxed) == before; --left) cpu_pause();
  return true;
}

/// The rest of operate(), the stripe locked, for one that must wait.
HOCKET_NOINLINE bool wait(stripe& s, held_word& w, full_empty what, std::uint64_t* word, std::uint64_t* value,
                          deadline until) {
  const bool too_late = is_over(until);
  if (HOCKET_UNLIKELY(too_late || stop_wanted())) {
    s.lock.unlock();
    if (!too_late) throw_cancelled();
    return false;
  }
  full_empty_waiter me;
  me.wants = what;
  me.place = value;
  w.cell().add(me);
  w.put_back();
  const wake why = wait_released(me, {wait_kind_of(what), word}, until, true, &unlock_stripe, &s.lock);
  if (why == wake::done) return true;
  {
    const std::lock_guard g(s.lock);
    if (me.linked) {
      held_word again(s, word);
      again.cell().remove(me);
      again.put_back();
    }
  }
  if (why == wake::stopped) throw_cancelled();
  return false;
}

}  // namespace

bool operate(full_empty what, std::uint64_t* word, std::uint64_t* value, deadline until) {
  stripe& s = stripe_of(word);
  ready_list go(what <= full_empty::writeFF && until != at_once ? ready_list::caller::may_block
                                                                : ready_list::caller::stays);
  for (bool looked = false;; looked = true) {
    s.lock.lock();
    held_word w(s, word);
    if (HOCKET_LIKELY(w.cell().try_now(what, value, go))) {
      w.put_back();
      s.lock.unlock();
      return true;
    }
    if (looked || until == at_once || !look(s)) return wait(s, w, what, word, value, until);
  }
}

bool enlist(std::uint64_t* word, full_empty_waiter& w) {
  stripe& s = stripe_of(word);
  const std::lock_guard g(s.lock);
  held_word held(s, word);
  if (held.cell().full()) return false;
  held.cell().add(w);
  held.put_back();
  return true;
}

bool is_full(const std::uint64_t* word) {
  stripe& s = stripe_of(word);
  const std::lock_guard g(s.lock);
  const std::uintptr_t* state = find(s, word);
  return state == nullptr || (*state & full) != 0;
}

std::size_t full_empty_entries() {
  std::size_t n = 0;
  for (stripe& s : table) {
    const std::lock_guard g(s.lock);
    for (const entry& e : s.at) n += e.word != nullptr;
    if (s.more != nullptr) n += s.more->size();
  }
  return n;
}

}  // namespace hocket::detail
