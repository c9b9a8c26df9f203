// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of the model of sleeping and waking: works, waking, searching, falling asleep.
#include "sleep_submit.h"

namespace models::sleeping {

const char* sleep_submit::step(state& n, int t, int choice) const {
  state::thread_state& me = n.thread[t];
  const int own_hint = hint0 + t;
  if (me.pc == at::program) return program(n, t, choice);
  if (me.pc >= at::look_begin && me.pc <= at::look_limit) return looking(n, t, choice);
  if (me.pc == at::nothing) {
    if (choice > 1) return nullptr;
    if (choice == 1) {  // patience: another round
      go(me, at::look_inject);
      return "looks again";
    }
    --rmw(n, t, searching);
    go(me, how_.look_before_raise ? at::last_inject : at::fall_flag);
    return "nothing found: searching_.fetch_sub(1)";
  }
  if (choice == 1 && me.pc == at::loop && t != 0 && how_.listed != 0) {  // run_entry: no search, no wake-up
    word w = word::of(n.shared.load(t, ts));
    if (n.main_ended != 0 || w.tail >= w.split) return nullptr;
    std::uint8_t& memory = rmw(n, t, ts);
    ++w.tail;
    memory = w.pack();
    me.child = static_cast<std::uint8_t>(w.tail);
    me.v = w.tail == w.split;  // then lim.store comes next
    go(me, me.v != 0 ? at::look_limit : at::run_child);
    return "steal_child through an entry of the queue: CAS(ts)";
  }
  if (choice != 0) return nullptr;
  if (me.pc >= at::wake_load && me.pc <= at::wake_again) return waking(n, t);
  if (me.pc >= at::expose_ts && me.pc <= at::expose_cas) return exposing(n, t);
  if (me.pc >= at::fall_flag && me.pc <= at::sleep) return falling(n, t);
  if (me.pc >= at::fork_lim && me.pc <= at::keep_store) return forking(n);
  if (me.pc >= at::join_head && me.pc <= at::reset_lim) return joining(n);
  switch (me.pc) {
    case at::publish:
      n.shared.store(t, own_hint, ++n.queue[t]);
      go(me, at::program);
      return "push, after the wake-up";
    case at::loop:
      if (n.shared.load(t, own_hint) == 0 || n.queue[t] == 0) {
        go(me, at::take);
        return "the own queue is empty";
      }
      n.shared.store(t, own_hint, --n.queue[t]);
      ++n.started;
      go(me, at::run);
      return "runs a work of its own queue";
    case at::take:
      if (n.shared.load(t, injected) == 0) {
        go(me, at::look_begin);
        return "nothing is injected";
      }
      me.v = rmw(n, t, injected);
      rmw(n, t, injected) = 0;
      me.next = at::loop;
      go(me, at::taken);
      return "take_injected: exchange";
    case at::taken:
      n.queue[t] = static_cast<std::uint8_t>(n.queue[t] + me.v);
      n.shared.store(t, own_hint, n.queue[t]);
      me.v = 0;
      if (how_.transit_unseen)
        go(me, me.next);
      else
        wake_then(me, me.next);
      return "take_injected: pushes what it took";
    case at::run:
      if (works_meet() && n.started < total()) return nullptr;
      go(me, at::loop);
      return "the work ends";
    case at::run_child: {
      const word w = word::of(n.shared.memory[ts]);
      const bool all_taken = n.forks == 0 && w.tail == n.depth;
      if (how_.workers == 3 && n.main_ended == 0 && n.joining == 0 && !all_taken) return nullptr;
      n.shared.drain(t);  // the exchange of the slot's state
      n.child_ended[me.child - 1] = 1;
      me.child = 0;
      go(me, at::loop);
      return "the child ends";
    }
    case at::found: {
      const std::uint8_t before = rmw(n, t, searching)--;
      const at next = me.child != 0 ? at::run_child : at::loop;
      if (before == 1 && !how_.finder_wakes_nobody)
        wake_then(me, next);
      else
        go(me, next);
      return "found something: searching_.fetch_sub(1)";
    }
    default:
      return nullptr;
  }
}

// The main task on worker 0, and the thread that injects.
const char* sleep_submit::program(state& n, int t, int choice) const {
  state::thread_state& me = n.thread[t];
  if (t == thread_id) {
    if (choice != 0 || n.injects == 0) return nullptr;
    --n.injects;
    if (how_.inject_unfenced)
      n.shared.store(t, injected, n.shared.load(t, injected) + 1);
    else
      ++rmw(n, t, injected);
    wake_then(me, n.injects == 0 ? at::done : at::program);
    return "inject";
  }
  if (choice == 0 && n.pushes > 0) {
    --n.pushes;
    if (how_.push_after_wake) {
      wake_then(me, at::publish);
      return "about to push";
    }
    n.shared.store(t, hint0 + t, ++n.queue[t]);
    wake_then(me, at::program);
    return "push";
  }
  if (choice == 1 && n.forks > 0 && n.depth < slots) {
    --n.forks;
    n.child_ended[n.depth] = 0;
    n.slow_join = 0;
    go(me, how_.head_after_lim ? at::fork_lim : at::fork_head);
    return "fork";
  }
  if (choice == 2 && n.depth > 0) {
    // Once it has forked all it computes for ever, until each child was taken.
    if (n.forks == 0 && n.shared.memory[ts] % 4 < n.depth) return nullptr;
    --n.depth;
    n.slow_join = 1;
    go(me, at::join_head);
    return "join";
  }
  if (choice == 0 && n.pushes == 0 && n.forks == 0 && n.depth == 0 && n.main_ended == 0) {
    if (main_stays() && n.started < total()) return nullptr;
    n.main_ended = 1;
    go(me, at::loop);
    return "the main task ends";
  }
  return nullptr;
}

const char* sleep_submit::waking(state& n, int t) const {
  state::thread_state& me = n.thread[t];
  switch (me.pc) {
    case at::wake_load:
      go(me, n.shared.load(t, sleeping) == 0 ? me.next : at::wake_cas);
      return "wake_one: sleeping_.load";
    case at::wake_cas: {
      if (order_ == memory_order_model::weak && n.shared.load(t, searching) != 0) {
        go(me, me.next);  // a failed compare-and-swap is no more than a load there
        return "wake: somebody searches";
      }
      std::uint8_t& count = rmw(n, t, searching);
      if (count != 0) {
        go(me, me.next);
        return "wake: somebody searches";
      }
      if (!how_.woken_uncounted && !how_.counted_late) count = 1;
      go(me, at::wake_scan);
      return "wake: CAS(searching_, 0, 1)";
    }
    case at::wake_scan: {
      const int w = me.index++;
      if (n.shared.load(t, asleep0 + w) == 1 && rmw(n, t, asleep0 + w) == 1) {
        n.shared.memory[asleep0 + w] = 0;
        go(me, how_.counted_late ? at::wake_count : at::wake_lower);
        return "wake: asleep.exchange(0) == 1; futex_wake";
      }
      if (me.index >= how_.workers)
        go(me, how_.counted_late || how_.woken_uncounted ? at::wake_again : at::wake_undo);
      return "wake: does not sleep";
    }
    case at::wake_count:
      ++rmw(n, t, searching);
      go(me, at::wake_lower);
      return "wake: searching_.fetch_add(1), late";
    case at::wake_lower:
      --rmw(n, t, sleeping);
      go(me, me.next);
      return "wake: sleeping_.fetch_sub(1)";
    case at::wake_undo:
      --rmw(n, t, searching);
      go(me, how_.gives_up ? me.next : at::wake_again);
      return "wake: nobody; searching_.fetch_sub(1)";
    default:
      go(me, n.shared.load(t, sleeping) == 0 || how_.gives_up ? me.next : at::wake_cas);
      return "wake: sleeping_.load, once more";
  }
}

const char* sleep_submit::looking(state& n, int t, int choice) const {
  state::thread_state& me = n.thread[t];
  if (choice > 1 || (choice == 1 && me.pc != at::look_steal)) return nullptr;
  const int v = me.index;
  const auto next_victim = [&] {
    me.v = 0;
    me.pc = at::look_victim;
    if (++me.index >= how_.workers) go(me, at::nothing);
  };
  switch (me.pc) {
    case at::look_begin:
      ++rmw(n, t, searching);
      go(me, at::look_inject);
      return "look: searching_.fetch_add(1)";
    case at::look_inject:
      if (n.shared.load(t, injected) == 0) {
        go(me, at::look_victim);
        return "look: nothing is injected";
      }
      me.v = rmw(n, t, injected);
      rmw(n, t, injected) = 0;
      me.next = at::found;
      go(me, at::taken);
      return "look: take_injected: exchange";
    case at::look_victim: {
      if (v == t) {
        next_victim();
        return "look: the next victim";
      }
      const std::uint8_t seen = n.shared.load(t, ts);
      word w = word::of(seen);
      if (v == 0 && n.main_ended == 0 && how_.forks > 0 && w.tail < w.split) {
        std::uint8_t& memory = rmw(n, t, ts);
        if (memory != seen) return nullptr;
        ++w.tail;
        memory = w.pack();
        me.child = static_cast<std::uint8_t>(w.tail);
        me.pc = w.tail == w.split ? at::look_limit : at::found;
        if (me.pc == at::found) me.index = 0;
        return "steal_child: CAS(ts)";
      }
      me.pc = n.shared.load(t, hint0 + v) != 0                ? at::look_steal
              : v == 0 && n.main_ended == 0 && how_.forks > 0 ? at::expose_ts
                                                              : at::look_victim;
      if (me.pc == at::look_victim) next_victim();
      return "look: no shared child; the hint";
    }
    case at::look_limit:
      n.shared.store(t, lim, always);
      go(me, me.v != 0 ? at::run_child : at::found);
      me.v = 0;
      return "steal_child: the last one, lim.store(ALWAYS)";
    case at::look_steal:
      if (choice == 1) {
        next_victim();
        return "steal_from: another is inside the lock";
      }
      n.shared.drain_all();
      me.v = static_cast<std::uint8_t>((n.queue[v] + 1) / 2);
      if (me.v == 0) {
        next_victim();
        return "steal_from: empty by now";
      }
      n.queue[v] = static_cast<std::uint8_t>(n.queue[v] - me.v);
      n.shared.memory[hint0 + v] = n.queue[v];
      go(me, at::look_loot);
      return "steal_from: heavy fence, takes half";
    default:  // look_loot
      n.queue[t] = static_cast<std::uint8_t>(n.queue[t] + me.v);
      n.shared.store(t, hint0 + t, n.queue[t]);
      me.v = 0;
      go(me, at::found);
      return "steal_from: pushes what it took";
  }
}

const char* sleep_submit::falling(state& n, int t) const {
  state::thread_state& me = n.thread[t];
  const bool early = how_.look_before_raise;
  const bool asks = how_.forks > 0 && t != 0 && n.main_ended == 0;
  const auto look_past = [&](bool seen, at next) {
    if (seen)
      go(me, early ? at::awake_search : at::awake_flag);
    else
      me.pc = next;
  };
  switch (me.pc) {
    case at::fall_flag:
      rmw(n, t, asleep0 + t) = 1;
      go(me, at::fall_count);
      return "asleep.store(1, seq_cst)";
    case at::fall_count:
      ++rmw(n, t, sleeping);
      go(me, early ? at::sleep : asks && !how_.no_request ? at::fall_ask : at::fall_fence);
      return "sleeping_.fetch_add(1)";
    case at::fall_ask:
      n.shared.store(t, lim, always);
      go(me, at::fall_fence);
      return "ask_for_children: lim.store(ALWAYS)";
    case at::fall_fence:
      if (how_.no_heavy_fence)
        n.shared.drain(t);
      else
        n.shared.drain_all();
      go(me, how_.no_last_look ? at::sleep : at::last_inject);
      return "heavy_fence";
    case at::last_inject:
      look_past(n.shared.load(t, injected) != 0, at::last_hint);
      return "anything_to_do: injected";
    case at::last_hint: {
      const bool seen = n.shared.load(t, hint0 + me.index) != 0;
      if (!seen && ++me.index < how_.workers) return "anything_to_do: a hint";
      look_past(seen, asks ? at::last_shared : early ? at::fall_flag : at::sleep);
      me.index = 0;
      return "anything_to_do: a hint";
    }
    case at::last_shared: {
      const word w = word::of(n.shared.load(t, ts));
      look_past(w.tail < w.split, at::last_private);
      return "anything_to_do: has_shared_child";
    }
    case at::last_private: {
      // head, then ts: between the two steps the owner may move both.
      if (me.v == 0) {
        me.v = static_cast<std::uint8_t>(1 + n.shared.load(t, head));
        return "anything_to_do: head.load";
      }
      const bool seen = me.v - 1 > word::of(n.shared.load(t, ts)).split;
      me.v = 0;
      look_past(seen, early ? at::fall_flag : at::sleep);
      return "anything_to_do: has_private_child";
    }
    case at::awake_flag: {
      std::uint8_t& flag = rmw(n, t, asleep0 + t);
      go(me, flag == 0 ? at::look_inject : at::awake_count);
      flag = 0;
      return "need not sleep: asleep.exchange(0)";
    }
    case at::awake_count:
      --rmw(n, t, sleeping);
      go(me, at::awake_search);
      return "need not sleep: sleeping_.fetch_sub(1)";
    case at::awake_search:
      ++rmw(n, t, searching);
      go(me, at::look_inject);
      return "need not sleep: searching_.fetch_add(1)";
    default:  // sleep
      if (n.shared.load(t, asleep0 + t) != 0) return nullptr;
      go(me, at::look_inject);
      return "woken";
  }
}

}  // namespace models::sleeping
