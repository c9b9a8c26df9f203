// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wheels: level 0 has a slot a tick, each level above a slot for 64 of the level below. A timer lies at
// the level of the highest group of bits in which its tick differs from the wheel's; so all timers of a level
// come after all of the levels below, and a slot's timers move down when the wheel reaches it.
#include "sched/timers.hpp"

#include <algorithm>
#include <bit>
#include <mutex>

#include "base/clock.hpp"
#include "sched/park.hpp"
#include "sched/real_task.hpp"

namespace hocket::detail {
namespace {
/// A slot with more timers than this is not searched for its first one: expire() comes when the slot begins.
constexpr unsigned most_searched = 16;
}  // namespace

timer_wheel::timer_wheel() : base_(tick_of(now_ns())) {}

void timer_wheel::insert(timer* t) {
  // The farthest slot holds all that lies beyond; they are inserted anew when it is reached.
  const std::uint64_t farthest = base_ + (std::uint64_t{1} << (levels * slot_bits - 1));
  const std::uint64_t tick = std::min(std::max(tick_of(t->due), base_), farthest);
  const auto differ = static_cast<unsigned>(std::bit_width(tick ^ base_));
  const unsigned level = std::min(differ == 0 ? 0 : (differ - 1) / slot_bits, levels - 1);
  const auto slot = static_cast<unsigned>(tick >> (level * slot_bits)) % slots;
  t->place = static_cast<std::uint16_t>(level * slots + slot);
  t->previous = nullptr;
  t->next = first_[level][slot];
  if (t->next != nullptr) t->next->previous = t;
  first_[level][slot] = t;
  used_[level] |= std::uint64_t{1} << slot;
}

void timer_wheel::take_off(timer* t) {
  const unsigned level = t->place / slots, slot = t->place % slots;
  (t->previous != nullptr ? t->previous->next : first_[level][slot]) = t->next;
  if (t->next != nullptr) t->next->previous = t->previous;
  if (first_[level][slot] == nullptr) used_[level] &= ~(std::uint64_t{1} << slot);
}

/// The earliest slot that is not empty: the lowest level's first one after the wheel's own position.
bool timer_wheel::first_slot(unsigned& level, unsigned& slot) const {
  for (level = 0; level < levels; ++level) {
    if (used_[level] == 0) continue;
    const auto here = static_cast<int>((base_ >> (level * slot_bits)) % slots);
    slot = (static_cast<unsigned>(std::countr_zero(std::rotr(used_[level], here))) + static_cast<unsigned>(here)) %
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
    unsigned seen = 0;
    for (const timer* t = first_[level][slot]; t != nullptr && seen <= most_searched; t = t->next, ++seen) {
      first = std::min(first, t->due);
    }
    if (seen > most_searched && level > 0) {
      first = static_cast<deadline>(std::max(base_, start_of(level, slot)) << tick_bits);
    } else if (seen > most_searched) {
      for (const timer* t = first_[level][slot]; t != nullptr; t = t->next) first = std::min(first, t->due);
    }
  }
  next_.store(first, std::memory_order_release);
}

bool timer_wheel::add(timer* t) {
  const std::lock_guard lock(lock_);
  insert(t);
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

expired timer_wheel::expire(deadline now) {
  expired e;
  timer* last_start = nullptr;
  const std::lock_guard lock(lock_);
  const std::uint64_t target = std::max(base_, tick_of(now));
  unsigned level, slot;
  while (first_slot(level, slot)) {
    const std::uint64_t start = start_of(level, slot);
    if (start > target) break;
    base_ = std::max(base_, start);
    timer* rest = first_[level][slot];
    first_[level][slot] = nullptr;
    used_[level] &= ~(std::uint64_t{1} << slot);
    bool stays = false;
    while (rest != nullptr) {
      timer* t = rest;
      rest = t->next;
      if (rest != nullptr) __builtin_prefetch(rest);
      if (t->due > now) {
        insert(t);
        stays = true;
        continue;
      }
      t->pending = false;
      pending_.store(pending_.load(std::memory_order_relaxed) - 1, std::memory_order_release);
      if (t->wakes != nullptr) {
        real_task* ready = nullptr;
        fire(t->wakes, wake::timed_out, ready);  // then neither the timer nor what it wakes is touched
        if (ready == nullptr) continue;
        ready->link = nullptr;
        (e.last_ready == nullptr ? e.ready : e.last_ready->link) = ready;
        e.last_ready = ready;
      } else {
        t->next = nullptr;
        (last_start == nullptr ? e.starts : last_start->next) = t;
        last_start = t;
      }
    }
    if (stays && base_ == target && level == 0) break;  // the rest of this tick is not due yet
  }
  if (!first_slot(level, slot) || start_of(level, slot) > target) base_ = target;
  set_next();
  return e;
}

}  // namespace hocket::detail
