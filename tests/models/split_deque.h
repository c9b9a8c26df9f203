// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Model of one segment of the split deque: an owner that forks, joins and suspends as it likes, and two
// thieves that steal and expose as they like.  With variant::give the owner gives children away to runners.
//  The steps are in split_deque_owner.h and split_deque_thief.h.
#pragma once
#include <cstdint>
#include <string>
#include <tuple>

#include "store_buffers.h"

namespace models {

// What a run does differently from the algorithm.  The planted bugs set these.
struct variant {
  bool lim_after_cas = false;  // owner's slow path: CAS on ts first, then lim
  bool publish_keeps_lim =
      false;                   // publish: lim stays as it is when thieves have published everything meanwhile
  bool no_membarrier = false;  // expose: only the thief's own fence
  bool membarrier_to_owner = false;  // expose: membarrier reaches the owner and nobody else
  bool ts_after_lim = false;         // expose: lim first, then ts
  bool ts_after_head = false;        // expose: ts last, just before its CAS
  bool read_before_cas = false;      // steal: the closure is read before the CAS on ts
  bool join_ignores_lim = false;     // join compares with the owner's own copy of split
  bool join_polls_first = false;     // join: lim is loaded before head is stored
  bool fork_ignores_lim = false;     // fork is always fast
  bool head_before_lim = false;      // fork: head is stored before lim is loaded
  bool head_before_slot = false;     // fork: head is stored before the closure
  bool head_relaxed = false;         // fork: head.store is relaxed
  bool cas_relaxed = false;    // owner's slow path: the CAS on ts is relaxed (differs in the weak order only)
  bool reset_relaxed = false;  // stolen join: ts.store is relaxed (differs in the weak order only)
  bool renew_restarts = false;  // a segment that is used again: ts may hold an epoch that was there before
  bool keep_tail = false;       // stolen join: ts is not reset
  bool waiter_plain = false;    // stolen join: the waiter is stored, not exchanged in by CAS
  bool epoch_fork = true, epoch_private = true, epoch_shared = true, epoch_stolen = true,
       epoch_publish = true;
  bool epoch_expose = false;     // expose advances the epoch as well
  int epoch_bits = 0;            // 0: epochs never wrap
  bool give = false;             // the owner may give its newest child away, and a runner runs it
  bool no_claim = false;         // steal: the child is started without a claim of its slot
  bool no_accounting = false;    // a stolen join does not wait for the thieves that passed given children
  bool take_back_all = false;    // a shared join takes back half of what is shared, given or not
  bool waiter_unmarked = false;  // the waiter of a taken child looks like the waiter of a queued one
};

class split_deque {
 public:
  static constexpr int max_slots = 3, thieves = 2, threads = thieves + 1, always = max_slots + 1;
  static constexpr int owner_capacity = 4, thief_capacity = 2;
  enum : int { data0 = 0, state0 = max_slots, head = 2 * max_slots, lim, ts, passes, variables };
  enum slot_state : std::uint8_t { queued = 0, ended = 1, waiting = 2, taken = 3, waiting_taken = 4 };
  enum class at : std::uint8_t {
    // owner
    ready,
    fill_data,
    fill_state,
    fork_lim,
    fork_head,
    join_head,
    join_lim,
    slow_load,
    join_state,
    slow_lim,
    slow_cas,
    slow_late_lim,
    wait,
    waiter_store,
    parked,
    given_load,
    account,
    restart_load,
    reset_ts,
    reset_lim,
    renew_head,
    renew_lim,
    renew_ts,
    give_claim,
    // thief
    idle,
    steal_cas,
    steal_request,
    steal_more,
    steal_claim,
    steal_pass,
    steal_read,
    run_end,
    expose_ts,
    expose_lim,
    expose_barrier,
    expose_head,
    expose_late_ts,
    expose_cas,
    stopped,
  };
  enum class slow : std::uint8_t { none, fork, join, publish, join_given, give, give_in_join };
  // What the child in a slot has been through.  Kept by the checker, unknown to the algorithm.
  // Where a child is that the owner gave away.
  enum class runner : std::uint8_t { none, about_to_start, running };
  enum class child : std::uint8_t { none, forked, started, finished };

