// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks: submitted, claimed, run, waited for.
#include "sched/tasks.hpp"

#include <algorithm>
#include <new>

#include <hocket/detail/local_value.hpp>
#include <hocket/error.hpp>
#include <hocket/stop.hpp>

#include "base/cpu_pause.hpp"
#include "sched/depot.hpp"
#include "sched/kernel.hpp"
#include "sched/park.hpp"
#include "sched/scheduler.hpp"
#include "sched/tracing.hpp"
#include "sched/waiters.hpp"

namespace hocket::detail {
namespace {

using namespace task_word;

/// Publishes the end of the task, wakes all who wait but the first real task, which is returned; drops
/// references.
real_task* finish(descriptor* d, std::uint64_t outcome, unsigned references) {
  const std::uint64_t change = done - claimed + outcome - references * reference;
  std::uint64_t v = d->word.load(std::memory_order_relaxed);
  for (unsigned spins = 0;;) {
    if ((v & locked) != 0) {
      back_off(spins++);
      v = d->word.load(std::memory_order_relaxed);
    } else if ((v & has_waiters) == 0) {
      // release: the result, for done() and waiters' loads.
      if (d->word.compare_exchange_weak(v, v + change, std::memory_order_acq_rel,
                                        std::memory_order_relaxed)) {
        if ((v + change) / reference == 0) destroy_descriptor(d);
        return nullptr;
      }
    } else if (d->word.compare_exchange_weak(v, v | locked, std::memory_order_acquire,
                                             std::memory_order_relaxed)) {
      break;
    }
  }
  // Done before anybody goes on: a future that required it may run at once, and does not pass the lock.
  d->word.fetch_add(done - claimed + outcome, std::memory_order_release);
  real_task* first = fire_all(d->waiters);
  d->waiters = nullptr;
  const std::uint64_t rest = locked + has_waiters + references * reference;
  v = d->word.fetch_sub(rest, std::memory_order_acq_rel);
  if ((v - rest) / reference == 0) destroy_descriptor(d);
  return first;
}

/// Makes a virtual task real: a stack of its own, in the ready queue.
void realise(worker* w, descriptor* d) {
  if ((d->word.load(std::memory_order_relaxed) & state_mask) != virtual_) return;
  const unsigned k = stack_class_of(d, w->kernel_);
  real_task* t = take_stack(w, k);  // before the claim: it may throw
  if (!claim(d, 1)) {
    w->free_stacks[k].push_back(t);
    return;
  }
  w->counts.realised.bump();
  if (HOCKET_UNLIKELY(watching)) watch_realised(w, d);
  begin_with(t, d, begun_as::realise);
  queue_ready(w, t);
}

/// Whether a virtual task may run on its waiter's stack: one bound to a shepherd only if its waiter is, too,
/// and one that was started not at all; and there must be left half of what it would have of its own, or all
/// of it where it asked for a size.
bool may_inline(real_task* t, descriptor* d, std::uint64_t word, const kernel* k) {
  if (HOCKET_UNLIKELY((word & (shepherd_mask | own_stack)) != 0)) {
    if ((word & own_stack) != 0) return false;
    if (shepherd_of(word) != t->bound_to.load(std::memory_order_relaxed)) return false;
  }
  const auto left = static_cast<std::size_t>(static_cast<char*>(__builtin_frame_address(0)) - t->bottom);
  const kept_attributes* a = attributes_of(d);
  const bool asked = a != nullptr && a->stack_size != 0;
  return left >= (asked ? stack_class_bytes(stack_class_of(d, k)) : k->inline_reserve);
}

/// An entry whose task has been claimed through a handle.
bool is_stale(virtual_entry e) {
  return !e.is_task() && (e.as_descriptor()->word.load(std::memory_order_relaxed) & state_mask) != virtual_;
}

void drop_entry(virtual_entry e) { release_descriptor(e.as_descriptor()); }

bool is_done(descriptor* d) { return (d->word.load(std::memory_order_acquire) & state_mask) == done; }

}  // namespace

void begin_with(real_task* t, descriptor* d, begun_as how) {
  if (HOCKET_UNLIKELY(watching)) watch_begin_with(t, d, how);
  t->begins_with = d;
  const std::uint64_t v = d->word.load(std::memory_order_relaxed);
  t->level.store(level_of(v), std::memory_order_relaxed);
  t->bound_to.store(shepherd_of(v), std::memory_order_relaxed);
  set_runner(d, t);
}

void refuse(descriptor* d) {
  d->operations->destroy_closure(d);
  free_unused_descriptor(d);
}

HOCKET_ALWAYS_INLINE static void queue_in_place(worker* w, descriptor* d) {
  const std::uint64_t v = d->word.load(std::memory_order_relaxed);
  if (HOCKET_UNLIKELY((v & shepherd_mask) != 0)) {
    w->kernel_->queue_bound(virtual_entry(d), shepherd_of(v), level_of(v));
    return;
  }
  w->queues.push_virtual(virtual_entry(d), level_of(v));
  w->kernel_->wake_one();
}

void queue_virtual(worker* w, descriptor* d) { queue_in_place(w, d); }

void count_made(worker* w, descriptor* d, tally& count) {
  if (HOCKET_UNLIKELY((d->word.load(std::memory_order_relaxed) & task_word::daemon) != 0)) {
    w->kernel_->daemons_made.fetch_add(1, std::memory_order_release);
  } else {
    count.publish();
  }
}

HOCKET_NOINLINE void submit_virtual(descriptor* d, bool is_detached) {
  if (is_detached)
    d->word.store(d->word.load(std::memory_order_relaxed) | detached, std::memory_order_relaxed);
  worker* w = current_worker();
  if (HOCKET_UNLIKELY(w == nullptr)) {
    bool admitted;
    {
      const kernel_visit k;
      admitted = k && k->admit_foreign(d);
      if (HOCKET_UNLIKELY(watching) && admitted) watch_made(nullptr, d);
      if (admitted) k->inject(d);
    }
    if (!admitted) throw_not_running(d);
    return;
  }
  count_made(w, d, is_detached ? w->counts.begun : w->counts.spawned);
  if (HOCKET_UNLIKELY(watching)) watch_made(w, d);
  w->kernel_->spread(d);
  queue_in_place(w, d);
}

HOCKET_NOINLINE void submit_real(descriptor* d) {
  worker* w = current_worker();
  if (HOCKET_UNLIKELY(w == nullptr)) {  // only a worker has stacks: the next one that looks gives it one
    d->word.store(d->word.load(std::memory_order_relaxed) | own_stack, std::memory_order_relaxed);
    submit_virtual(d, false);
    return;
  }
  real_task* t;
  try {
    t = take_stack(w, stack_class_of(d, w->kernel_));
  } catch (...) {
    refuse(d);
    throw;
  }
  d->word.store(d->word.load(std::memory_order_relaxed) | claimed, std::memory_order_relaxed);
  count_made(w, d, w->counts.started);
  if (HOCKET_UNLIKELY(watching)) watch_made(w, d);
  w->kernel_->spread(d);
  begin_with(t, d, begun_as::start);
  queue_ready(w, t);
}

namespace {

/// A task that was asked to stop before it began: it ends without having run.
void end_unbegun(descriptor* d) {
  d->operations->destroy_closure(d);
  throw cancelled();
}

/// With a stop token of its own, or inside a task that has one: a scope of its own, perhaps with no token.
HOCKET_NOINLINE void invoke_scoped(descriptor* d) {
  stop_link link;
  if ((d->word.load(std::memory_order_relaxed) & scoped) != 0) link.token = token_of(d);
  link.enter();
  struct at_end {
    stop_link& link;
    ~at_end() { link.leave(); }
  } end{link};
  if (link.token.stop_requested()) end_unbegun(d);
  d->operations->invoke(d);
}

/// The exception of a task that nobody waits for comes out of run(), unless it did what it was asked to.
HOCKET_COLD void report_failure(kernel* k, descriptor* d) {
  if ((d->word.load(std::memory_order_relaxed) & scoped) != 0 && token_of(d).stop_requested()) {
    try {
      std::rethrow_exception(*failure_place(d));
    } catch (const cancelled&) {
      return;
    } catch (...) {
    }
  }
  k->keep_exception(*failure_place(d));
}

}  // namespace

HOCKET_COLD void end_locals(real_task* t) {
  const void* task = t->runs.load(std::memory_order_relaxed);
  while (local_value* v = t->locals) {  // what a destructor makes goes too
    if (v->task != task) return;        // of a task that waits below
    t->locals = v->next;
    v->destroy(v);
  }
}

real_task* execute(descriptor* d, unsigned references) {
  real_task* self = current_task();
  if (HOCKET_UNLIKELY(watching)) watch_begins(self, d);
  set_runner(d, self);
  descriptor* outer = self->runs.load(std::memory_order_relaxed);
  self->runs.store(d, std::memory_order_relaxed);
  std::uint64_t outcome = 0;
  try {
    if (HOCKET_UNLIKELY((d->word.load(std::memory_order_relaxed) & scoped) != 0 ||
                        self->scope.load(std::memory_order_relaxed) != nullptr)) {
      invoke_scoped(d);
    } else {
      d->operations->invoke(d);
    }
  } catch (...) {
    new (result_place(d)) std::exception_ptr(std::current_exception());
    outcome = task_word::failed;
  }
  if (HOCKET_UNLIKELY(self->locals != nullptr)) end_locals(self);
  self->runs.store(outer, std::memory_order_relaxed);
  if (HOCKET_UNLIKELY(watching)) watch_ends(self);
  kernel* k = self->on->kernel_;
  const std::uint64_t v = d->word.load(std::memory_order_relaxed);
  if (HOCKET_UNLIKELY(outcome != 0) && (v & detached) != 0) report_failure(k, d);
  k->note_end(d);
  real_task* waiter = finish(d, outcome, references);
  if (HOCKET_UNLIKELY((v & task_word::daemon) != 0)) {
    k->daemons_ended.fetch_add(1, std::memory_order_release);
  } else {
    self->on->counts.finished.publish();
    if (HOCKET_UNLIKELY(k->main_is_done())) k->end_daemons_if_alone();
  }
  return waiter;
}

namespace {

/// Runs a task that has been claimed on its waiter's stack.
HOCKET_ALWAYS_INLINE void run_inline(real_task* t, descriptor* d, unsigned references) {
  t->on->counts.inlined.bump();
  if (HOCKET_UNLIKELY(watching)) watch_inline(t);
  const std::uint8_t outer = t->level.load(std::memory_order_relaxed);
  const std::uint8_t level = level_of(d->word.load(std::memory_order_relaxed));
  if (HOCKET_UNLIKELY(level > outer)) t->level.store(level, std::memory_order_relaxed);
  if (real_task* waiter = execute(d, references)) make_ready(waiter);
  if (HOCKET_UNLIKELY(level > outer)) {  // unless it was lent a higher one meanwhile
    std::uint8_t raised = level;
    t->level.compare_exchange_strong(raised, outer, std::memory_order_relaxed);
  }
}

}  // namespace

HOCKET_NOINLINE void wait_done(descriptor* d) {
  real_task* t = current_task();
  if (t == nullptr || HOCKET_UNLIKELY(t->scope.load(std::memory_order_relaxed) != nullptr)) check_stop();
  if (t != nullptr) {
    worker* w = t->on;
    unsigned looks = w->kernel_->join_spins;
    const std::uint64_t v = d->word.load(std::memory_order_relaxed);
    if ((v & state_mask) == virtual_) {
      if (may_inline(t, d, v, w->kernel_)) {
        const bool popped = w->queues.pop_if_at_end(d, level_of(v), is_stale, drop_entry);
        // From here on w may be another: what was dropped from the queue may have run a destructor that
        // blocked.
        if (claim(d, 1)) {
          run_inline(t, d, popped ? 2 : 1);
          return;
        }
        if (popped) release_descriptor(d);
      } else {
        realise(w, d);
        looks = 0;
      }
    }
    for (; looks != 0; --looks) {
      if (is_done(d)) return;
      cpu_pause();
    }
  }
  descriptor* const one = d;  // of which an address is taken: d stays in a register
  if (wait_blocked(&one, 1, never) == wake::stopped) throw_cancelled();
}

bool wait_done_until(descriptor* d, deadline until) {
  check_stop();
  if (until <= deadline_after(std::chrono::nanoseconds{0})) return is_done(d);
  if (real_task* t = current_task()) realise(t->on, d);
  switch (wait_blocked(&d, 1, until)) {
    case wake::done:
      return true;
    case wake::timed_out:
      return is_done(d);
    case wake::stopped:
      break;
  }
  throw_cancelled();
}

std::size_t wait_any_until(descriptor* const* list, std::size_t n, deadline until) {
  const auto first_done = [&] {
    return static_cast<std::size_t>(std::find_if(list, list + n, is_done) - list);
  };
  if (const std::size_t i = first_done(); i != n) return i;
  check_stop();
  if (until <= deadline_after(std::chrono::nanoseconds{0})) return n;
  if (real_task* t = current_task()) {
    for (std::size_t i = 0; i < n; ++i) realise(t->on, list[i]);
  }
  if (wait_blocked(list, n, until) == wake::stopped) throw_cancelled();
  return first_done();
}

void throw_invalid_handle(const char* file, unsigned line) {
  std::string what = "an empty task handle (made by default, or moved from) was waited for";
  if (file != nullptr) what += std::string(", at ") + file + ":" + std::to_string(line);
  throw error(errc::invalid_handle, what + "; test it with valid()");
}

void throw_not_running(descriptor* d) {
  refuse(d);
  throw_outside_run("a task was made");
}

}  // namespace hocket::detail
