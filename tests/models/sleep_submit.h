// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Model of sleeping and waking: states and variants. Workers push, search, steal, sleep and wake each other;
// a thread that is no worker injects; the main task on worker 0 forks and joins children.
//
// What each step mirrors:
//   wake_*      kernel::wake_one, wake_a_sleeper
//   loop, take  base_loop: the own queue, then take_injected
//   look_*      look_for_work: take_injected, then try_steal (steal_child, steal_from, expose_children)
//   found_*     the end of a search: searching_ lowered, the last one wakes another
//   fall_*      fall_asleep: flag, count, ask_for_children, heavy_fence; last_*: anything_to_do
//   fork_*      push and fork_slow; join_*: pop and join_slow; the deque is that of split_deque, two slots
// By default head is stored before lim is loaded, and a slow join keeps a sleeper's request; the bugs
// head-after-lim and slow-join-drops-request do without.
// A queue is its length, read by others through a hint that lies in the owner's store buffer at first. Works
// wait for each other where there are workers enough, and the main task computes for ever once it has made
// all: so a wake-up that is lost is a state from which the end cannot be reached.
#pragma once
#include <cstdint>
#include <string>

#include "model_main.h"

namespace models::sleeping {

struct variant {
  int workers = 2, pushes = 1, injects = 0, forks = 0, listed = 0;
  bool no_heavy_fence = false;       // the sleeper's fence is its own only
  bool no_last_look = false;         // the sleeper does not look again
  bool look_before_raise = false;    // the last look comes before the count is raised
  bool woken_uncounted = false;      // who wakes does not count the woken as searching
  bool counted_late = false;         // who wakes counts the woken after it cleared the flag
  bool finder_wakes_nobody = false;  // a search that found something wakes nobody
  bool push_after_wake = false;      // the count is read, then the work published
  bool transit_unseen = false;       // take_injected does not wake after its pushes
  bool gives_up = false;             // who found nobody asleep does not look at the count again
  bool inject_unfenced = false;      // (weak order) a thread's push is not ordered before its look
  bool no_request = false;           // the sleeper does not ask for children
  bool head_after_lim = false;       // fork: lim is loaded before head is stored
  bool join_drops_request = false;   // a slow join does not look whether somebody sleeps
};

inline constexpr int max_workers = 3, thread_id = max_workers, threads = max_workers + 1, slots = 2;
inline constexpr std::uint8_t always = 7;
enum var : std::uint8_t {
  sleeping,
  searching,
  injected,
  head,
  lim,
  ts,
  hint0,
  asleep0 = hint0 + max_workers,
  variables = asleep0 + max_workers,
};

enum class at : std::uint8_t {
  program,
  loop,
  take,
  taken,
  run,
  run_child,
  wake_load,
  wake_cas,
  wake_scan,
  wake_count,
  wake_lower,
  wake_undo,
  wake_again,
  look_begin,
  look_inject,
  look_victim,
  look_steal,
  look_loot,
  look_limit,
  expose_ts,
  expose_head,
  expose_lim,
  expose_fence,
  expose_cas,
  found,
  nothing,
  fall_flag,
  fall_count,
  fall_ask,
  fall_fence,
  last_inject,
  last_hint,
  last_shared,
  last_private,
  awake_flag,
  awake_count,
  awake_search,
  sleep,
  publish,
  fork_lim,
  fork_head,
  slow_ts,
  slow_lim,
  slow_cas,
  keep_load,
  keep_store,
  join_head,
  join_lim,
  join_wait,
  reset_ts,
  reset_lim,
  done,
};

struct state {
  struct thread_state {
    at pc, next;         // next: after wake_one
    std::uint8_t index;  // of the victim, or of the worker to wake
    std::uint8_t v;      // ts as read, or loot in the hand
    std::uint8_t child;  // 1 + slot of a stolen child
  };
  store_buffers<threads, variables, 4> shared;
  thread_state thread[threads];
  std::uint8_t queue[max_workers];  // lengths, under the biased lock
  std::uint8_t child_ended[slots];
  std::uint8_t pushes, injects, forks, depth, started, joining, main_ended, slow_join;
};

class sleep_submit {
 public:
  using state = sleeping::state;
  sleep_submit(const variant& how, memory_order_model order) : how_(how), order_(order) {}
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
      if (s.shared.full(t, 4)) continue;
      for (int choice = 0; choice < 3; ++choice) {
        state n = s;
        if (const char* what = step(n, t, choice)) emit(n, t, what);
      }
    }
  }

 private:
  struct word {  // ts
    int tail, split, epoch;
    static word of(std::uint8_t v) { return {v & 3, v >> 2 & 3, v >> 4}; }
    std::uint8_t pack() const { return static_cast<std::uint8_t>(tail | split << 2 | (epoch & 15) << 4); }
  };
  // One step of thread t; nullptr: it has no step of this choice. Most pcs have choice 0 only.
  const char* step(state&, int t, int choice) const;
  const char* program(state&, int t, int choice) const;
  const char* waking(state&, int t) const;
  const char* looking(state&, int t, int choice) const;
  const char* exposing(state&, int t) const;
  const char* falling(state&, int t) const;
  const char* forking(state&) const;
  const char* joining(state&) const;

  std::uint8_t& rmw(state& n, int t, int v) const {
    n.shared.drain(t);
    return n.shared.memory[v];
  }
  static void go(state::thread_state& me, at pc) { me.pc = pc, me.index = 0; }
  static void wake_then(state::thread_state& me, at next) { me.next = next, go(me, at::wake_load); }
  int total() const { return how_.pushes + how_.injects; }
  bool main_stays() const { return total() + 1 <= how_.workers; }
  bool works_meet() const { return total() <= how_.workers && how_.forks == 0; }
  static bool counted(const state& s, int w);
  int raised(const state& s) const;
  static word slow_target(const state& s, word v);

  variant how_;
  memory_order_model order_;
};

}  // namespace models::sleeping
