// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers made and ended, work injected, and run().
#include "sched/kernel.hpp"

#include <pthread.h>
#include <sched.h>

#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include <hocket/error.hpp>
#include <hocket/run.hpp>
#include <hocket/stats.hpp>
#include <hocket/topology.hpp>

#include "base/cpu_pause.hpp"
#include "base/defaults.hpp"
#include "context/overflow.hpp"
#include "sched/depot.hpp"
#include "sched/park.hpp"
#include "sched/scheduler.hpp"
#include "sched/tasks.hpp"
#include "sched/tracing.hpp"

namespace hocket::detail {

constinit atomic<bool> forked{false};

namespace {

atomic<bool> run_goes_on{false};  // acquire by the run that begins, release by the one that ends
atomic<kernel*> the_kernel{
    nullptr};  // seq_cst, with `visitors`: a visitor is counted before it reads the pointer
alignas(128) atomic<std::uint32_t> visitors{
    0};  // kernel_visits that go on; alone: workers read what lies beside
alignas(128) atomic<kernel*> initialized{nullptr};  // by initialize(), until finalize(); acq_rel

/// In the child of a fork(): the other workers are not there, and its one thread is none.
void in_child() {
  if (the_kernel.load(std::memory_order_relaxed) == nullptr) return;
  forked.store(true, std::memory_order_relaxed);
  the_kernel.store(nullptr, std::memory_order_relaxed);
  initialized.store(nullptr, std::memory_order_relaxed);
  leave_task();
}

/// How many workers: as asked, but no more than there may be threads.
unsigned workers_for(const options& o) {
  const unsigned n = o.workers != 0 ? o.workers : available_cores();
  if (o.max_threads == 0 || n <= o.max_threads) return n;
  if (o.workers != 0) {
    throw error(errc::invalid_option, "workers=" + std::to_string(n) +
                                          " is more than max_threads=" + std::to_string(o.max_threads) +
                                          " allows; raise one or lower the other");
  }
  return o.max_threads;
}

/// How many threads may make blocking calls: what the limit leaves beside workers and ticker.
std::size_t blocking_threads_for(const options& o) {
  if (o.max_threads == 0) return default_blocking_threads;
  const unsigned others = workers_for(o) + 1;
  return o.max_threads > others ? o.max_threads - others : 0;
}

/// Whether the limit leaves a thread for the ticker.
bool allows_ticker(const options& o) { return o.max_threads == 0 || workers_for(o) < o.max_threads; }

overflow_report describe_overflow(char* area) {
  real_task* t = task_in(area);
  return {name_of(t), t->stack_bytes()};
}

void pin_to(unsigned processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);  // a refusal costs speed only
}

}  // namespace

kernel_visit::kernel_visit() {
  visitors.fetch_add(1, std::memory_order_seq_cst);  // then look; the mirror image is in retire
  kernel_ = the_kernel.load(std::memory_order_seq_cst);
}
kernel_visit::~kernel_visit() { visitors.fetch_sub(1, std::memory_order_release); }

kernel::kernel(const options& o)
    : settings(o),
      timers(now_ns()),
      blocking(blocking_threads_for(o)),
      first_ticks(ticks()),
      first_ns(now_ns()) {
  this_machine();  // before any worker is pinned: it looks at the affinity mask
  register_membarrier();
  install_overflow_handler(&describe_overflow);
  const unsigned cores = available_cores();
  const unsigned n = workers_for(o);
  default_class = stack_class_for(o.stack_size != 0 ? o.stack_size : default_stack_size);
  inline_reserve = stack_class_bytes(default_class) / 2;
  shared_fp = o.fp_env == fp_environment::shared;
  pins = o.pin && n <= this_machine().allowed;
  stealing_ = o.steal;
  spin_ns_ = 1000 * std::uint64_t{o.spin != 0 ? o.spin : default_spin};
  // A stolen child that ends soon is cheaper to look at than to suspend for, unless nobody else can be
  // running it.
  join_spins = n == 1 ? 0 : n <= cores ? 100 : 10;  // about what suspending costs
  for (unsigned i = 0; i < n; ++i) {
    auto w = std::make_unique<worker>();
    w->kernel_ = this;
    w->number = i;
    w->random = 0x9e3779b97f4a7c15u * (i + 1);
    workers.push_back(std::move(w));
  }
  make_shepherds();
}

kernel::~kernel() {
  add_apart(workers[0]->counts);
  for (auto& w : workers) the_depot().retire(*w);
}

