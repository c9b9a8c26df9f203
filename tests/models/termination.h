// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Model of the end of a run: counts of makings and ends, the word that counts the tasks of other threads, and
// kernel_visit. States and variants; the steps are in termination_steps.h.
//
// What each step mirrors:
//   spawn_*        submit_virtual (tasks.cpp): counts.spawned.publish(), push_virtual, wake_one
//   end_*          execute (tasks.cpp): note_end, finish (a locked instruction), finished.publish()
//   idle           base_loop and look_for_work: takes any task that it sees in a queue
//   raise .. look  fall_asleep (idle.cpp): the flag, heavy_fence, anything_to_do, main_done_
//   close_*, stop  close_if_all_ended and stop (idle.cpp)
//   last_*         kernel::run joins the threads; ~run_scope waits for visitors and frees the kernel
//   visit .. leave submit_virtual of a thread that is no worker: kernel_visit, admit_foreign, inject
//
// A queue is one plain word a task, which any worker sees when the store has left its buffer: less order than
// the real queues give. Sleeping and waking are reduced to a flag a worker (their model: sleep_submit).
#pragma once
#include <cstdint>
#include <string>

#include "model_main.h"

namespace models::ending {

struct variant {
  int workers = 2, tasks = 3, foreign = 1;
  bool makings_first = false;      // close reads makings, then ends
  bool push_before_count = false;  // spawn: queues the task, then counts it
  bool end_before_spawns = false;  // a task's end is counted before its last child's making
  bool close_by_or = false;        // the foreign word is closed whatever it holds by now
  bool close_by_store = false;     // the same by load and store
  bool inject_first = false;       // a thread queues its task, then asks to be admitted
  bool no_visit = false;           // a thread does not keep the kernel
  bool visit_after_look = false;   // a thread reads the kernel's pointer, then counts itself
  bool no_wake = false;            // a thread does not wake a sleeper
  bool no_second_look = false;     // fall_asleep closes or sleeps without looking into the queues
  bool no_main_done = false;       // the counts alone decide
  bool foreign_last = false;       // close reads the foreign word last
  bool ends_relaxed = false;       // finished is published without release
};

constexpr int max_workers = 3, max_tasks = 5, max_foreign = 2;
constexpr int max_threads = max_workers + max_foreign;
constexpr int capacity = 4;

enum var : std::uint8_t {
  main_done,
  stopping,
  kernel_set,
  visitors,
  foreign_made,  // foreign_made: 2 * count + closed
  asleep0,
  finished0 = asleep0 + max_workers,
  made0 = finished0 + max_workers,
  queued0 = made0 + max_workers,
  variables = queued0 + max_tasks,
};

enum class at : std::uint8_t {
  run,
  spawn_count,
  spawn_push,
  wake,
  early_end,
  end_main,
  end_finish,
  end_count,
  idle,
  raise,
  fence,
  look,
  look_stop,
  look_main,
  close_foreign,
  close_ends,
  close_makings,
  close_foreign_late,
  close_cas,
  close_store,
  stop,
  wake_all,
  lower,
  sleep,
  last_clear,
  last_wait,
  left,
  visit,
  visit_late,
  look_kernel,
  admit,
  inject,
  leave,
  refused,
  done,
};

enum status : std::uint8_t { unborn, made, running, ended, refused_task };
enum broken : std::uint8_t { none, closed_early, born_after_close, touched_dead, lost_task, twice };

struct state {
  struct thread_state {
    at pc, next;                          // next: after the wake loop
    std::uint8_t task, index, sum, seen;  // seen: the foreign word, as read by close
    std::uint8_t other;
  };
  store_buffers<max_threads, variables, capacity> shared;
  thread_state thread[max_threads];
  std::uint8_t tasks[max_tasks];  // ghost: status
  std::uint8_t is_closed, is_freed, broken_promise, born;
};

class termination {
 public:
  using state = ending::state;
  termination(const variant& how, memory_order_model order) : how_(how), order_(order) {}

