// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model of sleeping and waking: the main task's deque, its forks and joins, and exposing.
#include "sleep_submit.h"

namespace models::sleeping {

// expose_children of the main task; then on with the next victim.
const char* sleep_submit::exposing(state& n, int t) const {
  state::thread_state& me = n.thread[t];
  const auto leave = [&] {
    me.v = 0;
    me.pc = at::look_victim;
    if (++me.index >= how_.workers) go(me, at::nothing);
  };
  switch (me.pc) {
    case at::expose_ts:
      me.v = n.shared.load(t, ts);
      me.pc = at::expose_head;
      return "expose: ts.load";
    case at::expose_head:
      if (n.shared.load(t, head) <= word::of(me.v).split)
        leave();
      else
        me.pc = at::expose_lim;
      return "expose: head.load";
    case at::expose_lim:
      n.shared.store(t, lim, always);
      me.pc = at::expose_fence;
      return "expose: lim.store(ALWAYS)";
    case at::expose_fence:
      n.shared.drain_all();
      me.pc = at::expose_cas;
      return "expose: heavy fence";
    default: {
      const std::uint8_t h = n.shared.load(t, head);
      word w = word::of(me.v);
      std::uint8_t& memory = rmw(n, t, ts);
      const bool exposed = h > w.split && memory == me.v;
      if (exposed) {
        w.split += (h - w.split + 1) / 2;
        memory = w.pack();
        me.v = 0;
        me.pc = at::look_victim;
      } else {
        leave();
      }
      return exposed ? "expose: CAS(ts) succeeds" : "expose: no more";
    }
  }
}

sleep_submit::word sleep_submit::slow_target(const state& s, word v) {
  const int i = s.depth;  // the slot that is forked or joined
  if (s.slow_join == 0) return {v.tail, v.split + (i + 2 - v.split) / 2, v.epoch + 1};
  if (i >= v.split) return {v.tail, v.split + (i - v.split + 1) / 2, v.epoch + 1};
  return {v.tail, v.tail + (i - v.tail) / 2, v.epoch + 1};
}

const char* sleep_submit::forking(state& n) const {
  state::thread_state& me = n.thread[0];
  const int i = n.depth;
  switch (me.pc) {
    case at::fork_lim: {
      const bool slow = i < n.shared.load(0, lim);
      if (slow)
        go(me, at::slow_ts);
      else if (how_.head_after_lim)
        go(me, at::fork_head);
      else
        ++n.depth, go(me, at::program);
      return slow ? "fork: lim.load, slow" : "fork: lim.load, fast";
    }
    case at::fork_head:
      n.shared.store(0, head, i + 1, true);
      if (!how_.head_after_lim) {
        go(me, at::fork_lim);
      } else {
        ++n.depth;
        // me.v: fork_slow stores head as well, and wakes
        if (me.v != 0)
          wake_then(me, at::program);
        else
          go(me, at::program);
        me.v = 0;
      }
      return "fork: head.store(i + 1)";
    case at::slow_ts:
      me.v = n.shared.load(0, ts);
      if (n.slow_join != 0 && i < word::of(me.v).tail) {
        me.v = 0;
        n.joining = 1;
        go(me, at::join_wait);
      } else {
        go(me, at::slow_lim);
      }
      return "slow: ts.load";
    case at::slow_lim: {
      const word to = slow_target(n, word::of(me.v));
      n.shared.store(0, lim, to.tail == to.split ? always : to.split);
      go(me, at::slow_cas);
      return "slow: lim.store";
    }
    case at::slow_cas: {
      std::uint8_t& memory = rmw(n, 0, ts);
      if (memory != me.v) {
        go(me, at::slow_ts);
        me.v = 0;
        return "slow: CAS(ts) fails";
      }
      const word from = word::of(me.v), to = slow_target(n, from);
      memory = to.pack();
      me.v = 0;
      if (n.slow_join == 0) {
        if (how_.head_after_lim) {
          me.v = 1;
          go(me, at::fork_head);
        } else {
          ++n.depth;
          wake_then(me, at::program);
        }
        return "slow: CAS(ts) succeeds";
      }
      n.slow_join = 0;
      if (i >= from.split && to.split != from.split)
        wake_then(me, at::program);
      else
        go(me, to.tail == to.split || how_.join_drops_request ? at::program : at::keep_load);
      return "slow: CAS(ts) succeeds; the child runs inline";
    }
    case at::keep_load:
      go(me, n.shared.load(0, sleeping) != 0 ? at::keep_store : at::program);
      return "slow join: does somebody sleep?";
    default:
      n.shared.store(0, lim, always);
      go(me, at::program);
      return "slow join: lim.store(ALWAYS), the request stays";
  }
}

const char* sleep_submit::joining(state& n) const {
  state::thread_state& me = n.thread[0];
  const int i = n.depth;
  switch (me.pc) {
    case at::join_head:
      n.shared.store(0, head, i);
      go(me, at::join_lim);
      return "join: head.store(i)";
    case at::join_lim: {
      const bool slow = i < n.shared.load(0, lim);
      if (!slow) n.slow_join = 0;
      go(me, slow ? at::slow_ts : at::program);
      return slow ? "join: lim.load, slow" : "join: lim.load, fast; the child runs inline";
    }
    case at::join_wait:
      if (n.child_ended[i] == 0) return nullptr;
      n.joining = n.slow_join = 0;
      go(me, at::reset_ts);
      return "join: the stolen child has ended";
    case at::reset_ts:
      n.shared.store(0, ts, word{i, i, word::of(n.shared.load(0, ts)).epoch + 1}.pack(), true);
      go(me, at::reset_lim);
      return "join: ts.store({i, i, epoch + 1})";
    default:
      n.shared.store(0, lim, always);
      go(me, at::program);
      return "join: lim.store(ALWAYS)";
  }
}

}  // namespace models::sleeping
