// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shepherds: groups of workers near to one another, and the tasks that are bound to one.
#include <hocket/shepherds.hpp>

#include <algorithm>
#include <mutex>

#include <hocket/stats.hpp>
#include <hocket/topology.hpp>

#include "sched/kernel.hpp"
#include "sched/scheduler.hpp"
#include "sched/tasks.hpp"

namespace hocket::detail {

/// Workers are placed on the machine's processors in order, and those come in order of their locality
/// domains: so a shepherd's workers are neighbours. By default there is a shepherd a domain.
void kernel::make_shepherds() {
  const machine& m = this_machine();
  const auto n = static_cast<unsigned>(workers.size());
  unsigned count = std::min(settings.shepherds, n);
  const bool by_domain = count == 0 && n <= m.allowed;
  if (by_domain) {
    for (unsigned i = 0; i < n; ++i) {
      if (i > 0 && m.domains[i] != m.domains[i - 1]) ++count;
      workers[i]->shepherd = static_cast<std::uint16_t>(count);
    }
    ++count;
  } else {
    count = std::max(count, 1u);
    for (unsigned i = 0; i < n; ++i) workers[i]->shepherd = static_cast<std::uint16_t>(i * count / n);
  }
  for (unsigned i = 0; i < count; ++i) shepherds_.push_back(std::make_unique<shepherd>());
  for (auto& w : workers) {
    shepherds_[w->shepherd]->workers.push_back(w.get());
    w->bound_waiting = &shepherds_[w->shepherd]->waiting;
  }
}

void kernel::spread_in_turn(descriptor* d) {
  if (shepherds_.size() == 1) return;
  if ((d->word.load(std::memory_order_relaxed) & task_word::shepherd_mask) != 0) return;
  const std::uint64_t k = next_shepherd_.fetch_add(1, std::memory_order_relaxed) % shepherds_.size();
  d->word.fetch_or((k + 1) << task_word::shepherd_shift, std::memory_order_relaxed);
}

/// The work is in the queue; now a worker of the shepherd must look. Either it sees `waiting` in its last
/// look before it sleeps (heavy fence there), or it is seen asleep here.
void kernel::announce_bound(shepherd& s) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (worker* w : s.workers) {
    if (w->asleep.load(std::memory_order_relaxed) != worker::is_awake && wake_this(w)) return;
  }
}

void kernel::queue_bound(real_task* t) {
  shepherd& s = *shepherds_[t->bound_to.load(std::memory_order_relaxed)];
  {
    const std::lock_guard lock(s.lock);
    s.bound.at[t->level.load(std::memory_order_relaxed)].ready.push_back(t);
    s.waiting.store(s.waiting.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  announce_bound(s);
}

void kernel::queue_bound(virtual_entry e, unsigned number, unsigned level) {
  shepherd& s = *shepherds_[number];
  {
    const std::lock_guard lock(s.lock);
    s.bound.at[level].entries.push_back(e);
    s.waiting.store(s.waiting.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  announce_bound(s);
}

work kernel::take_bound(worker* w, unsigned lowest, bool oldest) {
  shepherd& s = *shepherds_[w->shepherd];
  const std::lock_guard lock(s.lock);
  unsigned level = 0;
  const work best = s.bound.pop_best(lowest, oldest, level);
  if (best) s.waiting.store(s.waiting.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  return best;
}

void kernel::move_up(real_task* t, unsigned to) {
  const worker* self = current_task()->on;
  if (const std::uint16_t bound = t->bound_to.load(std::memory_order_relaxed); bound != no_shepherd) {
    shepherd& s = *shepherds_[bound];
    const std::lock_guard lock(s.lock);
    for (unsigned level = 0; level < to; ++level) {
      if (!s.bound.at[level].ready.remove(t)) continue;
      s.bound.at[to].ready.push_back(t);
      return;
    }
  } else {
    for (auto& w : workers) w->queues.move_up(t, to, w.get() == self);
  }
}

}  // namespace hocket::detail

namespace hocket {
namespace {
/// Calls f with the kernel of the run that goes on, or throws.
template <class F>
unsigned ask(const char* what, F f) {
  if (detail::real_task* t = detail::current_task()) return f(*t->on->kernel_);
  const detail::kernel_visit k;
  if (!k) detail::throw_outside_run(what);
  return f(*k);
}
}  // namespace

unsigned shepherds() {
  return ask("shepherds()", [](const detail::kernel& k) { return k.shepherds(); });
}
unsigned workers() {
  return ask("workers()", [](const detail::kernel& k) { return static_cast<unsigned>(k.workers.size()); });
}
unsigned workers_of(unsigned shepherd) {
  return ask("workers_of()", [shepherd](const detail::kernel& k) {
    return shepherd < k.shepherds() ? static_cast<unsigned>(k.workers_of(shepherd).size()) : 0;
  });
}

task_counts tasks_by_state() {
  task_counts c;
  const detail::kernel_visit k;
  if (!k) return c;
  const statistics s = stats();
  for (auto& w : k->workers) {
    c.ready += w->queues.ready_hint();
    c.virtual_tasks += w->queues.virtual_hint();
    detail::real_task* t = w->current.load(std::memory_order_acquire);
    c.running += t != nullptr && t->runs.load(std::memory_order_relaxed) != nullptr;
  }
  c.suspended = s.suspended > s.resumed ? s.suspended - s.resumed : 0;
  return c;
}

unsigned this_task::shepherd() {
  const detail::real_task* t = detail::current_task();
  return t == nullptr ? any_shepherd : t->on->shepherd;
}

}  // namespace hocket