  state initial() const {
    state s{};
    for (int t = 0; t < max_threads; ++t)
      s.thread[t].pc = t < how_.workers                                     ? at::idle
                       : t >= max_workers && t - max_workers < how_.foreign ? at::visit
                                                                            : at::done;
    s.shared.memory[kernel_set] = 1;
    s.shared.memory[made0] = 1;  // kernel::run counts the main task before there are threads
    s.tasks[0] = made;
    s.born = 1;
    s.shared.memory[queued0] = 1;
    return s;
  }

  const char* violation(const state& s) const {
    static const char* const text[] = {
        nullptr,
        "the run is closed although a task has not ended",
        "a task is made after the run was closed",
        "a thread touches the kernel after it was freed",
        "a task was accepted and never run",
        "a task is run twice",
    };
    return text[s.broken_promise];
  }

  bool finished(const state& s) const {
    for (int t = 0; t < max_threads; ++t)
      if (s.thread[t].pc != at::done && s.thread[t].pc != at::left && s.thread[t].pc != at::refused)
        return false;
    return s.shared.empty() && s.is_freed != 0;
  }

  void canonical(state&) const {}

  const char* name(int who) const {
    static const char* const names[] = {"worker 0", "worker 1", "worker 2", "thread 1", "thread 2"};
    return names[who];
  }

  std::string print(const state& s) const {
    const auto& m = s.shared.memory;
    std::string text =
        "foreign=" + std::to_string(m[foreign_made] / 2) + (m[foreign_made] & 1 ? ",closed" : "");
    for (int w = 0; w < how_.workers; ++w)
      text += " | w" + std::to_string(w) + " made=" + std::to_string(m[made0 + w]) +
              " finished=" + std::to_string(m[finished0 + w]) +
              (s.shared.count[w] != 0 ? " +" + std::to_string(s.shared.count[w]) + " stores pending" : "");
    text += " | tasks";
    static const char* const names[] = {" -", " made", " runs", " ended", " refused"};
    for (int k = 0; k < how_.tasks; ++k) text += names[s.tasks[k]];
    return text;
  }

  template <class E>
  void steps(const state& s, E emit) const {
    for (int t = 0; t < max_threads; ++t) {
      for (int k = 0; k < s.shared.count[t]; ++k) {
        if (!s.shared.may_leave(t, k, order_)) continue;
        state n = s;
        n.shared.leave(t, k);
        emit(n, t, "a store leaves the buffer");
      }
      if (t < max_workers)
        worker_steps(s, t, emit);
      else
        thread_steps(s, t, emit);
    }
  }

 private:
  std::uint8_t load(const state& s, int t, int v) const { return s.shared.load(t, v); }
  // A read-modify-write: the own buffer is empty, and memory is read and written at once.
  std::uint8_t& rmw(state& n, int t, int v) const {
    n.shared.drain(t);
    return n.shared.memory[v];
  }
  static void go(state::thread_state& me, at pc) {
    me.pc = pc;
    me.index = 0;
  }
  void touch(state& n) const {
    if (n.is_freed != 0) n.broken_promise = touched_dead;
  }
  void check_closed(state& n) const {
    n.is_closed = 1;
    for (std::uint8_t k : n.tasks)
      if (k == made || k == running) n.broken_promise = closed_early;
  }
  void give_birth(state& n, state::thread_state& me) const {
    me.task = n.born++;
    n.tasks[me.task] = made;
  }

  // wake_one: the flag of each worker, one after the other; true if this was the last.
  bool wake_next(state& n, int t, bool all) const {
    state::thread_state& me = n.thread[t];
    const int w = me.index++;
    if (w != t && load(n, t, asleep0 + w) == 1) {
      std::uint8_t& flag = rmw(n, t, asleep0 + w);
      if (flag == 1) {
        flag = 0;
        if (!all) me.index = static_cast<std::uint8_t>(how_.workers);
      }
    }
    return me.index >= how_.workers;
  }

  template <class E>
  void worker_steps(const state& s, int w, E emit) const;
  template <class E>
  void thread_steps(const state& s, int t, E emit) const;

  variant how_;
  memory_order_model order_;
};

}  // namespace models::ending