  struct word {  // ts
    int tail, split, epoch;
    std::uint8_t pack() const { return static_cast<std::uint8_t>(tail | split << 2 | (epoch & 15) << 4); }
    static word of(std::uint8_t v) { return {v & 3, v >> 2 & 3, v >> 4}; }
  };
  struct owner_state {
    at pc = at::ready;
    slow why = slow::none;        // which slow path
    std::uint8_t depth = 0;       // children in the deque; within a fork or join: the slot it is about
    std::uint8_t v = 0;           // the value of ts that the slow path works with
    std::uint8_t target = 0;      // what the slow path stores into lim; 0: nothing yet
    std::uint8_t split_copy = 0;  // for join_ignores_lim
    std::uint8_t given = 0;       // children given away whose join has not accounted for them yet
  };
  struct thief_state {
    at pc = at::idle;
    std::uint8_t v = 0;     // ts as read
    std::uint8_t seen = 0;  // head as read, or the slot that was taken
    std::uint8_t copy = 0;  // for read_before_cas
    friend bool operator<(const thief_state& a, const thief_state& b) {
      return std::tie(a.pc, a.v, a.seen, a.copy) < std::tie(b.pc, b.v, b.seen, b.copy);
    }
  };
  enum promise : std::uint8_t {
    kept,
    ran_twice,
    ran_free,
    stale_closure,
    early_join,
    lost_inline,
    left_over
  };
  struct state {
    store_buffers<threads, variables, owner_capacity> shared;
    owner_state owner;
    thief_state thief[thieves];
    runner given[max_slots] = {};
    child ghost[max_slots] = {};
    promise broken = kept;
  };

  split_deque(variant how, memory_order_model order, int slots, int active_thieves, bool symmetric)
      : how_(how), order_(order), slots_(slots), active_thieves_(active_thieves), symmetric_(symmetric) {}

  state initial() const;
  const char* name(int who) const;
  const char* violation(const state& s) const;
  bool finished(const state& s) const;
  void canonical(state& s) const;
  std::string print(const state& s) const;

  template <class E>
  void steps(const state& s, E emit) const {
    const auto settled = [&](state n, int who, const char* text) {
      settle(n, who);
      emit(n, who, text);
    };
    for (int t = 0; t < threads; ++t)
      for (int k = 0; k < s.shared.count[t]; ++k)
        if (s.shared.may_leave(t, k, order_)) {
          state n = s;
          n.shared.leave(t, k);
          settled(n, t, "(a store leaves the buffer)");
        }
    owner_steps(s, settled);
    for (int k = 0; k < thieves; ++k) thief_steps(s, k, settled);
    runner_steps(s, settled);
  }

 private:
  template <class E>
  void owner_steps(const state& s, E emit) const;
  template <class E>
  void thief_steps(const state& s, int k, E emit) const;
  template <class E>
  void runner_steps(const state& s, E emit) const;

  // A store into the own buffer is invisible to others and commutes with all their steps, so it needs no
  // interleaving of its own: it is taken at once after the step before it, or as soon as the buffer has room.
  void settle(state& n, int who) const {
    while (who < threads && (who == 0 ? owner_stores(n) : thief_stores(n, who - 1))) {
    }
  }
  bool owner_stores(state& n) const;
  bool thief_stores(state& n, int k) const;

  int next_epoch(int e, bool advance) const {
    if (!advance) return e;
    return how_.epoch_bits ? (e + 1) & ((1 << how_.epoch_bits) - 1) : e + 1;
  }
  word wanted(const owner_state& o) const;  // the new value of ts
  void decide(state& s) const;
  void finish_slow(state& s) const;
  void finish_give(state& s) const;
  void end_given_join(state& s) const;
  void go_on_after_wait(owner_state& o) const;
  int take_back(const state& s, word v) const;
  void end_child(state& n, int slot) const;
  void run_inline(state& s) const;
  void forget(state& s) const;
  void start(state& n, int slot, std::uint8_t closure) const;
  void look_for_work(thief_state& me, std::uint8_t v) const;
  bool holds_ts(const owner_state& o) const;
  bool holds_ts(const thief_state& t) const;

  const variant how_;
  const memory_order_model order_;
  const int slots_, active_thieves_;
  const bool symmetric_;
};

}  // namespace models

#include "split_deque_owner.h"
#include "split_deque_thief.h"
