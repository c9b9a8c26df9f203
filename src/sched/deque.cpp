// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The deque of forked children: sharing, joining what is shared, stealing, exposing.
//
// The rule that makes the fenceless fast path right: whatever the owner stores to `lim` but `always` is
// stored BEFORE a successful compare-and-swap of `ts` that raises the epoch; if none succeeds, `always` is
// stored last. A thief that exposes reads ts first, sets lim to `always`, makes a heavy fence, and then reads
// head: if its compare-and-swap finds ts unchanged, no slow step of the owner came between, and every fast
// one is in the head that it read.
#include "sched/deque.hpp"

#include <exception>
#include <utility>

#include "base/cpu_pause.hpp"
#include "base/fences.hpp"
#include "context/stack_arena.hpp"
#include "sched/depot.hpp"
#include "sched/kernel.hpp"
#include "sched/real_task.hpp"
#include "sched/scheduler.hpp"
#include "sched/worker.hpp"

namespace hocket::detail {
namespace {

/// ts taken apart.
struct bounds {
  std::uint32_t tail, split, epoch;
};
bounds unpack(std::uint64_t v) {
  return {static_cast<std::uint32_t>(v & 0xffff), static_cast<std::uint32_t>(v >> 16 & 0xffff),
          static_cast<std::uint32_t>(v >> 32)};
}
std::uint64_t pack(std::uint32_t tail, std::uint32_t split, std::uint32_t epoch) {
  return tail | std::uint64_t{split} << 16 | std::uint64_t{epoch} << 32;
}

std::uint32_t index_in(segment* g, const slot* s) { return static_cast<std::uint32_t>(s - g->slots); }

std::uintptr_t lim_for(segment* g, std::uint32_t tail, std::uint32_t split) {
  return tail == split ? always : address(&g->slots[split]);
}

/// The owner moves the split: lim first, then ts with the next epoch. False if a thief changed ts; v is then
/// reread.
bool move_split(segment* g, std::uint64_t& v, std::uint32_t split) {
  const bounds b = unpack(v);
  g->lim.store(lim_for(g, b.tail, split), std::memory_order_relaxed);
  // release: the slots filled so far, for the thief's acquire; acquire: a thief's tail.
  return g->ts.compare_exchange_strong(v, pack(b.tail, split, b.epoch + 1), std::memory_order_acq_rel,
                                       std::memory_order_acquire);
}

/// A thief takes the slot at the tail. The slot is read only after the compare-and-swap, so nothing else can
/// be there.
slot* steal_from(segment* g) {
  std::uint64_t v = g->ts.load(std::memory_order_acquire);
  for (bounds b = unpack(v); b.tail < b.split; b = unpack(v)) {
    if (g->ts.compare_exchange_weak(v, pack(b.tail + 1, b.split, b.epoch), std::memory_order_acq_rel,
                                    std::memory_order_acquire)) {
      // The last one shared: ask for more at once. A request lost to the owner's own store is asked again.
      if (b.tail + 1 == b.split) g->lim.store(always, std::memory_order_relaxed);
      slot* s = &g->slots[b.tail];
      std::uintptr_t free = queued;
      if (s->state.compare_exchange_strong(free, taken, std::memory_order_acq_rel, std::memory_order_relaxed))
        return s;
      // Its parent waits already, and found it not taken: then by nobody but this thief.
      if (free > state_bits && (free & was_taken) == 0) return s;
      // Its parent has given it away (give_newest): on to the next. The slot is not reused before it is told
      // so.
      g->passes.fetch_add(1, std::memory_order_release);
      v = g->ts.load(std::memory_order_acquire);
    }
  }
  if (g->lim.load(std::memory_order_relaxed) != always) g->lim.store(always, std::memory_order_relaxed);
  return nullptr;
}

segment* segment_in(char* area) { return reinterpret_cast<segment*>(area + segment_offset); }

/// The spare segments above `g` but for the first go back to the worker.
void drop_spares(segment* g, worker* w, bool all) {
  segment* keep = all ? g : g->next.load(std::memory_order_relaxed);
  if (keep == nullptr) return;
  segment* s = keep->next.load(std::memory_order_relaxed);
  keep->next.store(nullptr, std::memory_order_relaxed);
  while (s != nullptr) {
    segment* above = s->next.load(std::memory_order_relaxed);
    s->next.store(nullptr, std::memory_order_relaxed);
    w->spare_segments.push_back(s);
    s = above;
  }
}

segment* take_segment(worker* w) {
  if (w->spare_segments.empty()) the_depot().take_segments(w->spare_segments);
  if (w->spare_segments.empty()) {
    std::vector<char*> areas;
    carve_areas(16, areas);
    for (char* a : areas) w->spare_segments.push_back(segment_in(a));
  }
  segment* g = w->spare_segments.back();
  w->spare_segments.pop_back();
  return g;
}

void waiter_left(void* argument, real_task* t) {
  auto* s = static_cast<slot*>(argument);
  std::uintptr_t state = s->state.load(std::memory_order_acquire);
  while (state == queued || state == taken) {  // a thief may have the slot and not have marked it yet
    // release: the saved context, for the thief that ends the child; acquire, on failure: the outcome.
    const std::uintptr_t mine = address(t) | (state == taken ? was_taken : 0);
    if (s->state.compare_exchange_weak(state, mine, std::memory_order_acq_rel, std::memory_order_acquire))
      return;
  }
  make_ready(t);
}

/// Whether the child in s, which others run, has ended.
bool is_over(const slot* s) {
  const std::uintptr_t state = s->state.load(std::memory_order_acquire);
  return state == ended || state == failed;
}

/// Waits until the stolen child in s has ended: looks a while, then suspends the task. It must not be
/// unwound: the child runs with what lies in the parent's frame.
void await(slot* s, worker* w) noexcept {
  for (unsigned i = w->kernel_->join_spins; i != 0; --i) {
    if (is_over(s)) return;
    cpu_pause();
  }
  if (!is_over(s)) suspend({wait_kind::stolen_child, s}, &waiter_left, s);
}

/// Where the split goes when the owner takes back half of what is shared below i: not below a child that it
/// has given away, which must stay shared so that its join is slow.
std::uint32_t take_back(segment* g, const bounds& b, std::uint32_t i) {
  const std::uint32_t half = b.tail + (i - b.tail) / 2;
  if (g->given != 0) {
    for (std::uint32_t j = i; j-- > half;) {
      if (g->slots[j].state.load(std::memory_order_relaxed) != queued) return j + 1;
    }
  }
  return half;
}

/// All given children of the segment lie below a thief's tail: waits for the thieves that passed them to have
/// seen it, a few instructions each. One that came late would else take the next child in such a slot for its
/// own.
void account_for_passes(segment* g) {
  if (g->given == 0) return;
  g->passed += std::exchange(g->given, 0);
  for (unsigned i = 0; g->passes.load(std::memory_order_acquire) != g->passed; ++i) back_off(i);
}

/// The end of a join of slot i, which a thief has passed or taken, and with it all below.
void restart_at(segment* g, std::uint32_t i) {
  account_for_passes(g);
  const bounds b = unpack(g->ts.load(std::memory_order_relaxed));
  // tail == split: nobody else changes ts. release as every change of ts; a store, since there is nothing to
  // lose.
  g->ts.store(pack(i, i, b.epoch + 1), std::memory_order_release);
  g->lim.store(always, std::memory_order_relaxed);
}

/// The owner has stored a lim that is not `always`, perhaps over the request of a worker that has fallen
/// asleep since: while any sleeps, every fork takes the slow path, which wakes.
void keep_request(segment* g) {
  if (g->owner->on->kernel_->anyone_sleeps()) g->lim.store(always, std::memory_order_relaxed);
}

/// Joins a child that its parent has given away; slots below it may be shared still.
void join_given(segment* g, slot* s) {
  const std::uint32_t i = index_in(g, s);
  await(s, g->owner->on);
  std::uint64_t v = g->ts.load(std::memory_order_acquire);
  while (i >= unpack(v).tail) {
    if (move_split(g, v, take_back(g, unpack(v), i))) {
      --g->given;
      keep_request(g);
      return;
    }
  }
  restart_at(g, i);
}

}  // namespace

slot* give_newest(real_task* t) {
  segment* g = t->top;
  slot* head = g->head.load(std::memory_order_relaxed);
  if (head == g->slots) return nullptr;
  slot* s = head - 1;
  const std::uint32_t i = index_in(g, s);
  std::uint64_t v = g->ts.load(std::memory_order_acquire);
  if (i < unpack(v).tail) return nullptr;
  std::uintptr_t free = queued;
  // Who changes the state from `queued` runs the child: this, or a thief that takes the slot meanwhile.
  if (!s->state.compare_exchange_strong(free, taken, std::memory_order_acq_rel, std::memory_order_relaxed))
    return nullptr;
  ++g->given;
  while (i >= unpack(v).tail) {  // keep it shared until its join, which thus is slow
    if (move_split(g, v, i + 1)) return s;
  }
  g->lim.store(always, std::memory_order_relaxed);  // a thief has passed it: no epoch of ours vouches for lim
  return s;
}

void reset_segment(segment* g, real_task* owner, segment* previous) {
  g->owner = owner;
  g->previous = previous;
  g->given = 0;
  g->head.store(g->slots, std::memory_order_relaxed);
  g->lim.store(always, std::memory_order_relaxed);
  const bounds b = unpack(g->ts.load(std::memory_order_relaxed));
  // release: a thief that sees the new bounds sees the fields above. Nobody else changes ts while tail ==
  // split.
  g->ts.store(pack(0, 0, b.epoch + 1), std::memory_order_release);
}

void share_all(segment* g) {
  const std::uint32_t n = index_in(g, g->head.load(std::memory_order_relaxed));
  std::uint64_t v = g->ts.load(std::memory_order_acquire);
  bool touched = false;
  while (unpack(v).split < n) {
    if (move_split(g, v, n)) return;
    touched = true;
  }
  // A thief exposed the rest: no epoch of ours vouches for the lim that we stored.
  if (touched) g->lim.store(always, std::memory_order_relaxed);
}

HOCKET_COLD void fork_slow(slot* s) {
  segment* g = segment_of(s);
  const std::uint32_t i = index_in(g, s);
  std::uint64_t v = g->ts.load(std::memory_order_acquire);
  for (;;) {  // share half of the private children, this one included: at least one
    const std::uint32_t split = unpack(v).split;
    if (move_split(g, v, split + (i + 2 - split) / 2)) break;
  }
  g->owner->on->kernel_->wake_one();
  end_slice(g->owner);
}

HOCKET_COLD slot* fork_overflow(slot* s) {
  segment* g = segment_of(s);
  real_task* t = g->owner;
  if (t == nullptr) throw_not_a_task("fork");
  if (t->top == g) {
    share_all(g);
    segment* above = g->next.load(std::memory_order_relaxed);
    if (above == nullptr) {
      above = take_segment(t->on);
      reset_segment(above, t, g);
      g->next.store(above, std::memory_order_release);  // pairs with steal_child
    }
    t->top = above;
    set_top_segment(above);
    t->on->kernel_->wake_one();
  }
  return t->top->slots;
}

HOCKET_NOINLINE bool join_slow(slot* s) {
  segment* g = segment_of(s);
  real_task* t = g->owner;
  if (t->top != g) {  // back from the segment above, which is empty
    t->top = g;
    set_top_segment(g);
    drop_spares(g, t->on, false);
  }
  const std::uint32_t i = index_in(g, s);
  std::uint64_t v = g->ts.load(std::memory_order_acquire);
  for (;;) {
    const bounds b = unpack(v);
    if (i < b.tail) break;  // stolen
    if (s->state.load(std::memory_order_relaxed) != queued) {
      t->on->counts.joined_stolen.bump();
      join_given(g, s);
      return true;
    }
    const bool is_private = i >= b.split;
    // A request: share half of what lies below. Shared and on top: take back half.
    const std::uint32_t split = is_private ? b.split + (i - b.split + 1) / 2 : take_back(g, b, i);
    if (move_split(g, v, split)) {
      if (is_private && split != b.split) {
        t->on->kernel_->wake_one();
      } else {
        keep_request(g);
      }
      return false;
    }
  }
  t->on->counts.joined_stolen.bump();
  await(s, t->on);
  restart_at(g, i);
  return true;
}

void rethrow_from(slot* s) {
  auto* place = std::launder(reinterpret_cast<std::exception_ptr*>(s->data));
  std::exception_ptr e(std::move(*place));
  std::destroy_at(place);
  s->state.store(queued, std::memory_order_relaxed);
  std::rethrow_exception(std::move(e));
}

bool has_children_listed(real_task* t) {
  segment* g = t->top;
  if (g != t->first()) return true;
  const slot* head = g->head.load(std::memory_order_relaxed);
  return head != g->slots && index_in(g, head) > unpack(g->ts.load(std::memory_order_relaxed)).tail;
}

slot* steal_child(real_task* victim, worker* thief) {
  // Long chains: begin where this thief last found something. A segment is never unmapped, and is a deque
  // whoever owns it now, so a stale start is harmless.
  segment* from = thief->last_victim == victim ? thief->last_segment : victim->first();
  for (int round = 0; round < 2; ++round) {
    for (segment* g = from; g != nullptr; g = g->next.load(std::memory_order_acquire)) {
      if (slot* s = steal_from(g)) {
        thief->last_victim = victim;
        thief->last_segment = g;
        return s;
      }
    }
    if (from == victim->first()) break;
    from = victim->first();
  }
  thief->last_victim = nullptr;
  return nullptr;
}

bool expose_children(real_task* victim) {
  for (segment* g = victim->first(); g != nullptr; g = g->next.load(std::memory_order_acquire)) {
    std::uint64_t v = g->ts.load(std::memory_order_acquire);
    const slot* seen = g->head.load(std::memory_order_relaxed);
    if (segment_of(seen) != g || index_in(g, seen) <= unpack(v).split) continue;  // not worth an interrupt
    g->lim.store(always, std::memory_order_relaxed);
    heavy_fence();
    const slot* head = g->head.load(std::memory_order_acquire);  // pairs with push()
    const bounds b = unpack(v);
    if (segment_of(head) != g || index_in(g, head) <= b.split) continue;
    const std::uint32_t n = index_in(g, head);
    if (g->ts.compare_exchange_strong(v, pack(b.tail, b.split + (n - b.split + 1) / 2, b.epoch),
                                      std::memory_order_acq_rel, std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

bool has_shared_child(real_task* victim) {
  for (segment* g = victim->first(); g != nullptr; g = g->next.load(std::memory_order_acquire)) {
    const bounds b = unpack(g->ts.load(std::memory_order_acquire));
    if (b.tail < b.split) return true;
  }
  return false;
}

bool has_private_child(real_task* victim) {
  for (segment* g = victim->first(); g != nullptr; g = g->next.load(std::memory_order_acquire)) {
    const slot* head = g->head.load(std::memory_order_acquire);
    if (segment_of(head) == g && index_in(g, head) > unpack(g->ts.load(std::memory_order_acquire)).split)
      return true;
  }
  return false;
}

void ask_for_children(real_task* victim) {
  for (segment* g = victim->first(); g != nullptr; g = g->next.load(std::memory_order_acquire)) {
    if (g->lim.load(std::memory_order_relaxed) != always) g->lim.store(always, std::memory_order_relaxed);
  }
}

void drop_spare_segments(real_task* t, worker* w) { drop_spares(t->first(), w, true); }

}  // namespace hocket::detail
