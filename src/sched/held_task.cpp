// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that do not begin before something has happened.
#include "sched/held_task.hpp"

#include "sched/kernel.hpp"
#include "sched/scheduler.hpp"
#include "sched/tasks.hpp"
#include "sched/tracing.hpp"

namespace hocket::detail {
using namespace task_word;

void hold(descriptor* d) {
  d->word.store(d->word.load(std::memory_order_relaxed) | claimed, std::memory_order_relaxed);
  worker* w = current_worker();
  if (w != nullptr) {
    count_made(w, d, w->counts.spawned);
    w->kernel_->spread(d);
    w->kernel_->held_tasks.fetch_add(1, std::memory_order_relaxed);
  } else {
    bool admitted;
    {
      const kernel_visit k;
      admitted = k && k->admit_foreign(d);
      if (admitted) k->spread(d), k->held_tasks.fetch_add(1, std::memory_order_relaxed);
    }  // over before the closure is destroyed, which may wait for the end of the visits
    if (!admitted) throw_not_running(d);
  }
  if (HOCKET_UNLIKELY(watching)) watch_made(w, d);
}

void begin_held(descriptor* d) {
  if (worker* w = current_worker()) {
    d->word.fetch_sub(claimed, std::memory_order_release);  // virtual from now on
    w->kernel_->held_tasks.fetch_sub(1, std::memory_order_relaxed);
    queue_virtual(w, d);
    return;
  }
  const kernel_visit k;  // before it can be run, and the run end
  if (!k) return;
  d->word.fetch_sub(claimed, std::memory_order_release);
  k->held_tasks.fetch_sub(1, std::memory_order_relaxed);
  k->inject(d);
}

void let_begin(held_task* h) {
  if (h->left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  descriptor* d = h->begins;
  delete h;
  begin_held(d);
}

}  // namespace hocket::detail
