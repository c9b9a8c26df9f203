// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Switching between stacks, and the loop at the base of each.
#include "sched/scheduler.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include <hocket/error.hpp>
#include <hocket/stop.hpp>
#include <hocket/this_task.hpp>

#include "base/clock.hpp"
#include "sched/depot.hpp"
#include "sched/deque.hpp"
#include "sched/kernel.hpp"
#include "sched/park.hpp"
#include "sched/real_task.hpp"
#include "sched/stack_marks.hpp"
#include "sched/stopping.hpp"
#include "sched/tasks.hpp"
#include "sched/tracing.hpp"
#include "sched/worker.hpp"

namespace hocket::detail {
namespace {

/// The area whose one segment stands for "no task": its head is the sentinel, so that a fork takes the slow
/// path, which throws. Shared by all threads that run no task; nobody writes to it.
struct alignas(area_bytes) foreign_area {
  unsigned char before[segment_offset];
  segment dummy;
};
constinit foreign_area no_task = {
    {}, {{&no_task.dummy.slots[segment_slots - 1]}, nullptr, nullptr, 0, 0, {nullptr}, {0}, {0}, {0}, {}}};

}  // namespace
}  // namespace hocket::detail

// Link-time optimisation does not see that the assembly in segment.hpp names the word: it must stay a global
// symbol.
#if defined(__clang__)
#define HOCKET_NAMED_IN_ASSEMBLY __attribute__((used))
#else
#define HOCKET_NAMED_IN_ASSEMBLY __attribute__((used, externally_visible))
#endif
extern "C" {
HOCKET_NAMED_IN_ASSEMBLY __thread hocket::detail::segment* hocket_top
    __attribute__((tls_model("initial-exec"))) = &hocket::detail::no_task.dummy;
int hocket_switched = 0;
}

