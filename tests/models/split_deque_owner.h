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
  if (o.why == slow::give || o.why == slow::give_in_join) return {v.tail, i, next_epoch(v.epoch, true)};
  if (o.why == slow::join && i >= v.split)
    return {v.tail, v.split + half(i - v.split), next_epoch(v.epoch, how_.epoch_private)};
  // take_back() has chosen
  return {v.tail, o.target == always ? v.tail : o.target, next_epoch(v.epoch, how_.epoch_shared)};
}

// Half of what is shared below the joined slot, but no child that was given away: its join must be slow.
inline int split_deque::take_back(const state& s, word v) const {
  const int half = v.tail + (s.owner.depth - v.tail) / 2;
  if (s.owner.given != 0 && !how_.take_back_all)
    for (int j = s.owner.depth; j-- > half;)
      if (s.shared.load(0, state0 + j) != queued) return j + 1;
  return half;
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
    o.v = o.target = 0;
    o.pc = at::wait;
    return;
  }
  if (o.why == slow::join && o.pc != at::join_state) {
    o.pc = at::join_state;
    return;
  }
  if (o.why == slow::join_given && o.depth < v.tail) {
    o.v = o.target = 0;
    o.why = slow::join;
    go_on_after_wait(o);
    return;
  }
  if ((o.why == slow::give || o.why == slow::give_in_join) && o.depth - 1 < v.tail) {
    o.v = 0, o.pc = at::reset_lim;  // a thief has passed it: no change of ts vouches for lim
    return;
  }
  if (o.why == slow::join_given || (o.why == slow::join && o.depth < v.split)) {
    const int split = take_back(s, v);
    o.target = static_cast<std::uint8_t>(split == v.tail ? always : split);
    o.pc = how_.lim_after_cas ? at::slow_cas : at::slow_lim;
    return;
  }
  const word n = wanted(o);
  const bool nothing_shared = o.why == slow::join && n.split == n.tail;
  o.target = static_cast<std::uint8_t>(nothing_shared ? always : n.split);
  o.pc = how_.lim_after_cas ? at::slow_cas : at::slow_lim;
}

// The child is the runner's from now on.
inline void split_deque::finish_give(state& s) const {
  owner_state& o = s.owner;
  s.given[o.depth - 1] = runner::about_to_start;
  const bool in_join = o.why == slow::give_in_join;
  o.why = in_join ? slow::join_given : slow::none;
  o.v = o.target = 0;
  o.pc = in_join ? at::wait : at::ready;
}

inline void split_deque::end_given_join(state& s) const {
  owner_state& o = s.owner;
  if (s.ghost[o.depth] != child::finished) s.broken = early_join;
  forget(s);
  --o.given;
  o.why = slow::none;
  o.v = o.target = 0;
  o.pc = at::ready;
}

inline void split_deque::go_on_after_wait(owner_state& o) const {
  o.pc = o.why == slow::join_given ? at::given_load : o.given != 0 ? at::account : at::restart_load;
}

inline void split_deque::finish_slow(state& s) const {
  owner_state& o = s.owner;
  if (o.why == slow::give || o.why == slow::give_in_join) return finish_give(s);
  if (o.why == slow::join_given) return end_given_join(s);
  const slow why = o.why;
  if (how_.join_ignores_lim && o.target != always && o.target != 0) o.split_copy = o.target;
  o.why = slow::none;
  o.v = o.target = 0;
  o.pc = why == slow::fork && !how_.head_before_lim ? at::fork_head : at::ready;
  if (why == slow::fork && how_.head_before_lim) ++o.depth;
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
      return store(state0 + i, queued, false,
                   how_.head_before_slot  ? at::ready
                   : how_.head_before_lim ? at::fork_head
                                          : at::fork_lim);
    case at::fork_head:
      if (how_.head_before_lim) return store(head, i + 1, true, at::fork_lim);
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
      if (o.why == slow::give || o.why == slow::give_in_join) {
        store(lim, always, false, at::ready);
        finish_give(n);
        return true;
      }
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
        if (how_.give)
          step("give the newest: v = ts.load", [&](state&, owner_state& o) {
            if (i - 1 >= word::of(load(ts)).tail) o.v = load(ts), o.why = slow::give, o.pc = at::give_claim;
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
             o.pc = !fast ? at::slow_load : how_.head_before_lim ? at::ready : at::fork_head;
             if (fast && how_.head_before_lim) ++o.depth;
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
    case at::join_state:
      step("slow: slot.state.load", [&](state& n, owner_state& o) {
        if (load(state0 + i) == queued) return decide(n);
        o.why = slow::join_given;
        o.v = o.target = 0;
        o.pc = at::wait;
      });
      break;
    case at::give_claim:
      step("give: CAS(state, queued, taken)", [&](state& n, owner_state& o) {
        n.shared.drain(0);
        std::uint8_t& word_of_slot = n.shared.memory[state0 + i - 1];
        const bool in_join = o.why == slow::give_in_join;
        if (word_of_slot == queued) {
          word_of_slot = taken;
          ++o.given;
          decide(n);
          return;
        }
        o.v = 0;
        o.why = in_join ? slow::join_given : slow::none;
        o.pc = in_join ? at::wait : at::ready;
      });
      break;
    case at::given_load:
      step("join of a given child: v = ts.load",
           [&](state& n, owner_state& o) { o.v = load(ts), decide(n); });
      break;
    case at::account:
      // The model's `passes` is the code's passes - passed.
      if (how_.no_accounting || load(passes) == s.owner.given)
        step("restart: passes is as it should be", [&](state& n, owner_state& o) {
          n.shared.memory[passes] = 0;
          o.given = 0;
          o.pc = at::restart_load;
        });
      break;
    case at::restart_load:
      step("restart: v = ts.load", [&](state&, owner_state& o) { o.v = load(ts), o.pc = at::reset_ts; });
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
        step("stolen: DONE", [&](state&, owner_state& o) { go_on_after_wait(o); });
      else if (how_.waiter_plain)
        step("stolen: state.store(waiter), suspend",
             [&](state&, owner_state& o) { o.pc = at::waiter_store; });
      else
        step("stolen: CAS(state, waiter)", [&](state& n, owner_state& o) {
          n.shared.drain(0);
          std::uint8_t& word_of_slot = n.shared.memory[state0 + i];
          if (word_of_slot != queued && word_of_slot != taken) return;
          word_of_slot = word_of_slot == taken && !how_.waiter_unmarked ? waiting_taken : waiting;
          o.pc = at::parked;
        });
      if (how_.give && s.owner.why == slow::join_given && i > 0)
        step("join of a given child: give the newest: v = ts.load", [&](state&, owner_state& o) {
          if (i - 1 >= word::of(load(ts)).tail)
            o.v = load(ts), o.why = slow::give_in_join, o.pc = at::give_claim;
        });
      break;
    default:
      break;  // parked: the thief's exchange wakes the owner
  }
}

}  // namespace models
