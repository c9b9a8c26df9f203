// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Switching between stacks, and the loop at the base of each.
#include "sched/scheduler.hpp"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include <hocket/error.hpp>
#include <hocket/this_task.hpp>

#include "base/trace.hpp"
#include "sched/depot.hpp"
#include "sched/deque.hpp"
#include "sched/kernel.hpp"
#include "sched/real_task.hpp"
#include "sched/tasks.hpp"
#include "sched/worker.hpp"

#if HOCKET_ASAN
#include <sanitizer/asan_interface.h>
#endif

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

#if !defined(__x86_64__)
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
  trace(trace_kind::switch_to, w->number, to);
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
    w->queues.push_virtual(virtual_entry(t));
  }
  w->kernel_->wake_one();
}

void format_stack(real_task* t, worker* w, unsigned k, bool guarded) {
  t->stack_class = k;
  t->bottom = stack_bottom(t->area(), k);
  t->guarded = guarded;
  if (!guarded) std::memcpy(t->bottom, &canary, sizeof canary);
  t->top = t->first();
  t->on = w;
  t->name = "idle";
  t->begins_with = nullptr;
  t->exception_state[0] = t->exception_state[1] = nullptr;
  reset_segment(t->first(), t, nullptr);
}

/// Where the stack below a control block begins: some lines lower for each block, so that the tops of many
/// stacks do not all meet in the same sets of the cache.
void prepare_stack(real_task* t) {
  char* top = reinterpret_cast<char*>(t) - 64 * (address(t) / (128 * 1024) % 8);
  prepare(t->saved, top, static_cast<std::size_t>(top - t->bottom), &base_loop);
}

atomic<std::uint64_t> next_ids{1};

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

/// Runs a virtual entry; returns a task to switch to.
real_task* run_entry(real_task* self, worker* w, virtual_entry e) {
  if (e.is_task()) {  // a suspended task's forked children
    real_task* parent = e.as_task();
    slot* s = steal_child(parent, w);
    if (s != nullptr && has_shared_child(parent)) {
      w->queues.push_virtual(e);
      w->kernel_->wake_one();
    } else {
      parent->listed.exchange(0, std::memory_order_seq_cst);
      std::atomic_thread_fence(std::memory_order_seq_cst);
      if (has_shared_child(parent) && parent->listed.exchange(1, std::memory_order_seq_cst) == 0) {
        w->queues.push_virtual(e);
        w->kernel_->wake_one();
      }
    }
    if (s == nullptr) return nullptr;
    w->counts.stolen.bump();
    trace(trace_kind::steal, w->number, s);
    return s->run(s);
  }
  descriptor* d = e.as_descriptor();
  const unsigned k = stack_class_of(d, w->kernel_);
  if (!claim(d, 0)) {  // somebody waited for it and ran it
    release_descriptor(d);
    return nullptr;
  }
  w->counts.adopted.bump();
  trace(trace_kind::adopt, w->number, d);
  if (stack_class_bytes(k) > self->stack_bytes()) {
    real_task* t = take_stack_or_end(w, k);
    t->begins_with = d;
    return t;
  }
  return execute(d, 1);
}

}  // namespace

HOCKET_COLD void check_canary(const real_task* t) {
  std::uint64_t there;
  std::memcpy(&there, t->bottom, sizeof there);
  if (there == canary) return;
  std::fprintf(stderr,
               "hocket: stack overflow in task '%s': it has written past its stack of %zu bytes, which has "
               "no guard page; "
               "give this task more (task_attributes::stack_size) or all tasks (--hk-stack-size %zu or "
               "HOCKET_STACK_SIZE)\n",
               t->name, t->stack_bytes(), t->stack_bytes() * 2);
  std::abort();
}

void discard_stack(real_task* t) {
#if HOCKET_ASAN
  __asan_unpoison_memory_region(t->bottom, static_cast<std::size_t>(reinterpret_cast<char*>(t) - t->bottom));
#endif
  prepare_stack(t);
  release_stack_memory(t->area(), t->stack_class);
  if (!t->guarded) std::memcpy(t->bottom, &canary, sizeof canary);
}

real_task* take_stack(worker* w, unsigned k) {
  auto& free = w->free_stacks[k];
  if (HOCKET_UNLIKELY(free.empty())) {
    the_depot().take_stacks(k, free);
    if (free.empty()) {
      std::vector<carved_stack> stacks;
      carve_stacks(k, k == w->kernel_->default_class ? w->carve_next : 1, stacks);
      if (k == w->kernel_->default_class && w->carve_next < 256) w->carve_next *= 2;
      for (auto s = stacks.rbegin(); s != stacks.rend(); ++s) {
        real_task* t = task_in(s->area);
        format_stack(t, w, k, s->guarded);
        prepare_stack(t);
        checked_stack_made(t->checked, t->bottom,
                           static_cast<std::size_t>(reinterpret_cast<char*>(t) - t->bottom));
        free.push_back(t);
      }
    }
  }
  real_task* t = free.back();
  free.pop_back();
  if (free.size() >= 4) __builtin_prefetch(free[free.size() - 4], 1);
  if (t->id == 0) {
    w->counts.stacks_made.bump();
  } else {
    w->counts.stacks_reused.bump();
  }
  if ((w->next_id & 1023) == 0) w->next_id = next_ids.fetch_add(1, std::memory_order_relaxed) << 10;
  t->id = ++w->next_id;
  if ((w->next_id & 1023) == 1023) w->next_id = 0;
  return t;
}

