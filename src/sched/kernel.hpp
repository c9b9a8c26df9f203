// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run's workers and what they share: injected work, sleeping and waking, and the end of the run.
#pragma once
#include <pthread.h>
#include <sched.h>

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include <hocket/options.hpp>

#include "base/clock.hpp"
#include "sched/blocking_threads.hpp"
#include "sched/queue_set.hpp"
#include "sched/ticker.hpp"
#include "sched/timers.hpp"
#include "sched/worker.hpp"

namespace hocket::detail {

/// How often every worker takes the oldest virtual or injected task, so that none starves.
inline constexpr std::uint32_t fairness_period = 61;

class kernel {
 public:
  /// Makes the workers, but no thread yet.
  explicit kernel(const options&);
  ~kernel();

  /// Runs the descriptor as main task on the calling thread as worker 0; returns when all tasks have ended.
  void run(descriptor* main_task);
  /// start() makes a thread for every worker; finish() returns when all tasks have ended, and rethrows.
  void start();
  void finish();

  // --- work from threads that are not workers
  void inject(real_task*);
  void inject(descriptor*) noexcept;  // without memory to queue it, the program ends
  /// Counts a task that another thread is about to inject; false if the run has ended.
  bool admit_foreign(const descriptor*);
  /// Moves what was injected into the worker's queues, tasks that were made ready and virtual ones; true if
  /// there was anything.
  bool take_injected(worker* w) {
    const bool any = take_injected_ready(w);
    return take_injected_virtual(w) || any;
  }
  bool take_injected_ready(worker*);
  bool take_injected_virtual(worker*);

  // --- shepherds (shepherds.cpp)
  unsigned shepherds() const { return static_cast<unsigned>(shepherds_.size()); }
  const std::vector<worker*>& workers_of(unsigned number) const { return shepherds_[number]->workers; }
  /// Binds a task to the shepherds in turn, where nothing is stolen between them.
  void spread(descriptor* d) {
    if (HOCKET_UNLIKELY(stealing_ != stealing::all)) spread_in_turn(d);
  }
  void queue_bound(real_task*);
  void queue_bound(virtual_entry, unsigned shepherd, unsigned level);
  bool has_bound(const worker* w) const { return w->bound_waiting->load(std::memory_order_relaxed) != 0; }
  work take_bound(worker*, unsigned lowest, bool oldest);
  /// Moves a ready task up to a level, wherever it lies. From a worker.
  void move_up(real_task*, unsigned level);

  // --- timers
  void set_timer(timer*);
  bool has_timers() const { return timers.next() != never; }
  /// Runs what is due, if the worker has not looked for a while.
  void look_at_timers(worker* w) {
    const std::uint64_t now = ticks();
    if (now - w->looked_at_timers < ticks_of_a_while) return;
    w->looked_at_timers = now;
    if (timers.next() <= now_ns()) run_timers(w);
  }
  void run_timers(worker*);

  // --- idle workers
  /// wake_one() makes sure that a worker looks for work, if one is idle. Call after the work can be found.
  void wake_one() {
    light_fence();  // the work, then the count; the mirror image is in fall_asleep
    if (HOCKET_UNLIKELY(sleeping_.load(std::memory_order_relaxed) != 0)) wake_a_sleeper();
  }
  bool anyone_sleeps() const {
    light_fence();  // as in wake_one
    return sleeping_.load(std::memory_order_relaxed) != 0;
  }
  /// look_for_work() returns when there may be something to do for the worker, having slept if need be: a
  /// stolen child, or null when its queues have got entries, or when the run is to stop.
  slot* look_for_work(worker*);
  bool stopping() const { return stopping_.load(std::memory_order_acquire); }
  bool all_asleep() const { return sleeping_.load(std::memory_order_seq_cst) == workers.size(); }
  bool main_is_done() const { return main_done_.load(std::memory_order_acquire); }
  /// Tasks made and not ended, daemons apart; exact when all sleep.
  struct unended_tasks {
    std::uint64_t usual, daemons;
  };
  unended_tasks unended() const;

  // --- the end
  /// Called by execute() for every descriptor that has ended.
  void note_end(const descriptor* d) {
    if (HOCKET_UNLIKELY(d == main_task_)) main_done_.store(true, std::memory_order_release);
  }
  /// When a task has ended after the main task: a daemon that never waits keeps its worker from looking.
  void end_daemons_if_alone();
  void keep_exception(std::exception_ptr);  // of a detached task: the first one comes out of run
  void add_apart(worker_counts&) const;
  std::stop_token daemon_stop() const { return daemon_stop_.get_token(); }

