// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wheels: level 0 has a slot a tick, each level above a slot for 64 of the level below. A timer lies at
// the level of the highest group of bits in which its tick differs from the wheel's; so all timers of a level
// come after all of the levels below, and a slot's timers move down when the wheel reaches it.
#include "sched/timers.hpp"

#include <algorithm>
#include <bit>
#include <mutex>

#include "sched/park.hpp"
#include "sched/real_task.hpp"

namespace hocket::detail {
namespace {
/// A slot with more timers than this is not searched for its first one: expire() comes when the slot begins.
constexpr std::size_t most_searched = 256;
/// How far ahead timers are fetched: they lie in the stacks of tasks, each on a page of its own.
constexpr std::size_t ahead = 8;
}  // namespace

timer_wheel::timer_wheel(deadline now) : base_(tick_of(now)) {}

void timer_wheel::insert(entry e) noexcept {
  // The farthest slot holds all that lies beyond; they are inserted anew when it is reached.
  const std::uint64_t farthest = base_ + (std::uint64_t{1} << (levels * slot_bits - 1));
  const std::uint64_t tick = std::min(std::max(tick_of(e.due), base_), farthest);
  const auto differ = static_cast<unsigned>(std::bit_width(tick ^ base_));
  const unsigned level = std::min(differ == 0 ? 0 : (differ - 1) / slot_bits, levels - 1);
  const auto slot = static_cast<unsigned>(tick >> (level * slot_bits)) % slots;
  slot_list& list = at_[level][slot];
  e.t->place = static_cast<std::uint16_t>(level * slots + slot);
  e.t->index = static_cast<std::uint32_t>(list.size());
  list.push_back(e);
  used_[level] |= std::uint64_t{1} << slot;
}

void timer_wheel::take_off(timer* t) {
  const unsigned level = t->place / slots, slot = t->place % slots;
  slot_list& list = at_[level][slot];
  if (t->index + 1 != list.size()) {  // the last one takes its place
    list[t->index] = list.back();
    list[t->index].t->index = t->index;
  }
  list.pop_back();
  if (list.empty()) used_[level] &= ~(std::uint64_t{1} << slot);
}

/// The earliest slot that is not empty: the lowest level's first one after the wheel's own position.
bool timer_wheel::first_slot(unsigned& level, unsigned& slot) const {
  for (level = 0; level < levels; ++level) {
    if (used_[level] == 0) continue;
    const auto here = static_cast<int>((base_ >> (level * slot_bits)) % slots);
    slot = (static_cast<unsigned>(std::countr_zero(std::rotr(used_[level], here))) +
            static_cast<unsigned>(here)) %
           slots;
    return true;
  }
  return false;
}

/// The tick at which a slot begins; only the top level can wrap.
std::uint64_t timer_wheel::start_of(unsigned level, unsigned slot) const {
  const unsigned shift = level * slot_bits;
  const std::uint64_t turn = base_ >> (shift + slot_bits);
  const std::uint64_t start = ((turn << slot_bits) | slot) << shift;
  const bool wrapped = level == levels - 1 && slot < (base_ >> shift) % slots;
  return wrapped ? start + (std::uint64_t{1} << (shift + slot_bits)) : start;
}

void timer_wheel::set_next() {
  unsigned level, slot;
  deadline first = never;
  if (first_slot(level, slot)) {
    const slot_list& list = at_[level][slot];
    if (level == 0 || list.size() <= most_searched) {
      for (const entry& e : list) first = std::min(first, e.due);
    } else {
      first = static_cast<deadline>(std::max(base_, start_of(level, slot)) << tick_bits);
    }
    if (level == levels - 1) {  // it may hold timers from beyond: those of later slots may be due before them
      const std::uint64_t end = start_of(level, slot) + (std::uint64_t{1} << (level * slot_bits));
      first = std::min(first, static_cast<deadline>(end << tick_bits));
    }
  }
  next_.store(first, std::memory_order_release);
}

bool timer_wheel::add(timer* t) {
  const std::lock_guard lock(lock_);
  insert({t->due, t});
  t->pending = true;
  pending_.store(pending_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  if (t->due >= next_.load(std::memory_order_relaxed)) return false;
  next_.store(t->due, std::memory_order_release);
  return true;
}

bool timer_wheel::remove(timer* t) {
  const std::lock_guard lock(lock_);
  if (!t->pending) return false;
  take_off(t);
  t->pending = false;
  pending_.store(pending_.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  // `next_` may now be too early: then expire() finds nothing due, and corrects it.
  if (pending_.load(std::memory_order_relaxed) == 0) next_.store(never, std::memory_order_release);
  return true;
}

/// Takes what it needs of the timer before it fires: afterwards it may be gone.
void timer_wheel::expire_one(const entry& e, expired& out) {
  timer* t = e.t;
  t->pending = false;
  pending_.store(pending_.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  if (t->wakes == nullptr) {
    t->next = nullptr;
    (out.last_start == nullptr ? out.starts : out.last_start->next) = t;
    out.last_start = t;
    return;
  }
  real_task* ready = nullptr;
  fire(t->wakes, wake::timed_out, ready);
  if (ready == nullptr) return;
  ready->link = nullptr;
  (out.last_ready == nullptr ? out.ready : out.last_ready->link) = ready;
  out.last_ready = ready;
  __builtin_prefetch(ready);  // what a switch to it looks at: the block, the deque
  __builtin_prefetch(ready->first());
}

/// A slot of a higher level has been reached: its timers move to where they belong now.
void timer_wheel::move_down(unsigned level, unsigned slot) noexcept {
  moving_.clear();
  moving_.swap(at_[level][slot]);
  used_[level] &= ~(std::uint64_t{1} << slot);
  for (std::size_t i = 0; i < moving_.size(); ++i) {
    if (i + ahead < moving_.size()) __builtin_prefetch(moving_[i + ahead].t, 1);
    insert(moving_[i]);
  }
}

/// Takes what is due out of a slot of level 0, the newest first; true if all that was due went out.
bool timer_wheel::expire_slot(unsigned slot, deadline now, std::size_t& room, expired& out) {
  slot_list& list = at_[0][slot];
  bool all = true;
  for (std::size_t i = list.size(); i-- > 0;) {
    if (list[i].due > now) continue;
    all = room != 0;
    if (!all) break;
    --room;
    if (i >= ahead) __builtin_prefetch(list[i - ahead].t, 1);
    const entry e = list[i];
    if (i + 1 != list.size()) {
      list[i] = list.back();
      list[i].t->index = static_cast<std::uint32_t>(i);
    }
    list.pop_back();
    expire_one(e, out);
  }
  if (list.empty()) used_[0] &= ~(std::uint64_t{1} << slot);
  return all;
}

expired timer_wheel::expire(deadline now) {
  expired out;
  std::size_t room = most_at_once;
  const std::lock_guard lock(lock_);
  const std::uint64_t target = std::max(base_, tick_of(now));
  bool all = true;
  unsigned level, slot;
  while (all && first_slot(level, slot) && start_of(level, slot) <= target) {
    base_ = std::max(base_, start_of(level, slot));
    if (level > 0) {
      move_down(level, slot);
      continue;
    }
    all = expire_slot(slot, now, room, out);
    if (base_ == target) break;  // what is left in this tick is not due yet
  }
  if (all && (!first_slot(level, slot) || start_of(level, slot) > target)) base_ = target;
  if (all) {
    set_next();
  } else {
    next_.store(0, std::memory_order_release);  // there is more that is due, and need not be searched
  }
  return out;
}

}  // namespace hocket::detail
