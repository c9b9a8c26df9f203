// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model of parking: a waiter hangs itself in and takes itself off again.
#include "suspend_wake.h"

namespace models::parking {

// The next source to hang in, in the order descriptors, timer, stop; then the suspension.
void suspend_wake::next_source(state::waiter_state& me, int sources, int after) const {
  me.source = 0;
  for (int bit = after == 0 ? 1 : after * 2; bit <= by_stop; bit *= 2) {
    if ((sources & bit) == 0) continue;
    if (bit == by_timer || bit == by_stop) {
      me.pc = bit == by_timer ? at::link_timer : at::link_token;
      return;
    }
    me.source = bit == second_descriptor;
    me.pc = at::link_lock;
    return;
  }
  me.pc = how_.links_in_hook != 0 ? at::arm : at::look;
}

void suspend_wake::next_hung(state::waiter_state& me, int after) const {
  me.source = 0;
  for (int bit = after == 0 ? 1 : after * 2; bit <= by_stop; bit *= 2) {
    if ((me.hung & bit) == 0 || how_.no_unlink) continue;
    if (bit == by_timer || bit == by_stop) {
      me.pc = bit == by_timer ? at::unlink_timer : at::unlink_token;
      return;
    }
    me.source = bit == second_descriptor;
    me.pc = how_.looks_without_lock ? at::unlink_look : at::unlink_lock;
    return;
  }
  me.hung = 0;
  me.pc = at::read_reason;
}

const char* suspend_wake::linking(state& n, int w) const {
  state::waiter_state& me = n.waiter[w];
  const int d = me.source, bit = 1 << d;
  const int sources = me.round == 0 ? sources_of(w) : sources_of(w) & 3;
  touch(n, w);
  switch (me.pc) {
    case at::link_lock:
      if ((n.shared.load(w, word0 + d) & w_locked) != 0) return nullptr;
      *word(n, w, d) |= w_locked;
      me.pc = at::link_check;
      return "link: lock";
    case at::link_check:
      if ((n.shared.load(w, word0 + d) & w_done) == 0 || how_.no_check_in_link) {
        me.pc = at::link_add;
        return "link: not done";
      }
      *word(n, w, d) &= static_cast<std::uint8_t>(~w_locked);
      me.reason = fired_done;
      me.source = 0;
      me.pc = at::own_fire;
      return "link: done already; unlock";
    case at::link_add: {
      n.list[d][1] = n.list[d][0];
      n.list[d][0] = static_cast<std::uint8_t>(w + 1);
      me.linked |= static_cast<std::uint8_t>(bit);
      me.hung |= static_cast<std::uint8_t>(bit);
      std::uint8_t& v = *word(n, w, d);
      v = static_cast<std::uint8_t>((v & ~w_locked) | w_has_waiters);
      next_source(me, sources, bit);
      return "link: hung in; unlock";
    }
    case at::link_timer:
      if (n.shared.load(w, timer_lock) != 0) return nullptr;
      rmw(n, w, timer_lock) = 1;
      me.pc = at::link_timer_end;
      return "timer: lock";
    case at::link_timer_end:
      me.linked |= by_timer;
      me.hung |= by_timer;
      n.shared.store(w, timer_lock, 0, true);
      next_source(me, sources, by_timer);
      return "timer: added; unlock";
    case at::link_token: {
      std::uint8_t& v = rmw(n, w, token);
      if (v == no_callback) {
        v = registered;
        me.hung |= by_stop;
        next_source(me, sources, by_stop);
        return "stop: callback registered";
      }
      me.reason = fired_stopped;
      me.pc = at::own_fire;
      return "stop: asked for already";
    }
    default: {  // own_fire
      const std::uint8_t why = me.reason;
      me.reason = 0;
      if (how_.own_fire_by_store) {
        n.shared.store(w, record0 + w, why);
        me.winner = why;
      } else {
        std::uint8_t& v = rmw(n, w, record0 + w);
        if (v <= armed) v = why, me.winner = why;
      }
      if (me.saved != 0) {
        n.shared.drain(w);  // the hand-over of the task to whoever takes it from the queue
        me.pc = at::asleep;
        make_ready(n, w);
      } else {
        next_hung(me, 0);
      }
      return "fires itself";
    }
  }
}

const char* suspend_wake::unlinking(state& n, int w) const {
  state::waiter_state& me = n.waiter[w];
  const int d = me.source, bit = 1 << d;
  switch (me.pc) {
    case at::unlink_look:
      if ((me.linked & bit) == 0)
        next_hung(me, bit);
      else
        me.pc = at::unlink_lock;
      return "unlink: looks at `linked`";
    case at::unlink_lock:
      if ((n.shared.load(w, word0 + d) & w_locked) != 0) return nullptr;
      *word(n, w, d) |= w_locked;
      me.pc = at::unlink_take;
      return "unlink: lock";
    case at::unlink_take: {
      if ((me.linked & bit) != 0) remove(n, d, w);
      me.linked &= static_cast<std::uint8_t>(~bit);
      std::uint8_t& v = *word(n, w, d);
      v &= static_cast<std::uint8_t>(
          ~(w_locked | (n.list[d][0] == 0 && !how_.keeps_flag ? w_has_waiters : 0)));
      next_hung(me, bit);
      return "unlink: taken off; unlock";
    }
    case at::unlink_timer:
      if (n.shared.load(w, timer_lock) != 0) return nullptr;
      rmw(n, w, timer_lock) = 1;
      me.pc = at::unlink_timer_end;
      return "timer: lock";
    case at::unlink_timer_end:
      me.linked &= static_cast<std::uint8_t>(~by_timer);
      n.shared.store(w, timer_lock, 0, true);
      next_hung(me, by_timer);
      return "timer: removed; unlock";
    case at::unlink_token: {
      std::uint8_t& v = rmw(n, w, token);
      const bool runs = v == callback_runs;
      if (v == registered) v = no_callback;
      if (runs && !how_.callback_not_waited)
        me.pc = at::unlink_wait;
      else
        next_hung(me, by_stop);
      return runs ? "stop: the callback runs" : "stop: callback taken off";
    }
    default:  // unlink_wait
      if (n.shared.load(w, token) != requested) return nullptr;
      next_hung(me, by_stop);
      return "stop: the callback has ended";
  }
}

}  // namespace models::parking