  std::vector<std::unique_ptr<worker>> workers;
  options settings;
  timer_wheel timers;
  blocking_threads blocking;
  unsigned default_class = 0;
  // Bytes of stack that a wait must have left to run a virtual task: half a stack.
  std::size_t inline_reserve = 0;
  /// ticks() to a tenth of a second, which costs a task that suspends a load: the processor's counter would
  /// cost more than all the rest. 0 while nobody keeps it (ticker.cpp); relaxed.
  atomic<std::uint64_t> coarse_ticks{0};
  /// Tasks that are held back (held_task.hpp); relaxed, for reports, which are exact at a standstill.
  atomic<std::size_t> held_tasks{0};
  unsigned join_spins = 0;  // looks at a stolen child before its parent suspends
  bool shared_fp = false;
  // Detached tasks made by threads that are not workers; relaxed: exact when the run is over.
  alignas(128) atomic<std::uint64_t> foreign_begun{0};
  // Daemons are counted apart: made by release, ended by release; acquire by close_if_all_ended.
  atomic<std::uint64_t> daemons_made{0}, daemons_ended{0};
  bool pins = false;
  /// unpin() lets the calling thread run wherever the thread that began the run may: threads inherit the mask
  /// of the one that makes them, and that of a worker is one core.
  void unpin() const;
  // Threads that run workers or serve them, beside those of blocking calls; seq_cst, as the other count.
  atomic<unsigned> own_threads{0};
  std::uint64_t first_ticks;  // ticks() and now_ns() when the kernel was made
  deadline first_ns;

 private:
  struct shepherd {
    std::vector<worker*> workers;
    spin_lock lock;  // guards `bound`
    queue_set bound;
    atomic<std::size_t> waiting{0};  // in `bound`; written under the lock, read by anyone (see queue_bound)
  };
  void make_shepherds();
  void spread_in_turn(descriptor*);
  void announce_bound(shepherd&);
  void make_threads(std::size_t from);
  void join_threads();
  void thread_main(worker*);
  void wake_a_sleeper();
  void wake_anyone();
  void wake_a_neighbour(const worker*);
  bool wake_this(worker*);
  void become_keeper(worker*);
  void find_keeper();
  bool fall_asleep(worker*);
  void sleep(worker*);
  bool anything_to_do(const worker*);
  enum class ending { not_yet, but_daemons, closed };
  ending close_if_all_ended();
  bool nudge(worker*);
  void stop();
  enum class found { nothing, child, queued };
  found try_steal(worker*, bool insist, slot*& child);
  bool may_steal_from(const worker* w, const worker* v) const {
    return stealing_ == stealing::all || (stealing_ == stealing::inside && w->shepherd == v->shepherd);
  }

  /// What the last worker to fall asleep does, and does again: finds out whether anything can still happen
  /// (standstill.cpp). Returns when to look next.
  deadline look_at_standstill(deadline since);

  static constexpr std::uint64_t closed = 1, foreign_one = 2;
  // What other threads write lies apart from what workers read at every step.
  // Tasks of other threads, times foreign_one; `closed` is set at the end of the run by a compare-and-swap,
  // so that a task is either counted before it or refused (acq_rel both).
  alignas(128) atomic<std::uint64_t> foreign_made_{0};
  // Of these, daemons: raised after (release), read before (acquire).
  atomic<std::uint64_t> foreign_daemons_{0};
  // A list: seq_cst when pushed, with a fence before sleeping_ is read; acquire when taken.
  atomic<real_task*> injected_tasks_{nullptr};
  // Not a list through the descriptors: who has a handle may run one before it is taken.
  spin_lock injection_lock_;
  std::vector<descriptor*> injected_;  // under the lock
  // Its size; written under the lock, read as injected_tasks_ is.
  atomic<std::size_t> injected_descriptors_{0};
  alignas(128) const descriptor* main_task_ = nullptr;
  // Workers that sleep or are about to: raised before their last look (heavy fence between), read after work
  // is published (light fence between).
  atomic<std::uint32_t> sleeping_{0};
  // Workers that look for work, and so look again before they sleep. seq_cst, as sleeping_ beside it.
  atomic<std::uint32_t> searching_{0};
  // The worker that sleeps until the first timer is due; null if none does. seq_cst, against timers.next().
  atomic<worker*> keeper_{nullptr};
  // Release by the end of the main task, acquire by the worker that decides on the end of the run.
  atomic<bool> main_done_{false};
  // Set once, before the sleepers are woken; acquire by everyone.
  atomic<bool> stopping_{false};
  atomic<bool> suspicion_said_{false};  // relaxed: said once, by whoever sets it first
  deadline spin_ns_ = 0;
  stealing stealing_ = stealing::all;
  std::vector<std::unique_ptr<shepherd>> shepherds_;
  atomic<std::uint32_t> next_shepherd_{0};  // for spread(); relaxed
  std::vector<std::thread> threads_;
  std::optional<ticker> ticker_;
  cpu_set_t mask_;
  const bool mask_known_ = pthread_getaffinity_np(pthread_self(), sizeof mask_, &mask_) == 0;
  std::stop_source daemon_stop_;
  std::mutex exception_mutex_;
  std::exception_ptr exception_;
};

/// Whether this process is a fork()ed child of one in which a run goes on: then nothing of it is left here.
extern atomic<bool> forked;  // relaxed: set before the child has a second thread
inline bool forked_away() { return forked.load(std::memory_order_relaxed); }

/// kernel_visit keeps the kernel of the run that goes on, if one does, from being destroyed while a thread
/// that is no worker uses it: the task that such a thread wakes may be the last one.
class kernel_visit {
 public:
  kernel_visit();
  ~kernel_visit();
  kernel_visit(const kernel_visit&) = delete;
  kernel_visit& operator=(const kernel_visit&) = delete;
  explicit operator bool() const { return kernel_ != nullptr; }
  kernel& operator*() const { return *kernel_; }
  kernel* operator->() const { return kernel_; }

 private:
  kernel* kernel_;
};

}  // namespace hocket::detail