void base_loop() {
  real_task* self = current_task();
  after_switch(self->checked, self->on->left->checked);
  arrived(self->on);
  for (;;) {
    worker* w = self->on;
    kernel* k = w->kernel_;
    real_task* next = nullptr;
    slot* child = nullptr;
    virtual_entry entry;
    if (self->begins_with != nullptr) {
      next = execute(std::exchange(self->begins_with, nullptr), 1);
    } else {
      child = std::exchange(w->given, nullptr);
      if (child != nullptr) {
        // what the task that has just blocked gave away
      } else if (std::exchange(w->oldest_first, false) || oldest_is_due(w)) {
        k->take_injected(w);
        entry = w->queues.pop_virtual(true);
      }
      if (child == nullptr && !entry) next = w->queues.pop_ready();
      if (child == nullptr && !entry && next == nullptr) {
        k->take_injected(w);
        next = w->queues.pop_ready();
        if (next == nullptr) entry = w->queues.pop_virtual(false);
      }
      if (child == nullptr && !entry && next == nullptr) {
        child = k->look_for_work(w);
        // Stale entries that were just stolen are taken off first: what they refer to is used in the next
        // run.
        if (k->stopping() && w->queues.ready_hint() + w->queues.virtual_hint() == 0) next = w->native;
      }
      if (child != nullptr) {
        w->counts.stolen.bump();
        trace(trace_kind::steal, w->number, child);
        next = child->run(child);
      } else if (entry) {
        next = run_entry(self, w, entry);
      }
    }
    if (next == nullptr) continue;
    w = self->on;
    if (self->first()->next.load(std::memory_order_relaxed) != nullptr) drop_spare_segments(self, w);
    switch_to(w, self, next, after::free_stack);
  }
}

HOCKET_NOINLINE void suspend(void (*hook)(void*, real_task*), void* argument) {
  real_task* t = current_task();
  if (HOCKET_UNLIKELY(t == nullptr)) throw_not_a_task("suspend");
  worker* w = t->on;
  w->counts.suspended.bump();
  trace(trace_kind::suspend, w->number, t);
  const bool has_left = has_children(t);
  real_task* next = nullptr;
  const bool oldest = oldest_is_due(w);
  if (HOCKET_LIKELY(!oldest)) next = w->queues.pop_ready();
  if (next == nullptr) {
    next = take_stack_or_end(w, w->kernel_->default_class);
    w->oldest_first = oldest;
    if (has_left && !oldest) w->given = give_newest(t);
  }
  if (has_left) leave_deque(w, t);
  w->call = hook;
  w->argument = argument;
  switch_to(w, t, next, after::call);
}

void make_ready(real_task* t) {
  real_task* self = current_task();
  if (HOCKET_UNLIKELY(self == nullptr)) {
    if (const kernel_visit k; k) k->inject(t);
    return;
  }
  worker* w = self->on;
  w->counts.resumed.bump();
  trace(trace_kind::resume, w->number, t);
  w->queues.push_ready(t);
  w->kernel_->wake_one();
}

/// Leaves the calling task for `next`, as ready.
HOCKET_NOINLINE static void yield_to(worker* w, real_task* t, real_task* next) {
  switch_to(w, t, next, after::requeue);
}

void work(worker* w) {
  w->exception_globals = reinterpret_cast<void**>(abi::__cxa_get_globals());
  real_task native{};
  native.top = &no_task.dummy;
  native.on = w;
  native.name = "native";
  native.bottom = nullptr;
  native.guarded = true;  // by the system
  checked_stack_native(native.checked);
  w->native = &native;
  switch_to(w, &native, take_stack_or_end(w, w->kernel_->default_class), after::nothing);
  w->native = nullptr;
}

void throw_not_a_task(const char* what) {
  throw error(errc::not_a_task,
              std::string(what) + " was called from a thread that runs no task; call it inside run()");
}

}  // namespace hocket::detail

namespace hocket::this_task {
using namespace detail;

HOCKET_NOINLINE void yield() {
  real_task* t = current_task();
  if (t == nullptr) {
    std::this_thread::yield();
    return;
  }
  detail::worker* w = t->on;
  w->counts.yields.bump();
  if (HOCKET_UNLIKELY(oldest_is_due(w))) {
    w->kernel_->take_injected(w);
    if (has_children(t)) leave_deque(w, t);
    if (w->queues.virtual_hint() != 0) {
      real_task* idle = take_stack(w, w->kernel_->default_class);
      w->oldest_first = true;
      w->queues.begin_rotation_to_other();
      yield_to(w, t, idle);
      return;
    }
  }
  if (w->queues.ready_hint() == 0) return;
  if (has_children(t)) leave_deque(w, t);
  if (real_task* next = w->queues.begin_rotation()) yield_to(w, t, next);
}

std::uint64_t id() {
  const real_task* t = current_task();
  return t == nullptr ? 0 : t->id;
}
const char* name() {
  const real_task* t = current_task();
  return t == nullptr ? "no task" : t->name;
}
HOCKET_NOINLINE std::size_t stack_left() {
  const real_task* t = current_task();
  if (t == nullptr) return 0;
  return static_cast<std::size_t>(static_cast<char*>(__builtin_frame_address(0)) - t->bottom);
}
std::size_t stack_size() {
  real_task* t = current_task();
  return t == nullptr ? 0
                      : static_cast<std::size_t>(reinterpret_cast<char*>(t) -
                                                 t->bottom);  // what stack_left() counts down from
}
unsigned worker() {
  const real_task* t = current_task();
  return t == nullptr ? ~0u : t->on->number;
}

}  // namespace hocket::this_task