namespace hocket::detail {

#if !defined(__x86_64__) && !defined(__aarch64__)
HOCKET_NOINLINE segment* top_segment() {
  asm volatile("" ::: "memory");
  return hocket_top;
}
HOCKET_NOINLINE void set_top_segment(segment* s) {
  asm volatile("" ::: "memory");
  hocket_top = s;
}
#endif

namespace {

/// Does what must wait until the task that was left has its registers saved.
inline void arrived(worker* w) {
  real_task* t = w->left;
  switch (std::exchange(w->then, after::nothing)) {
    case after::nothing:
      break;
    case after::free_stack: {
      auto& free = w->free_stacks[t->stack_class];
      free.push_back(t);
      if (HOCKET_UNLIKELY(free.size() >= 2 * depot_batch))
        the_depot().give_stacks(t->stack_class, free, depot_batch);
      break;
    }
    case after::requeue:
      w->queues.finish_rotation(t);
      w->kernel_->wake_one();  // in transit, it was in nobody's sight
      break;
    case after::call:
      w->call(w->argument, t);
      break;
  }
}

HOCKET_ALWAYS_INLINE void switch_to(worker* w, real_task* from, real_task* to, after then) {
  if (HOCKET_UNLIKELY(!from->guarded)) check_canary(from);
  w->then = then;
  w->left = from;
  to->on = w;
  w->current.store(to == w->native ? nullptr : to, std::memory_order_release);
  void** globals = w->exception_globals;
  from->exception_state[0] = globals[0];
  from->exception_state[1] = globals[1];
  globals[0] = to->exception_state[0];
  globals[1] = to->exception_state[1];
  set_top_segment(to->top);
  w->counts.switches.bump();
  if (HOCKET_UNLIKELY(watching)) watch_enters(w, to);
  before_switch(from->checked, to->checked);
  if (HOCKET_UNLIKELY(w->kernel_->shared_fp)) {
    switch_shared(from->saved, to->saved);
  } else {
    switch_full(from->saved, to->saved);
  }
  worker* here = from->on;  // whoever switched back has set it
  after_switch(from->checked, here->left->checked);
  arrived(here);
}

/// Counts a scheduling decision; true every fairness_period-th time, when the oldest virtual or injected task
/// is due.
bool oldest_is_due(worker* w) {
  if (HOCKET_LIKELY(--w->until_oldest != 0)) return false;
  w->until_oldest = fairness_period;
  return true;
}

/// A task that leaves its worker while forked children wait in its deque shares them all, and lists itself
/// where idle workers find it. Removal is lazy: whoever finds the deque empty takes the entry off, then looks
/// again (run_entry); `listed` and `ts` are the two words of that handshake, hence the exchange and the
/// fence.
void leave_deque(worker* w, real_task* t) {
  share_all(t->top);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (t->listed.exchange(1, std::memory_order_seq_cst) == 0) {
    w->queues.push_virtual(virtual_entry(t), t->level.load(std::memory_order_relaxed));
  }
  w->kernel_->wake_one();
}

/// A stack for a worker that must have one: a task that leaves it cannot be unwound instead (a child of its
/// frame may run elsewhere), nor can a task that has been claimed.
real_task* take_stack_or_end(worker* w, unsigned k) {
  try {
    return take_stack(w, k);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "hocket: worker %u needs a stack to go on, and there is none: %s\n", w->number,
                 e.what());
    std::abort();
  }
}

/// Runs a child that was forked by another task, under the stop token and with the priority of its parent.
real_task* run_child(real_task* self, worker* w, slot* s) {
  w->counts.stolen.bump();
  const real_task* parent = segment_of(s)->owner;
  if (HOCKET_UNLIKELY(watching)) watch_steals(self, w, parent);
  self->level.store(parent->level.load(std::memory_order_relaxed), std::memory_order_relaxed);
  self->bound_to.store(no_shepherd, std::memory_order_relaxed);
  self->id = fresh_id(w);
  self->runs.store(&forked_child, std::memory_order_relaxed);
  struct at_end {
    real_task* self;
    ~at_end() {
      if (HOCKET_UNLIKELY(self->locals != nullptr)) end_locals(self);
      self->runs.store(nullptr, std::memory_order_relaxed);
      if (HOCKET_UNLIKELY(watching)) watch_ends(self);
    }
  } end{self};
  // relaxed: a scope that encloses the fork was entered before it.
  real_task* next;
  if (HOCKET_LIKELY(parent->scope.load(std::memory_order_relaxed) == nullptr)) {
    next = s->run(s);
  } else {
    stop_link link;
    link.token = token_at_fork(s);
    link.enter();
    next = s->run(s);
    link.leave();
  }
  // The values' destructors may wait for what the parent does.
  if (HOCKET_UNLIKELY(self->locals != nullptr) && next != nullptr) make_ready(std::exchange(next, nullptr));
  return next;
}

/// Runs a virtual entry; returns a task to switch to.
real_task* run_entry(real_task* self, worker* w, virtual_entry e) {
  if (e.is_task()) {  // a suspended task's forked children
    real_task* parent = e.as_task();
    slot* s = steal_child(parent, w);
    if (s != nullptr && has_shared_child(parent)) {
      w->queues.push_virtual(e, parent->level.load(std::memory_order_relaxed));
      w->kernel_->wake_one();
    } else {
      parent->listed.exchange(0, std::memory_order_seq_cst);
      std::atomic_thread_fence(std::memory_order_seq_cst);
      if (has_shared_child(parent) && parent->listed.exchange(1, std::memory_order_seq_cst) == 0) {
        w->queues.push_virtual(e, parent->level.load(std::memory_order_relaxed));
        w->kernel_->wake_one();
      }
    }
    return s == nullptr ? nullptr : run_child(self, w, s);
  }
  descriptor* d = e.as_descriptor();
  const unsigned k = stack_class_of(d, w->kernel_);
  if (!claim(d, 0)) {  // somebody waited for it and ran it
    release_descriptor(d);
    return nullptr;
  }
  w->counts.adopted.bump();
  if (stack_class_bytes(k) > self->stack_bytes()) {
    real_task* t = take_stack_or_end(w, k);
    begin_with(t, d, begun_as::idle);
    return t;
  }
  if (HOCKET_UNLIKELY(watching)) watch_takes_on(self, w);
  const std::uint64_t v = d->word.load(std::memory_order_relaxed);
  self->level.store(level_of(v), std::memory_order_relaxed);
  self->bound_to.store(shepherd_of(v), std::memory_order_relaxed);
  self->id = fresh_id(w);
  return w->kernel_->settings.stats ? execute_marked(self, d, 1) : execute(d, 1);
}

/// A task that waited for what has just ended here is run next, without a queue, but for one that is bound to
/// another shepherd.
real_task* resumed(real_task* self, real_task* waiter) {
  if (waiter == nullptr) return nullptr;
  worker* w = self->on;
  const std::uint16_t bound = waiter->bound_to.load(std::memory_order_relaxed);
  if (HOCKET_UNLIKELY(bound != no_shepherd && bound != w->shepherd)) {
    make_ready(waiter);
    return nullptr;
  }
  if (waiter->waits.load(std::memory_order_relaxed) != wait_kind::nothing) {
    w->counts.resumed.bump();
    if (HOCKET_UNLIKELY(watching)) watch_ready(w, waiter);
  }
  return waiter;
}

/// What a worker is to do next, of the levels from `lowest` up, without looking elsewhere.
work decide(worker* w, unsigned lowest, bool oldest) {
  kernel* k = w->kernel_;
  if (HOCKET_UNLIKELY(k->has_timers())) k->look_at_timers(w);
  if (HOCKET_UNLIKELY(oldest)) k->take_injected(w);
  if (HOCKET_UNLIKELY(k->has_bound(w))) {  // in turn with the worker's own, so that neither starves
    w->bound_turn = !w->bound_turn;
    if (w->bound_turn || w->queues.ready_hint() + w->queues.virtual_hint() == 0) {
      if (const work found = k->take_bound(w, lowest, oldest)) return found;
    }
  }
  if (HOCKET_UNLIKELY(w->queues.has_levels() || lowest > usual)) return w->queues.pop_best(lowest, oldest);
  if (oldest) {
    if (const virtual_entry e = w->queues.pop_virtual(true)) return {nullptr, e};
  }
  if (real_task* t = w->queues.pop_ready()) return {t, {}};
  if (k->take_injected_ready(w)) {
    if (w->queues.has_levels()) return w->queues.pop_best(lowest, oldest);
    if (real_task* t = w->queues.pop_ready()) return {t, {}};
  }
  if (const virtual_entry e = w->queues.pop_virtual(false)) return {nullptr, e};
  // Many at a time, when nothing else is left: a thread that makes task after task is not met at each.
  if (!k->take_injected_virtual(w)) return {};
  if (w->queues.has_levels()) return w->queues.pop_best(lowest, oldest);
  return {nullptr, w->queues.pop_virtual(false)};
}

/// Whether the usual level of the worker's own queues is not all there is to look at.
bool looks_further(worker* w) {
  return w->queues.has_levels() || w->kernel_->has_bound(w) || w->kernel_->has_timers();
}

[[noreturn]] void end_forked_child() {
  std::fputs(
      "hocket: a task returned in a process that was forked from one in which a run goes on, where the "
      "other workers are not; call exec or _exit there\n",
      stderr);
  _exit(1);
}

}  // namespace

