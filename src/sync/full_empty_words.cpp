// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full/empty words: a table that holds an entry for a word only while it is empty or waited for. An entry
// stands for 16 neighbours, a pair of cache lines: a bit for each, and those who wait for them. The table is
// cut into stripes by the entry's address; a stripe is a cache line with a lock and room for two entries, and
// a map for more.
#include <hocket/full_empty.hpp>

#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/spin_lock.hpp"
#include "sched/scheduler.hpp"
#include "sync/full_empty_cell.hpp"

namespace hocket::detail {
namespace {

constexpr unsigned word_shift = 3, block_shift = word_shift + 4;
constexpr unsigned words_of_a_block = 1u << (block_shift - word_shift);

std::uintptr_t block_of(const std::uint64_t* word) {
  return reinterpret_cast<std::uintptr_t>(word) >> block_shift;
}
std::uint32_t bit_of(const std::uint64_t* word) {
  return 1u << (reinterpret_cast<std::uintptr_t>(word) >> word_shift & (words_of_a_block - 1));
}

/// What the table knows of a block: which words are empty, and of each that is waited for the first who
/// waits, linked by other_word.
struct block_state {
  std::uint32_t empty = 0;
  full_empty_waiter* waited_for = nullptr;
  bool forgettable() const { return empty == 0 && waited_for == nullptr; }
};
struct entry {
  std::uintptr_t block = 0;  // 0: the place is free
  block_state state;
};

struct alignas(64) stripe {
  static constexpr unsigned places = 2;
  spin_lock lock;
  atomic<std::uint32_t> changes{0};  // of anything in it (relaxed): for those who look before they wait
  entry at[places];
  std::unordered_map<std::uintptr_t, block_state>* more = nullptr;
};
static_assert(sizeof(stripe) == 64);

constexpr unsigned stripe_bits = 14;
constinit stripe table[1u << stripe_bits];

stripe& stripe_of(const std::uint64_t* word) {
  // Fibonacci hashing: neighbours, of which loops wait in turn, lie far apart.
  return table[block_of(word) * 0x9e3779b97f4a7c15u >> (64 - stripe_bits)];
}

/// Where the state of a block lies in its stripe, whose lock is held; null: all its words are full, and
/// nobody waits.
HOCKET_ALWAYS_INLINE block_state* find(stripe& s, std::uintptr_t block) {
  for (entry& e : s.at) {
    if (e.block == block) return &e.state;
  }
  if (HOCKET_LIKELY(s.more == nullptr)) return nullptr;
  const auto found = s.more->find(block);
  return found == s.more->end() ? nullptr : &found->second;
}

HOCKET_NOINLINE block_state& remember_in_map(stripe& s, std::uintptr_t block) {
  if (s.more == nullptr) s.more = new std::unordered_map<std::uintptr_t, block_state>;
  return (*s.more)[block];
}

HOCKET_ALWAYS_INLINE block_state& remember(stripe& s, std::uintptr_t block) {
  for (entry& e : s.at) {
    if (e.block == 0) {
      e.block = block;
      return e.state;
    }
  }
  return remember_in_map(s, block);
}

HOCKET_NOINLINE void forget_in_map(stripe& s, std::uintptr_t block) {
  s.more->erase(block);
  if (s.more->empty()) delete std::exchange(s.more, nullptr);
}

HOCKET_ALWAYS_INLINE void forget(stripe& s, std::uintptr_t block, const block_state* state) {
  for (entry& e : s.at) {
    if (&e.state == state) {
      e.block = 0;
      return;
    }
  }
  forget_in_map(s, block);
}

void note_change(stripe& s) {
  s.changes.store(s.changes.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Of a word for which nobody waits; `state` is its block's. noexcept: as held_word::put_back.
HOCKET_ALWAYS_INLINE void set_empty(stripe& s, const std::uint64_t* word, block_state* state) noexcept {
  note_change(s);
  if (state == nullptr) state = &remember(s, block_of(word));
  state->empty |= bit_of(word);
}
HOCKET_ALWAYS_INLINE void set_full(stripe& s, const std::uint64_t* word, block_state* state) {
  note_change(s);
  state->empty &= ~bit_of(word);
  if (state->forgettable()) forget(s, block_of(word), state);
}

/// A word's state, taken out of its stripe and put back; the stripe's lock is held.
class held_word {
 public:
  HOCKET_ALWAYS_INLINE held_word(stripe& s, std::uint64_t* word)
      : s_(s), word_(word), state_(find(s, block_of(word))), cell_(look()) {}
  full_empty_cell& cell() { return cell_; }
  // noexcept: without memory for an entry the program ends, since what was done cannot be told to others.
  HOCKET_ALWAYS_INLINE void put_back() noexcept {
    note_change(s_);
    full_empty_waiter* first = cell_.first();
    if (state_ == nullptr) {
      if (cell_.full() && first == nullptr) return;
      state_ = &remember(s_, block_of(word_));
    }
    state_->empty = cell_.full() ? state_->empty & ~bit_of(word_) : state_->empty | bit_of(word_);
    if (HOCKET_UNLIKELY(first != was_first_)) change_first(first);
    if (state_->forgettable()) forget(s_, block_of(word_), state_);
  }

 private:
  full_empty_cell look() {
    if (state_ == nullptr) return {true, nullptr, word_, sizeof *word_};
    for (full_empty_waiter* w = state_->waited_for; w != nullptr; w = w->other_word) {
      if (w->word != word_) continue;
      was_first_ = w;
      after_first_ = w->other_word;
    }
    return {(state_->empty & bit_of(word_)) == 0, was_first_, word_, sizeof *word_};
  }
  /// Who was first may be gone: its link was read before.
  void change_first(full_empty_waiter* first) {
    full_empty_waiter** link = &state_->waited_for;
    if (was_first_ != nullptr) {
      while (*link != was_first_) link = &(*link)->other_word;
      *link = after_first_;
    }
    if (first != nullptr) {
      first->word = word_;
      first->other_word = state_->waited_for;
      state_->waited_for = first;
    }
  }
  stripe& s_;
  std::uint64_t* word_;
  block_state* state_;
  full_empty_waiter* was_first_ = nullptr;
  full_empty_waiter* after_first_ = nullptr;
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

HOCKET_NOINLINE void read(full_empty what, std::uint64_t* word, std::uint64_t* value, waiter_frame& f) {
  stripe& s = stripe_of(word);
  s.lock.lock();
  block_state* state = find(s, block_of(word));
  if (HOCKET_UNLIKELY(state != nullptr && state->waited_for != nullptr)) {
    s.lock.unlock();
  } else if (state == nullptr || (state->empty & bit_of(word)) == 0) {  // full, and nobody waits
    *value = __atomic_load_n(word, __ATOMIC_RELAXED);
    if (what == full_empty::readFE) set_empty(s, word, state);
    s.lock.unlock();
    return;
  } else if (waits_plainly(current_task())) {
    static_assert(sizeof(full_empty_waiter) <= sizeof f.bytes);
    auto* me = new (f.bytes) full_empty_waiter;
    me->wants = what;
    me->place = value;
    me->next = me->previous = me;
    me->linked = me->only_listed = true;
    me->word = word;
    me->other_word = nullptr;
    state->waited_for = me;
    return suspend({wait_kind::full_word, word}, &unlock_stripe, &s.lock);
  } else {
    s.lock.unlock();
  }
  operate(what, word, value, never);
}

HOCKET_NOINLINE void write(full_empty what, std::uint64_t* word, std::uint64_t* value) {
  if (HOCKET_LIKELY(what == full_empty::writeEF)) {
    stripe& s = stripe_of(word);
    s.lock.lock();
    block_state* state = find(s, block_of(word));
    if (HOCKET_LIKELY(state != nullptr && (state->empty & bit_of(word)) != 0)) {
      full_empty_waiter* w = state->waited_for;
      if (w == nullptr) {
        __atomic_store_n(word, *value, __ATOMIC_RELAXED);
        set_full(s, word, state);
        s.lock.unlock();
        return;
      }
      // One task waits for the value, alone and without a limit: it, and perhaps the worker, go over at once.
      if (w->word == word && w->other_word == nullptr && w->next == w && w->only_listed &&
          w->wants == full_empty::readFE) {
        state->waited_for = nullptr;
        __atomic_store_n(word, *value, __ATOMIC_RELAXED);
        *static_cast<std::uint64_t*>(w->place) = *value;
        real_task* reader = w->who.task;
        s.lock.unlock();
        return hand_worker_to(reader);
      }
    }
    s.lock.unlock();
  }
  operate(what, word, value, never);
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
  const block_state* state = find(s, block_of(word));
  return state == nullptr || (state->empty & bit_of(word)) == 0;
}

/// Words that are empty, and those that are full and waited for.
static std::size_t words_in(const block_state& state) {
  auto n = static_cast<std::size_t>(__builtin_popcount(state.empty));
  for (const full_empty_waiter* w = state.waited_for; w != nullptr; w = w->other_word)
    n += (state.empty & bit_of(w->word)) == 0;
  return n;
}

std::size_t full_empty_entries() {
  std::size_t n = 0;
  for (stripe& s : table) {
    const std::lock_guard g(s.lock);
    for (const entry& e : s.at) n += words_in(e.state);
    if (s.more == nullptr) continue;
    for (const auto& [block, state] : *s.more) n += words_in(state);
  }
  return n;
}

}  // namespace hocket::detail
