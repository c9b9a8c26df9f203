// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The owner's half of the split deque's model: fork, join and publish, with their slow paths.
#pragma once
#include "split_deque.h"

namespace models {

// ---- ghost state
// The owner runs child `depth` itself; as far as the deque goes this is one step.
inline void split_deque::run_inline(state& s) const {
  const child c = s.ghost[s.owner.depth];
  if (c != child::forked) s.broken = c == child::none ? ran_free : lost_inline;
  forget(s);
  s.owner.pc = at::ready;
}

// The slot is free again: its closure becomes a dead value wherever a copy of it is.
inline void split_deque::forget(state& s) const {
  const int i = s.owner.depth;
  s.ghost[i] = child::none;
  s.shared.forget(data0 + i, 0);
  for (thief_state& t : s.thief)
    if (how_.read_before_cas && t.pc == at::steal_cas && word::of(t.v).tail == i) t.copy = 0;
}

// ---- slow paths
inline split_deque::word split_deque::wanted(const owner_state& o) const {
  const word v = word::of(o.v);
  const int i = o.depth;
  const auto half = [](int n) { return (n + 1) / 2; };
  switch (o.why) {
    case slow::fork:
      return {v.tail, v.split + half(i + 1 - v.split), next_epoch(v.epoch, how_.epoch_fork)};
    case slow::publish:
      return {v.tail, i, next_epoch(v.epoch, how_.epoch_publish)};
    default:
      break;
  }
  if (i >= v.split) return {v.tail, v.split + half(i - v.split), next_epoch(v.epoch, how_.epoch_private)};
  return {v.tail, v.tail + (i - v.tail) / 2, next_epoch(v.epoch, how_.epoch_shared)};
}

// Chooses the next step from the value v of ts; a failed CAS comes back here.
inline void split_deque::decide(state& s) const {
  owner_state& o = s.owner;
  const word v = word::of(o.v);
  if (o.why == slow::publish && v.split >= o.depth) {
    // lim may hold what was stored for a CAS that failed.  No change of ts vouches for it: it must become
    // ALWAYS.
    if (o.target == 0 || how_.publish_keeps_lim)
      finish_slow(s);
    else
      o.v = 0, o.pc = at::reset_lim;
    return;
  }
  if (o.why == slow::join && o.depth < v.tail) {
    o.pc = at::wait;
    return;
  }
  const word n = wanted(o);
  const bool nothing_shared = o.why == slow::join && n.split == n.tail;
  o.target = static_cast<std::uint8_t>(nothing_shared ? always : n.split);
  o.pc = how_.lim_after_cas ? at::slow_cas : at::slow_lim;
}

inline void split_deque::finish_slow(state& s) const {
  owner_state& o = s.owner;
  const slow why = o.why;
  if (how_.join_ignores_lim && o.target != always && o.target != 0) o.split_copy = o.target;
  o.why = slow::none;
  o.v = o.target = 0;
  o.pc = why == slow::fork ? at::fork_head : at::ready;
  if (why == slow::join) run_inline(s);
}

// ---- stores; false: the next step is not a store, or the buffer is full
inline bool split_deque::owner_stores(state& n) const {
  owner_state& o = n.owner;
  const int i = o.depth;
  if (n.shared.full(0, owner_capacity)) return false;
  const auto store = [&](int variable, int value, bool release, at next) {
    n.shared.store(0, variable, value, release);
    o.pc = next;
    return true;
  };
  switch (o.pc) {
    case at::fill_data:
      return store(data0 + i, 1, false, at::fill_state);
    case at::fill_state:
      if (how_.head_before_slot) ++o.depth;
      return store(state0 + i, queued, false, how_.head_before_slot ? at::ready : at::fork_lim);
    case at::fork_head:
      if (!how_.head_before_slot) ++o.depth;
      return store(head, i + 1, !how_.head_relaxed, how_.head_before_slot ? at::fill_data : at::ready);
    case at::join_head:
      store(head, i, false, at::join_lim);
      if (how_.join_polls_first) run_inline(n);
      return true;
    case at::slow_lim:
      return store(lim, o.target, false, at::slow_cas);
    case at::slow_late_lim:
      store(lim, o.target, false, at::ready);
      finish_slow(n);
      return true;
    case at::waiter_store:
      return store(state0 + i, waiting, false, at::parked);
    case at::reset_ts:
      if (n.ghost[i] != child::finished) n.broken = early_join;
      forget(n);
      o.pc = at::reset_lim;
      if (!how_.keep_tail)
        store(ts, word{i, i, next_epoch(word::of(o.v).epoch, how_.epoch_stolen)}.pack(), !how_.reset_relaxed,
              at::reset_lim);
      o.v = 0;
      return true;
    case at::reset_lim:
      if (how_.join_ignores_lim && o.why == slow::join) o.split_copy = static_cast<std::uint8_t>(i);
      o.why = slow::none;
      o.target = 0;
      return store(lim, always, false, at::ready);
    case at::renew_head:
      return store(head, 0, false, at::renew_lim);
    case at::renew_lim:
      return store(lim, always, false, at::renew_ts);
    case at::renew_ts:
      store(ts, o.v, true, at::ready);
      o.v = 0;
      return true;
    default:
      return false;
  }
}

// ---- loads, read-modify-writes and choices
template <class E>
void split_deque::owner_steps(const state& s, E emit) const {
  const int i = s.owner.depth;
  const auto load = [&](int variable) { return s.shared.load(0, variable); };
  const auto step = [&](const char* text, auto change) {
    state n = s;
    change(n, n.owner);
    emit(n, 0, text);
  };
  switch (s.owner.pc) {
    case at::ready:
      if (i < slots_)
        step("fork: slot.data =, slot.state = 0", [&](state& n, owner_state& o) {
          n.ghost[i] = child::forked;
          o.pc = how_.head_before_slot ? at::fork_lim : at::fill_data;
        });
      if (i > 0) {
        step("join: head.store(i)", [&](state&, owner_state& o) {
          --o.depth;
          o.pc = how_.join_polls_first ? at::join_lim : at::join_head;
        });
        step("publish", [&](state&, owner_state& o) { o.pc = at::slow_load, o.why = slow::publish; });
      } else {
        // The segment goes to another task.  Plain stores: nobody can change ts while the deque is empty.
        const auto renew = [&](int epoch) {
          step("renew: head =, lim.store(ALWAYS), ts.store({0, 0, epoch + 1})", [&](state&, owner_state& o) {
            o.v = word{0, 0, epoch}.pack();
            o.pc = at::renew_head;
          });
        };
        renew(next_epoch(word::of(load(ts)).epoch, true));
        if (how_.renew_restarts)
          for (const thief_state& t : s.thief)
            if (holds_ts(t)) renew(word::of(t.v).epoch);
        step("stop", [&](state& n, owner_state& o) {
          const word w = word::of(load(ts));
          if (w.tail != w.split || load(head) != 0) n.broken = left_over;
          o.pc = at::stopped;
        });
      }
      break;
    case at::fork_lim: {
      const bool fast = how_.fork_ignores_lim || i >= load(lim);
      step(fast ? "fork: lim.load, fast, head.store(i + 1)" : "fork: lim.load, slow",
           [&](state&, owner_state& o) {
             o.pc = fast ? at::fork_head : at::slow_load;
             o.why = fast ? slow::none : slow::fork;
           });
      break;
    }
    case at::join_lim: {
      const bool fast = i >= (how_.join_ignores_lim ? s.owner.split_copy : load(lim));
      step(fast ? "join: lim.load, fast, run inline" : "join: lim.load, slow", [&](state& n, owner_state& o) {
        if (!fast) {
          if (how_.join_polls_first) n.shared.drain(0), n.shared.memory[head] = static_cast<std::uint8_t>(i);
          o.pc = at::slow_load;
          o.why = slow::join;
        } else if (how_.join_polls_first) {
          o.pc = at::join_head;
        } else {
          run_inline(n);
        }
      });
      break;
    }
    case at::slow_load:
      step("slow: v = ts.load", [&](state& n, owner_state& o) { o.v = load(ts), decide(n); });
      break;
    case at::slow_cas: {
      state n = s;
      if (how_.cas_relaxed && order_ == memory_order_model::weak)
        n.shared.drain_variable(0, ts);
      else
        n.shared.drain(0);
      const bool success = n.shared.memory[ts] == s.owner.v;
      if (success) {
        n.shared.memory[ts] = wanted(s.owner).pack();
        if (how_.lim_after_cas)
          n.owner.pc = at::slow_late_lim, n.owner.v = 0;
        else
          finish_slow(n);
      } else {
        n.owner.v = n.shared.memory[ts];
        decide(n);
      }
      emit(n, 0, success ? "slow: CAS(ts) succeeds" : "slow: CAS(ts) fails");
      break;
    }
    case at::wait:
      if (load(state0 + i) == ended)
        step("stolen: DONE, ts.store({i, i, epoch + 1})",
             [&](state&, owner_state& o) { o.pc = at::reset_ts; });
      else if (how_.waiter_plain)
        step("stolen: state.store(waiter), suspend",
             [&](state&, owner_state& o) { o.pc = at::waiter_store; });
      else
        step("stolen: CAS(state, 0, waiter)", [&](state& n, owner_state& o) {
          n.shared.drain(0);
          std::uint8_t& word_of_slot = n.shared.memory[state0 + i];
          if (word_of_slot == queued) word_of_slot = waiting, o.pc = at::parked;
        });
      break;
    default:
      break;  // parked: the thief's exchange wakes the owner
  }
}

}  // namespace models