void base_loop() {
  real_task* self = current_task();
  after_switch(self->checked, self->on->left->checked);
  arrived(self->on);
  for (;;) {
    worker* w = self->on;
    kernel* k = w->kernel_;
    real_task* next = nullptr;
    if (self->begins_with != nullptr) {
      descriptor* d = std::exchange(self->begins_with, nullptr);
      next = resumed(self, HOCKET_UNLIKELY(k->settings.stats) ? execute_marked(self, d, 1) : execute(d, 1));
    } else {
      slot* child = std::exchange(w->given, nullptr);  // what the task that has just blocked gave away
      work found;
      if (child == nullptr) found.entry = std::exchange(w->entry_first, {});
      if (child == nullptr && !found) found = decide(w, 0, oldest_is_due(w));
      if (child == nullptr && !found) {
        if (HOCKET_UNLIKELY(watching)) watch_idles(self, w);
        child = k->look_for_work(w);
        w = self->on;
        // Stale entries that were just stolen are taken off first: what they refer to is used in the next
        // run.
        if (k->stopping() && w->queues.ready_hint() + w->queues.virtual_hint() == 0 && !k->has_bound(w)) {
          found.ready = w->native;
        }
      }
      if (child != nullptr) {
        next = resumed(self, run_child(self, w, child));
      } else if (found.entry) {
        next = resumed(self, run_entry(self, w, found.entry));
      } else {
        next = found.ready;
      }
    }
    if (HOCKET_UNLIKELY(forked_away())) end_forked_child();
    if (next == nullptr) continue;
    w = self->on;
    if (HOCKET_UNLIKELY(watching)) watch_idles(self, w);
    if (self->first()->next.load(std::memory_order_relaxed) != nullptr) drop_spare_segments(self, w);
    switch_to(w, self, next, after::free_stack);
  }
}