/// What is not counted by workers: tasks of other threads, and daemons.
void kernel::add_apart(worker_counts& c) const {
  const std::uint64_t daemons =
      daemons_made.load(std::memory_order_relaxed) - foreign_daemons_.load(std::memory_order_relaxed);
  const std::uint64_t foreign = foreign_made_.load(std::memory_order_relaxed) / foreign_one;
  c.spawned.add(foreign - foreign_begun.load(std::memory_order_relaxed) + daemons);
  c.begun.add(foreign_begun.load(std::memory_order_relaxed));
  c.finished.add(daemons_ended.load(std::memory_order_relaxed));
}

void kernel::thread_main(worker* w) {
  char name[16];
  std::snprintf(name, sizeof name, "hocket-%u", w->number);
  pthread_setname_np(pthread_self(), name);
  if (pins) pin_to(this_machine().processors[w->number]);
  const signal_stack stack;
  run_worker(w);
}

/// Threads for the workers from number `from` on, and the ticker.
void kernel::make_threads(std::size_t from) {
  own_threads.store(static_cast<unsigned>(from), std::memory_order_seq_cst);
  if (allows_ticker(settings)) {
    try {
      ticker_.emplace(*this);
      own_threads.fetch_add(1, std::memory_order_seq_cst);
    } catch (const std::system_error&) {  // SIGUSR1 and time slices are not had then
    }
  }
  threads_.reserve(workers.size());
  try {
    for (std::size_t i = from; i < workers.size(); ++i) {
      own_threads.fetch_add(1, std::memory_order_seq_cst);  // before it can look
      threads_.emplace_back([this, w = workers[i].get()] { thread_main(w); });
    }
  } catch (const std::system_error& e) {
    own_threads.fetch_sub(1, std::memory_order_seq_cst);
    // Fewer workers than asked for do the same work; none of those that exist may be left behind.
    if (threads_.empty()) {
      if (from == 0 || shepherds_.size() > 1) {
        throw error(errc::no_threads, std::string("no worker thread could be made: ") + e.what());
      }
      std::fprintf(stderr, "hocket: no worker thread could be made (%s); one worker runs all tasks\n",
                   e.what());
    }
  }
}

void kernel::join_threads() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  ticker_.reset();
  if (exception_ != nullptr) std::rethrow_exception(std::exchange(exception_, nullptr));
}

void kernel::run(descriptor* main_task) {
  main_task_ = main_task;
  worker* first = workers[0].get();
  real_task* t;
  try {
    t = take_stack(first, std::max(default_class, stack_class_of(main_task, this)));
  } catch (...) {  // it will never run: the handle is the only reference left
    main_task->operations->destroy_closure(main_task);
    main_task->word.fetch_sub(task_word::reference, std::memory_order_relaxed);
    throw;
  }
  first->counts.started.publish();
  main_task->word.fetch_or(task_word::claimed, std::memory_order_relaxed);
  begin_with(t, main_task, begun_as::main);
  t->on = first;
  first->queues.push_ready(t);
  make_threads(1);
  {
    struct at_end {
      kernel* k;
      ~at_end() { k->unpin(); }
    } end{this};
    if (pins) pin_to(this_machine().processors[0]);
    const signal_stack stack;
    run_worker(first);
  }
  join_threads();
}

void kernel::unpin() const {
  if (pins && mask_known_) pthread_setaffinity_np(pthread_self(), sizeof mask_, &mask_);
}

void kernel::start() { make_threads(0); }

void kernel::finish() {
  main_done_.store(true, std::memory_order_release);
  // All may sleep, and nobody else would come to see that it is over.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  wake_a_sleeper();
  count_parked(true);  // this thread wakes nobody from now on
  struct at_end {
    ~at_end() { count_parked(false); }
  } end;
  join_threads();
}

