// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Model of parking: states and variants. One or two waiters, each with one record on its stack, hang in the
// lists of two descriptors, in a timer and at a request to stop; the first of them to fire decides why the
// waiter goes on.
//
// What each step mirrors:
//   waiter at link_*     link (waiters.cpp) under the descriptor's lock bit; timer_wheel::add; registering a
//                        stop callback: before the suspension (park.hpp), or after it (arm_task in
//                        waiters.cpp) with --links-in-hook
//   waiter at save, arm  suspend saves the registers; the hook arms by compare-and-swap, on the next stack
//   waiter at unlink_*   the waiter takes itself off again, under each lock; waits for a callback that runs
//   waiter at futex_*    park_thread (park.cpp): a thread that is no worker sleeps on the record's word, and
//                        lets its time run out itself
//   runner at finish_*   finish (tasks.cpp): the end of a task with a handle; fire_all (waiters.cpp)
//   timer, stopper       timer_wheel::expire; the request to stop, which runs the callback
//   fire_*               fire (park.hpp); with one reason only it is fire_all's exchange
#pragma once
#include <cstdint>
#include <string>

#include "model_main.h"

namespace models::parking {

struct variant {
  int sources = 15, others = 0;  // of the first and of the second waiter: 1, 2 descriptors, 4 timer, 8 stop
  int thread = 0;                // the first waiter is a thread that is no worker, the second one a task
  int links_in_hook = 0;
  bool arm_by_store = false;         // arm: state.store(armed)
  bool starts_armed = false;         // there is no `arming`
  bool saved_late = false;           // the hook runs before the registers are saved
  bool fire_in_two = false;          // fire: load, then store
  bool overwrites_reason = false;    // fire: exchange
  bool ready_if_arming = false;      // fire makes ready whatever the state was
  bool no_unlink = false;            // the waiter leaves without taking itself off
  bool looks_without_lock = false;   // unlink: returns if `linked` is false, without the lock
  bool callback_not_waited = false;  // the waiter does not wait for a callback that runs
  bool no_check_in_link = false;     // link does not look whether the task has ended
  bool finish_ignores_lock = false;  // finish: compare-and-swap though somebody is changing the list
  bool fires_unlocked = false;       // finish: takes the list, unlocks, then fires
  bool futex_blind = false;          // a thread sleeps without comparing the word
  bool own_fire_by_store = false;    // what has happened already is stored, not compared and swapped
  bool keeps_flag = false;           // unlink leaves has_waiters
};

enum : std::uint8_t { first_descriptor = 1, second_descriptor = 2, by_timer = 4, by_stop = 8 };
// A record's word.
enum : std::uint8_t { arming, armed, fired_done, fired_timed_out, fired_stopped };
// A descriptor's word: flags, and references from ref_one up.
enum : std::uint8_t { w_done = 1, w_locked = 2, w_has_waiters = 4, ref_one = 8 };
// The stop token.
enum : std::uint8_t { no_callback, registered, callback_runs, requested };

enum var : std::uint8_t { record0, record1, word0, word1, timer_lock, token, variables };

enum class at : std::uint8_t {
  begin,
  link_lock,
  link_check,
  link_add,
  link_timer,
  link_timer_end,
  link_token,
  own_fire,
  look,
  save,
  arm,
  save_late,
  asleep,
  futex_look,
  futex_wait,
  futex_asleep,
  unlink_look,
  unlink_lock,
  unlink_take,
  unlink_timer,
  unlink_timer_end,
  unlink_token,
  unlink_wait,
  read_reason,
  release,  // waiters
  finish,
  finish_next,
  fire,
  fire_store,
  fire_futex,
  finish_end,
  finish_ready,  // runners
  timer_take,
  timer_look,
  timer_unlock,
  timer_ready,
  stop_ask,
  stop_end,
  done,  // timer, stopper
};

enum broken : std::uint8_t { nothing, too_early, twice, dead_record, dead_word, wrong_reason };

inline constexpr int waiters = 2, descriptors = 2;
enum thread_name : std::uint8_t { waiter0, waiter1, runner0, runner1, timer, stopper, threads };
inline constexpr std::uint8_t nobody = 255;

struct state {
  struct waiter_state {
    at pc;
    std::uint8_t source;  // the descriptor that is being linked or unlinked
    std::uint8_t reason;  // of the own fire
    std::uint8_t round, alive, ready, saved, sleeps;
    std::uint8_t hung;    // in which sources it has hung itself (its own knowledge)
    std::uint8_t linked;  // per source; guarded by that source's lock
    std::uint8_t winner;  // ghost: the first reason
  };
  struct firer_state {
    at pc;
    std::uint8_t whom, seen, first;  // whom: waiter; first: to make ready at the end
    std::uint8_t own[waiters];       // fires_unlocked: the list that was taken
  };
  store_buffers<threads, variables, 3> shared;
  waiter_state waiter[waiters];
  firer_state firer[threads - waiters];
  std::uint8_t list[descriptors][waiters];  // guarded by the lock bit: who hangs there, the newest first
  std::uint8_t freed[descriptors];
  std::uint8_t broken_promise;
};

class suspend_wake {
 public:
  using state = parking::state;
  suspend_wake(const variant& how, memory_order_model order) : how_(how), order_(order) {}
  state initial() const;
  const char* violation(const state&) const;
  bool finished(const state&) const;
  void canonical(state&) const {}
  const char* name(int who) const;
  std::string print(const state&) const;
  template <class E>
  void steps(const state& s, E emit) const {
    for (int t = 0; t < threads; ++t) {
      for (int k = 0; k < s.shared.count[t]; ++k) {
        if (!s.shared.may_leave(t, k, order_)) continue;
        state n = s;
        n.shared.leave(t, k);
        emit(n, t, "a store leaves the buffer");
      }
      state n = s;
      const char* what = t < waiters ? waiter_step(n, t) : firer_step(n, t);
      if (what != nullptr) emit(n, t, what);
      if (t >= waiters) continue;
      n = s;
      if (times_out(n, t)) emit(n, t, "thread: its time is up: CAS(armed, timed out)");
    }
  }

 private:
  // Each thread has at most one next step; nullptr: it must wait.
  const char* waiter_step(state&, int w) const;
  bool times_out(state&, int w) const;
  const char* linking(state&, int w) const;
  const char* unlinking(state&, int w) const;
  const char* firer_step(state&, int t) const;
  const char* firing(state&, int t) const;

  int sources_of(int w) const;
  bool is_thread(int w) const { return (w == 0) == (how_.thread != 0); }
  std::uint8_t& rmw(state& n, int t, int v) const {
    n.shared.drain(t);
    return n.shared.memory[v];
  }
  std::uint8_t* word(state& n, int t, int d) const;
  void drop(state& n, int t, int d, int change) const;
  void next_source(state::waiter_state&, int sources, int after) const;
  void next_hung(state::waiter_state&, int after) const;
  void touch(state& n, int w) const {
    if (n.waiter[w].alive == 0) n.broken_promise = dead_record;
  }
  void make_ready(state& n, int w) const;
  bool remove(state& n, int d, int w) const;

  variant how_;
  memory_order_model order_;
};

}  // namespace models::parking