HOCKET_NOINLINE void suspend(const wait_note& note, void (*hook)(void*, real_task*), void* argument) {
  real_task* t = current_task();
  if (HOCKET_UNLIKELY(t == nullptr)) throw_not_a_task("suspend");
  worker* w = t->on;
  w->counts.suspended.bump();
  if (HOCKET_UNLIKELY(watching)) watch_suspends(w, t, note.kind);
  t->waits_on.store(note.object, std::memory_order_relaxed);
  t->waits_count.store(note.count, std::memory_order_relaxed);
  std::uint64_t now = w->kernel_->coarse_ticks.load(std::memory_order_relaxed);
  if (HOCKET_UNLIKELY(now == 0)) now = ticks();
  t->since.store(now, std::memory_order_relaxed);
  t->suspensions.store(t->suspensions.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  t->waits.store(note.kind, std::memory_order_release);
  const bool has_left = has_children(t);
  const bool oldest = oldest_is_due(w);
  work found;
  if (HOCKET_UNLIKELY(oldest || looks_further(w))) {
    found = decide(w, 0, oldest);
  } else {
    found.ready = w->queues.pop_ready();
  }
  if (found.ready == nullptr) {
    w->entry_first = found.entry;
    found.ready = take_stack_or_end(w, w->kernel_->default_class);
    if (has_left && !found.entry) w->given = give_newest(t);
  }
  if (has_left) leave_deque(w, t);
  w->call = hook;
  w->argument = argument;
  switch_to(w, t, found.ready, after::call);
  t->waits.store(wait_kind::nothing, std::memory_order_relaxed);
}

void queue_ready(worker* w, real_task* t) {
  if (HOCKET_UNLIKELY(t->bound_to.load(std::memory_order_relaxed) != no_shepherd)) {
    w->kernel_->queue_bound(t);
    return;
  }
  w->queues.push_ready(t);
  w->kernel_->wake_one();
}

void make_ready(real_task* t) {
  real_task* self = current_task();
  if (HOCKET_UNLIKELY(self == nullptr)) {
    if (const kernel_visit k; k) {
      if (HOCKET_UNLIKELY(watching)) watch_ready(nullptr, t);
      k->inject(t);
    }
    return;
  }
  worker* w = self->on;
  w->counts.resumed.bump();
  if (HOCKET_UNLIKELY(watching)) watch_ready(w, t);
  queue_ready(w, t);
}

/// Leaves the calling task for `next`, as ready.
HOCKET_NOINLINE static void yield_to(worker* w, real_task* t, real_task* next) {
  switch_to(w, t, next, after::requeue);
}

HOCKET_NOINLINE void hand_worker_to(real_task* t) {
  real_task* self = current_task();
  if (HOCKET_UNLIKELY(self == nullptr)) {
    make_ready(t);
    return;
  }
  worker* w = self->on;
  const auto is_plain = [](const real_task* r) {
    return r->level.load(std::memory_order_relaxed) == usual &&
           r->bound_to.load(std::memory_order_relaxed) == no_shepherd;
  };
  if (w->queues.ready_hint() != 0 || !is_plain(self) || !is_plain(t) || looks_further(w) ||
      has_children(self) || w->until_oldest == 1) {  // the oldest is due at the next decision
    make_ready(t);
    return;
  }
  --w->until_oldest;
  w->counts.resumed.bump();
  if (HOCKET_UNLIKELY(watching)) watch_ready(w, t);
  w->queues.begin_rotation_to_other();
  yield_to(w, self, t);
}

/// Leaves the calling task, as ready, for the best there is of the levels from `lowest` up, or for what is
/// the oldest.
static void give_way(worker* w, real_task* t, unsigned lowest, bool oldest) {
  if (oldest && has_children(t)) leave_deque(w, t);  // they are part of what may be due
  const work found = decide(w, lowest, oldest);
  if (!found) return;
  if (has_children(t)) leave_deque(w, t);
  real_task* next = found.ready;
  if (next == nullptr) {
    w->entry_first = found.entry;
    next = take_stack_or_end(w, w->kernel_->default_class);
  }
  w->call = [](void*, real_task* left) { queue_ready(left->on, left); };
  switch_to(w, t, next, after::call);
}

HOCKET_NOINLINE void yield_task() {
  real_task* t = current_task();
  if (t == nullptr) {
    std::this_thread::yield();
    return;
  }
  worker* w = t->on;
  w->counts.yields.bump();
  const bool oldest = oldest_is_due(w);
  const unsigned level = t->level.load(std::memory_order_relaxed);
  if (HOCKET_UNLIKELY(oldest || level != usual ||
                      t->bound_to.load(std::memory_order_relaxed) != no_shepherd || looks_further(w))) {
    give_way(w, t, oldest ? 0 : level, oldest);
    return;
  }
  if (w->queues.ready_hint() == 0) return;
  if (has_children(t)) leave_deque(w, t);
  if (real_task* next = w->queues.begin_rotation()) yield_to(w, t, next);
}

HOCKET_NOINLINE void end_slice(real_task* t) {
  worker* w = t->on;
  if (HOCKET_LIKELY(w->slice_over.load(std::memory_order_relaxed) == 0)) return;
  w->slice_over.store(0, std::memory_order_relaxed);
  w->counts.slices.bump();
  give_way(w, t, 0, true);
}

void run_worker(worker* w) {
  w->exception_globals = reinterpret_cast<void**>(abi::__cxa_get_globals());
  real_task native{};
  native.top = &no_task.dummy;
  native.on = w;
  native.bottom = nullptr;
  native.guarded = true;  // by the system
  checked_stack_native(native.checked);
  w->native = &native;
  switch_to(w, &native, take_stack_or_end(w, w->kernel_->default_class), after::nothing);
  w->native = nullptr;
}

constinit descriptor forked_child{};

const char* name_of(const real_task* t) {
  descriptor* d = t->runs.load(std::memory_order_relaxed);
  return d == nullptr ? "idle" : d == &forked_child ? "child" : name_of(d);
}

void leave_task() { set_top_segment(&no_task.dummy); }

void throw_not_a_task(const char* what) {
  if (forked_away()) throw_outside_run(what);
  throw error(errc::not_a_task,
              std::string(what) + " was called from a thread that runs no task; call it inside run()");
}

}  // namespace hocket::detail
