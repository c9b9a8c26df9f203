// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers made and ended, work injected, and run().
#include "sched/kernel.hpp"

#include <pthread.h>
#include <sched.h>

#include <cstdio>
#include <cstring>
#include <utility>

#include <hocket/error.hpp>
#include <hocket/run.hpp>
#include <hocket/stats.hpp>
#include <hocket/topology.hpp>

#include "base/defaults.hpp"
#include "context/overflow.hpp"
#include "sched/depot.hpp"
#include "sched/scheduler.hpp"
#include "sched/tasks.hpp"

namespace hocket::detail {
namespace {

atomic<bool> run_goes_on{false};  // acquire by the run that begins, release by the one that ends
atomic<kernel*> the_kernel{
    nullptr};  // seq_cst, with `visitors`: a visitor is counted before it reads the pointer
atomic<std::uint32_t> visitors{0};  // kernel_visits that go on

overflow_report describe_overflow(char* area) {
  real_task* t = task_in(area);
  return {t->name, t->stack_bytes()};
}

void pin_to(unsigned processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);  // a refusal costs speed only
}

/// The calling thread's affinity mask, put back when the run ends.
class kept_affinity {
 public:
  kept_affinity() { known_ = pthread_getaffinity_np(pthread_self(), sizeof set_, &set_) == 0; }
  ~kept_affinity() {
    if (known_) pthread_setaffinity_np(pthread_self(), sizeof set_, &set_);
  }

 private:
  cpu_set_t set_;
  bool known_;
};

}  // namespace

kernel_visit::kernel_visit() {
  visitors.fetch_add(1, std::memory_order_seq_cst);  // then look; the mirror image is in ~run_scope
  kernel_ = the_kernel.load(std::memory_order_seq_cst);
}
kernel_visit::~kernel_visit() { visitors.fetch_sub(1, std::memory_order_release); }

kernel::kernel(const options& o) : settings(o) {
  this_machine();  // before any worker is pinned: it looks at the affinity mask
  register_membarrier();
  install_overflow_handler(&describe_overflow);
  const unsigned cores = available_cores();
  const unsigned n = o.workers != 0 ? o.workers : cores;
  default_class = stack_class_for(o.stack_size != 0 ? o.stack_size : default_stack_size);
  inline_reserve = stack_class_bytes(default_class) / 2;
  shared_fp = o.fp_env == fp_environment::shared;
  pins = o.pin && n <= this_machine().allowed;
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
}

kernel::~kernel() {
  workers[0]->counts.spawned.add(foreign_spawned.load(std::memory_order_relaxed));
  workers[0]->counts.begun.add(foreign_begun.load(std::memory_order_relaxed));
  for (auto& w : workers) the_depot().retire(*w);
}

void kernel::thread_main(worker* w) {
  char name[16];
  std::snprintf(name, sizeof name, "hocket-%u", w->number);
  pthread_setname_np(pthread_self(), name);
  if (pins) pin_to(this_machine().processors[w->number]);
  const signal_stack stack;
  work(w);
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
  t->begins_with = main_task;
  t->on = first;
  first->queues.push_ready(t);
  try {
    threads_.reserve(workers.size());
    for (std::size_t i = 1; i < workers.size(); ++i) {
      threads_.emplace_back([this, w = workers[i].get()] { thread_main(w); });
    }
  } catch (const std::system_error& e) {
    // Fewer workers than asked for do the same work; none of those that exist may be left behind.
    if (threads_.empty() && workers.size() > 1) {
      std::fprintf(stderr, "hocket: no worker thread could be made (%s); one worker runs all tasks\n",
                   e.what());
    }
  }
  {
    const kept_affinity mask;
    if (pins) pin_to(this_machine().processors[0]);
    const signal_stack stack;
    work(first);
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  if (exception_ != nullptr) std::rethrow_exception(std::exchange(exception_, nullptr));
}

void kernel::inject(real_task* t) {
  t->link = injected_tasks_.load(std::memory_order_relaxed);
  while (!injected_tasks_.compare_exchange_weak(t->link, t, std::memory_order_seq_cst,
                                                std::memory_order_relaxed)) {
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);  // this thread may be none that heavy_fence knows of
  wake_one();
}
void kernel::inject(descriptor* d) {
  d->link = injected_descriptors_.load(std::memory_order_relaxed);
  while (!injected_descriptors_.compare_exchange_weak(d->link, d, std::memory_order_seq_cst,
                                                      std::memory_order_relaxed)) {
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
  wake_one();
}

bool kernel::take_injected(worker* w) {
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
      w->queues.push_ready(t);
    }
  }
  if (injected_descriptors_.load(std::memory_order_relaxed) != nullptr) {
    descriptor* list = injected_descriptors_.exchange(nullptr, std::memory_order_acquire);
    for (; list != nullptr;
         any = true) {  // newest first, so that the worker, which takes the newest, begins with the oldest
      descriptor* d = std::exchange(list, list->link);
      w->queues.push_virtual(virtual_entry(d));
    }
  }
  if (any) wake_one();  // in transit, it was in nobody's sight
  return any;
}

void kernel::keep_exception(std::exception_ptr e) {
  std::lock_guard lock(exception_mutex_);
  if (exception_ == nullptr) exception_ = std::move(e);
}

run_scope::run_scope(const options& o) {
  if (current_task() != nullptr || run_goes_on.exchange(true, std::memory_order_acquire)) {
    throw error(errc::already_running,
                "run() was called while a run goes on; call it when that one has returned");
  }
  try {
    kernel_ = new kernel(o);
  } catch (...) {
    run_goes_on.store(false, std::memory_order_release);
    throw;
  }
  the_kernel.store(kernel_, std::memory_order_seq_cst);
}

run_scope::~run_scope() {
  the_kernel.store(nullptr, std::memory_order_seq_cst);  // then wait for those who read it before
  while (visitors.load(std::memory_order_seq_cst) != 0) sched_yield();
  const bool prints = kernel_->settings.stats;
  delete kernel_;
  if (prints) print(stats(), stderr);
  run_goes_on.store(false, std::memory_order_release);
}

void run_scope::run(descriptor* d) { kernel_->run(d); }

void report_uncaught(const char* what) noexcept { std::fprintf(stderr, "hocket: %s\n", what); }

}  // namespace hocket::detail

bool hocket::running() { return detail::the_kernel.load(std::memory_order_acquire) != nullptr; }
