// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thief's half of the split deque's model: steal and expose.
#pragma once
#include "split_deque.h"

namespace models {

inline void split_deque::start(state& n, int slot, std::uint8_t closure) const {
  child& c = n.ghost[slot];
  if (c == child::none)
    n.broken = ran_free;
  else if (c != child::forked)
    n.broken = ran_twice;
  else if (closure != 1)
    n.broken = stale_closure;
  c = child::started;
}

inline void split_deque::look_for_work(thief_state& me, std::uint8_t v) const {
  const word w = word::of(v);
  me = {};
  if (w.tail >= w.split) {
    me.pc = at::steal_request;
    return;
  }
  me.v = v;
  me.pc = at::steal_cas;
  if (how_.read_before_cas) me.seen = static_cast<std::uint8_t>(w.tail), me.pc = at::steal_read;
}

inline void split_deque::end_child(state& n, int slot) const {
  if (n.ghost[slot] == child::started) n.ghost[slot] = child::finished;
  std::uint8_t& word_of_slot = n.shared.memory[state0 + slot];
  if ((word_of_slot == waiting || word_of_slot == waiting_taken) && n.owner.pc == at::parked &&
      n.owner.depth == slot) {
    go_on_after_wait(n.owner);  // resumes the owner
    settle(n, 0);
  }
  word_of_slot = ended;
}

// Whoever runs what the owner gave away: one worker for each child.
template <class E>
void split_deque::runner_steps(const state& s, E emit) const {
  for (int i = 0; i < slots_; ++i) {
    if (s.given[i] == runner::none) continue;
    const bool starts = s.given[i] == runner::about_to_start;
    state n = s;
    n.given[i] = starts ? runner::running : runner::none;
    if (starts)
      start(n, i, n.shared.memory[data0 + i]);
    else
      end_child(n, i);
    emit(n, threads, starts ? "start the given child" : "the given child ends, state.exchange(DONE)");
  }
}

// The one store of a thief is the request, lim = ALWAYS.
inline bool split_deque::thief_stores(state& n, int k) const {
  thief_state& me = n.thief[k];
  at next;
  switch (me.pc) {
    case at::steal_more:
      next = how_.no_claim ? at::steal_read : at::steal_claim;
      break;
    case at::steal_request:
      next = at::idle;
      break;
    case at::expose_lim:
      next = how_.ts_after_lim ? at::expose_ts : at::expose_barrier;
      break;
    default:
      return false;
  }
  if (n.shared.full(k + 1, thief_capacity)) return false;
  n.shared.store(k + 1, lim, always);
  me.pc = next;
  return true;
}

template <class E>
void split_deque::thief_steps(const state& s, int k, E emit) const {
  const thief_state& t = s.thief[k];
  const int who = k + 1;
  const auto load = [&](int variable) { return s.shared.load(who, variable); };
  const auto step = [&](const char* text, auto change) {
    state n = s;
    change(n, n.thief[k]);
    emit(n, who, text);
  };
  switch (t.pc) {
    case at::idle:
      if (s.owner.pc == at::stopped) step("stop", [&](state&, thief_state& me) { me.pc = at::stopped; });
      {
        const word w = word::of(load(ts));
        step(w.tail < w.split ? "steal: v = ts.load" : "steal: nothing shared, lim.store(ALWAYS)",
             [&](state&, thief_state& me) { look_for_work(me, load(ts)); });
      }
      if (how_.ts_after_lim || how_.ts_after_head)
        step("expose: lim.store(ALWAYS)", [&](state&, thief_state& me) { me.pc = at::expose_lim; });
      else
        step("expose: v = ts.load, lim.store(ALWAYS)",
             [&](state&, thief_state& me) { me.v = load(ts), me.pc = at::expose_lim; });
      break;
    case at::steal_cas: {
      state n = s;
      thief_state& me = n.thief[k];
      n.shared.drain(who);
      if (n.shared.memory[ts] != t.v) {
        look_for_work(me, n.shared.memory[ts]);
        emit(n, who, "steal: CAS(ts) fails");
        break;
      }
      word w = word::of(t.v);
      const int slot = w.tail++;
      const bool last = w.tail == w.split;
      n.shared.memory[ts] = w.pack();
      me = {};
      me.seen = static_cast<std::uint8_t>(slot);
      me.pc = last ? at::steal_more : how_.no_claim ? at::steal_read : at::steal_claim;
      if (how_.read_before_cas) me.pc = at::run_end, start(n, slot, t.copy);
      emit(n, who, last ? "steal: CAS(ts) takes the last, lim.store(ALWAYS)" : "steal: CAS(ts) takes one");
      break;
    }
    case at::steal_claim:
      step("steal: CAS(state, queued, taken)", [&](state& n, thief_state& me) {
        n.shared.drain(who);
        std::uint8_t& word_of_slot = n.shared.memory[state0 + t.seen];
        // Claimed, or its parent waits for it and found it not taken.
        const bool mine = word_of_slot == queued || word_of_slot == waiting;
        if (word_of_slot == queued) word_of_slot = taken;
        me.pc = mine ? at::steal_read : at::steal_pass;
      });
      break;
    case at::steal_pass:
      step("steal: it was given away, passes.fetch_add(1)", [&](state& n, thief_state& me) {
        n.shared.drain(who);
        if (!how_.no_accounting) ++n.shared.memory[passes];
        me = {};
      });
      break;
    case at::steal_read:
      step("steal: read slot.data, start the child", [&](state& n, thief_state& me) {
        const std::uint8_t closure = load(data0 + t.seen);
        me.pc = how_.read_before_cas ? at::steal_cas : at::run_end;
        if (how_.read_before_cas)
          me.copy = closure;
        else
          start(n, t.seen, closure);
      });
      break;
    case at::run_end:
      step("the child ends, state.exchange(DONE)", [&](state& n, thief_state& me) {
        n.shared.drain(who);
        end_child(n, t.seen);
        me = {};
      });
      break;
    case at::expose_ts:
      step("expose: v = ts.load",
           [&](state&, thief_state& me) { me.v = load(ts), me.pc = at::expose_barrier; });
      break;
    case at::expose_barrier:
      step("expose: membarrier", [&](state& n, thief_state& me) {
        n.shared.drain(who);
        if (how_.membarrier_to_owner)
          n.shared.drain(0);
        else if (!how_.no_membarrier)
          n.shared.drain_all();
        me.pc = at::expose_head;
        for (int w = 0; w < threads; ++w) settle(n, w);  // buffers have room again
      });
      break;
    case at::expose_head:
      step("expose: h = head.load", [&](state&, thief_state& me) {
        me.seen = load(head);
        me.pc = how_.ts_after_head ? at::expose_late_ts : at::expose_cas;
        if (me.pc == at::expose_cas && me.seen <= word::of(me.v).split) me = {};
      });
      break;
    case at::expose_late_ts:
      step("expose: v = ts.load", [&](state&, thief_state& me) {
        me.v = load(ts);
        me.pc = at::expose_cas;
        if (me.seen <= word::of(me.v).split) me = {};
      });
      break;
    case at::expose_cas: {
      state n = s;
      n.shared.drain(who);
      word w = word::of(t.v);
      const bool success = n.shared.memory[ts] == t.v;
      if (success) {
        w.split += (t.seen - w.split + 1) / 2;
        w.epoch = next_epoch(w.epoch, how_.epoch_expose);
        n.shared.memory[ts] = w.pack();
      }
      n.thief[k] = {};
      emit(n, who, success ? "expose: CAS(ts) succeeds" : "expose: CAS(ts) fails");
      break;
    }
    default:
      break;
  }
}

}  // namespace models