void kernel::inject(real_task* t) {
  t->link = injected_tasks_.load(std::memory_order_relaxed);
  while (!injected_tasks_.compare_exchange_weak(t->link, t, std::memory_order_seq_cst,
                                                std::memory_order_relaxed)) {
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);  // this thread may be none that heavy_fence knows of
  wake_one();
}
void kernel::inject(descriptor* d) noexcept {
  spread(d);
  if (const std::uint64_t v = d->word.load(std::memory_order_relaxed); shepherd_of(v) != no_shepherd) {
    queue_bound(virtual_entry(d), shepherd_of(v), level_of(v));
    return;
  }
  {
    const std::lock_guard lock(injection_lock_);
    injected_.push_back(d);
    injected_descriptors_.store(injected_.size(), std::memory_order_relaxed);
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
  wake_one();
}

bool kernel::take_injected_ready(worker* w) {
  bool any = false;
  if (injected_tasks_.load(std::memory_order_relaxed) != nullptr) {
    real_task* list = injected_tasks_.exchange(nullptr, std::memory_order_acquire);
    real_task* in_order = nullptr;
    while (list != nullptr) {
      real_task* t = std::exchange(list, list->link);
      t->link = std::exchange(in_order, t);
    }
    for (; in_order != nullptr; any = true) {
      real_task* t = std::exchange(in_order, in_order->link);
      w->counts.resumed.bump();
      queue_ready(w, t);
    }
  }
  if (any) wake_one();  // in transit, it was in nobody's sight
  return any;
}

bool kernel::take_injected_virtual(worker* w) {
  if (injected_descriptors_.load(std::memory_order_relaxed) == 0) return false;
  std::vector<descriptor*>& taken = w->taken;
  taken.clear();
  {
    const std::lock_guard lock(injection_lock_);
    taken.swap(injected_);
    injected_descriptors_.store(0, std::memory_order_relaxed);
  }
  // The newest first, so that the worker, which takes the newest, begins with the oldest.
  for (std::size_t i = taken.size(); i-- > 0;) {
    if (i >= 8) __builtin_prefetch(taken[i - 8]);  // written by another core a moment ago
    w->queues.push_virtual(virtual_entry(taken[i]), level_of(taken[i]->word.load(std::memory_order_relaxed)));
  }
  if (taken.empty()) return false;
  wake_one();  // in transit, they were in nobody's sight
  return true;
}

void kernel::keep_exception(std::exception_ptr e) {
  std::lock_guard lock(exception_mutex_);
  if (exception_ == nullptr) exception_ = std::move(e);
}

namespace {

std::string forked_sentence(const char* what) {
  return std::string(what) +
         " in a process that was forked from one in which a run goes on, where only the " +
         "thread that forked is left; call exec or _exit there, or fork before the run";
}

/// Begins the one run of the process.
kernel* begin_run(const options& o) {
  if (forked_away()) throw error(errc::not_running, forked_sentence("a run was begun"));
  if (current_task() != nullptr || run_goes_on.exchange(true, std::memory_order_acquire)) {
    throw error(errc::already_running,
                "run() or initialize() was called while a run goes on; call it when that one has ended");
  }
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(nullptr, nullptr, &in_child); });
  kernel* k;
  try {
    auto made = std::make_unique<kernel>(o);
    begin_watching(o.trace.c_str(), o.stats, static_cast<unsigned>(made->workers.size()));
    k = made.release();
  } catch (...) {
    run_goes_on.store(false, std::memory_order_release);
    throw;
  }
  the_kernel.store(k, std::memory_order_seq_cst);
  return k;
}

/// Ends it: nobody finds the kernel any more, and it is destroyed when nobody uses it.
void retire(kernel* k) {
  the_kernel.store(nullptr, std::memory_order_seq_cst);  // then wait for those who read it before
  for (unsigned i = 0; visitors.load(std::memory_order_seq_cst) != 0; ++i) back_off(i);
  const bool prints = k->settings.stats;
  end_watching();
  delete k;
  if (prints) print(stats(), stderr);
  run_goes_on.store(false, std::memory_order_release);
}

}  // namespace

void throw_outside_run(const char* what) {
  if (forked_away()) throw error(errc::not_running, forked_sentence(what));
  throw error(errc::not_running,
              std::string(what) +
                  " while no run goes on; do it inside run(), or between initialize() and finalize()");
}

run_scope::run_scope(const options& o) : kernel_(begin_run(o)) {}
run_scope::~run_scope() { retire(kernel_); }
void run_scope::run(descriptor* d) { kernel_->run(d); }

void report_uncaught(const char* what) noexcept { std::fprintf(stderr, "hocket: %s\n", what); }

}  // namespace hocket::detail

void hocket::initialize(const options& o) {
  detail::kernel* k = detail::begin_run(o);
  try {
    k->start();
  } catch (...) {
    detail::retire(k);
    throw;
  }
  detail::initialized.store(k, std::memory_order_release);
}

void hocket::finalize() {
  if (detail::forked_away()) detail::throw_outside_run("finalize() was called");
  if (detail::current_task() != nullptr) {
    throw error(
        errc::not_a_thread,
        "finalize() was called by a task, for whose end it would wait; call it from a thread that is none");
  }
  detail::kernel* k = detail::initialized.exchange(nullptr, std::memory_order_acq_rel);
  if (k == nullptr) {
    throw error(errc::not_running, "finalize() was called without an initialize() before it; call each once");
  }
  struct at_end {
    detail::kernel* k;
    ~at_end() { detail::retire(k); }
  } end{k};
  k->finish();
}

bool hocket::running() { return detail::the_kernel.load(std::memory_order_acquire) != nullptr; }
