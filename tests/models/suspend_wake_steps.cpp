// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model of parking: the waiters' wait itself, and those who fire.
#include "suspend_wake.h"

namespace models::parking {

int suspend_wake::sources_of(int w) const { return w == 0 ? how_.sources : how_.others; }

// A descriptor's word, for a read-modify-write of thread t.
std::uint8_t* suspend_wake::word(state& n, int t, int d) const {
  if (n.freed[d] != 0) n.broken_promise = dead_word;
  return &rmw(n, t, word0 + d);
}

void suspend_wake::drop(state& n, int t, int d, int change) const {
  std::uint8_t* w = word(n, t, d);
  *w = static_cast<std::uint8_t>(*w + change);
  if (*w / ref_one == 0) n.freed[d] = 1;
}

// Once for each suspension, and only of a task whose registers are saved and whose record is armed.
void suspend_wake::make_ready(state& n, int w) const {
  state::waiter_state& me = n.waiter[w];
  if (me.saved == 0 || (me.pc != at::asleep && me.pc != at::save_late))
    n.broken_promise = me.saved == 0 ? too_early : twice;
  if (me.ready != 0) n.broken_promise = twice;
  me.ready = 1;
}

bool suspend_wake::remove(state& n, int d, int w) const {
  std::uint8_t(&list)[waiters] = n.list[d];
  if (list[0] != w + 1 && list[1] != w + 1) return false;
  if (list[0] == w + 1) list[0] = list[1];
  list[1] = 0;
  return true;
}

const char* suspend_wake::waiter_step(state& n, int w) const {
  state::waiter_state& me = n.waiter[w];
  const int sources = me.round == 0 ? sources_of(w) : sources_of(w) & 3;
  const int record = record0 + w;
  switch (me.pc) {
    case at::begin:
      me.alive = 1;
      me.ready = me.saved = me.winner = 0;
      n.shared.store(w, record, how_.starts_armed ? armed : arming);
      if (how_.links_in_hook != 0 && !is_thread(w)) me.saved = 1;
      next_source(me, sources, 0);
      return how_.links_in_hook != 0 ? "record.state = arming; suspended" : "record.state = arming";
    case at::look:
      if (n.shared.load(w, record) > armed)
        next_hung(me, 0);
      else
        me.pc = is_thread(w) || how_.saved_late ? at::arm : at::save;
      return "park: fired already?";
    case at::save:
      me.saved = 1;
      me.pc = at::arm;
      return "the registers are saved; hook";
    case at::arm: {
      touch(n, w);
      if (how_.arm_by_store) {
        n.shared.store(w, record, armed);
      } else {
        std::uint8_t& v = rmw(n, w, record);
        if (v > armed) {
          if (!is_thread(w)) {
            if (me.saved == 0) me.saved = 1;
            me.pc = at::asleep;
            make_ready(n, w);
          } else {
            next_hung(me, 0);
          }
          return "arm: fired already";
        }
        v = armed;
      }
      me.pc = is_thread(w) ? at::futex_look : me.saved != 0 ? at::asleep : at::save_late;
      return "arm";
    }
    case at::save_late:
      me.saved = 1;
      me.pc = at::asleep;
      return "the registers are saved";
    case at::asleep:
      if (me.ready == 0) return nullptr;
      next_hung(me, 0);
      return "runs again";
    case at::futex_look:
      if (n.shared.load(w, record) > armed)
        next_hung(me, 0);
      else
        me.pc = at::futex_wait;
      return "thread: state.load";
    case at::futex_wait:
      n.shared.drain(w);
      me.sleeps = how_.futex_blind || n.shared.memory[record] == armed;
      me.pc = me.sleeps != 0 ? at::futex_asleep : at::futex_look;
      return "thread: futex_wait";
    case at::futex_asleep:
      if (me.sleeps != 0) return nullptr;
      me.pc = at::futex_look;
      return "thread: woken";
    case at::read_reason: {
      const std::uint8_t why = n.shared.load(w, record);
      if (why <= armed || why != me.winner) n.broken_promise = wrong_reason;
      bool any = false;
      for (int d = 0; d < descriptors; ++d)
        any = any || ((sources >> d & 1) != 0 && (n.shared.load(w, word0 + d) & w_done) != 0);
      // Early firers make the waiter run before the task's word says done; it then looks once more.
      if (why == fired_done && !any) n.broken_promise = wrong_reason;
      me.alive = me.saved = me.ready = me.winner = 0;
      me.source = 0;
      const bool again = why != fired_done && me.round == 0 && (sources & 3) != 0;
      if (again) ++me.round;
      me.pc = again ? at::begin : at::release;
      return "reads the reason and leaves";
    }
    case at::release: {
      const int d = me.source;
      if ((sources_of(w) >> d & 1) != 0) drop(n, w, d, -ref_one);
      ++me.source;
      if (me.source == descriptors) me = {}, me.pc = at::done;
      return "drops its reference";
    }
    case at::done:
      return nullptr;
    case at::unlink_look:
    case at::unlink_lock:
    case at::unlink_take:
    case at::unlink_timer:
    case at::unlink_timer_end:
    case at::unlink_token:
    case at::unlink_wait:
      return unlinking(n, w);
    default:
      return linking(n, w);
  }
}

// A thread that sleeps has a time limit of its own, in its first wait.
bool suspend_wake::times_out(state& n, int w) const {
  state::waiter_state& me = n.waiter[w];
  if (!is_thread(w) || me.round != 0 || (me.pc != at::futex_wait && me.pc != at::futex_asleep)) return false;
  std::uint8_t& v = rmw(n, w, record0 + w);
  if (v == armed) v = me.winner = fired_timed_out;
  me.sleeps = 0;
  next_hung(me, 0);
  return true;
}

// fire(): the record's word, then whom to wake. `whom` is a waiter.
const char* suspend_wake::firing(state& n, int t) const {
  state::firer_state& me = n.firer[t - waiters];
  const int w = me.whom;
  state::waiter_state& him = n.waiter[w];
  const std::uint8_t why = t == timer ? fired_timed_out : t == stopper ? fired_stopped : fired_done;
  const auto go_on = [&] {
    me.pc = t == timer ? at::timer_unlock : t == stopper ? at::stop_end : at::finish_next;
  };
  if (me.pc == at::fire_futex) {  // the word's address only: its owner may have left
    him.sleeps = 0;
    me.whom = nobody;
    go_on();
    return "futex_wake";
  }
  touch(n, w);
  std::uint8_t before;
  if (how_.fire_in_two && me.pc == at::fire) {
    me.seen = n.shared.load(t, record0 + w);
    me.pc = at::fire_store;
    return "fire: state.load";
  }
  if (me.pc == at::fire_store) {
    before = me.seen;
    me.seen = 0;
    if (before <= armed) n.shared.store(t, record0 + w, why);
  } else {
    std::uint8_t& v = rmw(n, t, record0 + w);
    before = v;
    if (v <= armed || how_.overwrites_reason) v = why;
  }
  if (before <= armed && him.winner == 0) him.winner = why;
  go_on();
  const bool wakes = before == armed || (how_.ready_if_arming && before == arming);
  if (!wakes) {
    me.whom = nobody;
    return before == arming ? "fire: still arming" : "fire: fired before";
  }
  if (is_thread(w)) {
    me.pc = at::fire_futex;
    return "fire";
  }
  // One task is made ready last, when nothing is touched any more; a callback makes it ready at once.
  if (me.first == nobody && t != stopper)
    me.first = static_cast<std::uint8_t>(w);
  else
    make_ready(n, w);
  me.whom = nobody;
  return "fire";
}

const char* suspend_wake::firer_step(state& n, int t) const {
  state::firer_state& me = n.firer[t - waiters];
  const int d = t - runner0;
  switch (me.pc) {
    case at::finish: {
      const std::uint8_t v = n.shared.load(t, word0 + d);
      if ((v & w_has_waiters) == 0) {
        if ((v & w_locked) != 0 && !how_.finish_ignores_lock) return nullptr;
        drop(n, t, d, w_done - ref_one);
        me.pc = at::done;
        return "finish: nobody waits";
      }
      if ((v & w_locked) != 0) return nullptr;
      *word(n, t, d) |= w_locked;
      me.pc = at::finish_next;
      if (how_.fires_unlocked) {
        for (int k = 0; k < waiters; ++k) me.own[k] = n.list[d][k], n.list[d][k] = 0;
        drop(n, t, d, w_done - ref_one - w_locked - w_has_waiters);
      }
      return "finish: lock";
    }
    case at::finish_next: {
      std::uint8_t(&list)[waiters] = how_.fires_unlocked ? me.own : n.list[d];
      if (list[0] == 0) {
        me.pc = how_.fires_unlocked ? at::finish_ready : at::finish_end;
        return "fire_all: the list is empty";
      }
      me.whom = static_cast<std::uint8_t>(list[0] - 1);
      touch(n, me.whom);
      list[0] = list[1], list[1] = 0;
      n.waiter[me.whom].linked &= static_cast<std::uint8_t>(~(1 << d));
      me.pc = at::fire;
      return "fire_all: linked = false";
    }
    case at::finish_end:
      drop(n, t, d,
           w_done - ref_one - w_locked -
               ((n.shared.load(t, word0 + d) & w_has_waiters) != 0 ? w_has_waiters : 0));
      me.pc = at::finish_ready;
      return "finish: done; unlock";
    case at::finish_ready:
    case at::timer_ready:
      if (me.first != nobody) make_ready(n, me.first);
      me.first = nobody;
      me.pc = at::done;
      return "make_ready";
    case at::timer_take:
      if (n.shared.load(t, timer_lock) != 0) return nullptr;
      rmw(n, t, timer_lock) = 1;
      me.pc = at::timer_look;
      return "expire: lock";
    case at::timer_look:
      me.pc = at::timer_unlock;
      if ((n.waiter[0].linked & by_timer) == 0) return "expire: nothing is due";
      touch(n, 0);
      n.waiter[0].linked &= static_cast<std::uint8_t>(~by_timer);
      me.whom = 0;
      me.pc = at::fire;
      return "expire: pending = false";
    case at::timer_unlock:
      n.shared.store(t, timer_lock, 0, true);
      me.pc = at::timer_ready;
      return "expire: unlock";
    case at::stop_ask: {
      std::uint8_t& v = rmw(n, t, token);
      const bool call = v == registered;
      v = call ? callback_runs : requested;
      me.pc = call ? at::fire : at::done;
      if (call) me.whom = 0;
      return call ? "stop: calls the callback" : "stop: asked for";
    }
    case at::stop_end:
      n.shared.store(t, token, requested, true);
      me.pc = at::done;
      return "stop: the callback has ended";
    case at::fire:
    case at::fire_store:
    case at::fire_futex:
      return firing(n, t);
    default:
      return nullptr;
  }
}

}  // namespace models::parking
