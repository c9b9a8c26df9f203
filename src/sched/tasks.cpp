// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptors: made, submitted, claimed, run, waited for, released.
#include "sched/tasks.hpp"

#include <algorithm>
#include <new>

#include <hocket/error.hpp>

#include "base/cpu_pause.hpp"
#include "base/trace.hpp"
#include "sched/depot.hpp"
#include "sched/kernel.hpp"
#include "sched/scheduler.hpp"
#include "sched/waiters.hpp"

namespace hocket::detail {
namespace {

using namespace task_word;

constexpr std::size_t class_bytes(unsigned c) { return std::size_t{64} << c; }
/// More free descriptors than this, and a worker gives a list of half as many to the depot.
constexpr std::size_t most_free = 1024;

worker* current_worker() {
  real_task* t = current_task();
  return t == nullptr ? nullptr : t->on;
}

descriptor* from_system(std::size_t bytes) {
  void* p = ::operator new(bytes, std::align_val_t{64}, std::nothrow);
  if (p == nullptr) {
    throw error(errc::no_memory, "no memory for a task descriptor of " + std::to_string(bytes) + " bytes");
  }
  return static_cast<descriptor*>(p);
}

/// A list of fresh descriptors, cut from one piece. The piece is never given back: descriptors are pooled.
free_descriptors carve_descriptors(unsigned c, worker* w) {
  const std::size_t n = most_free / 2;
  auto* memory = reinterpret_cast<unsigned char*>(from_system(n * class_bytes(c)));
  free_descriptors list;
  for (std::size_t i = n; i-- > 0;) {
    auto* d = reinterpret_cast<descriptor*>(memory + i * class_bytes(c));
    d->link = list.first;
    list = {d, list.count + 1};
  }
  w->counts.descriptors_made.add(n);
  return list;
}

inline void free_memory(descriptor* d, unsigned c) {
  worker* w = current_worker();
  if (c == descriptor_classes) {
    ::operator delete(d, std::align_val_t{64});
    return;
  }
  if (w == nullptr) {  // pooled memory is never given back to the system
    d->link = nullptr;
    the_depot().give_descriptors(c, {d, 1});
    return;
  }
  free_descriptors& free = w->descriptors[c];
  d->link = free.first;
  free.first = d;
  if (HOCKET_UNLIKELY(++free.count == most_free)) {
    free_descriptors given = free;
    descriptor* last = given.first;
    for (std::size_t i = 1; i < most_free / 2; ++i) last = last->link;
    free = {std::exchange(last->link, nullptr), most_free / 2};
    given.count = most_free / 2;
    the_depot().give_descriptors(c, given);
  }
}

void destroy(descriptor* d) {
  const std::uint64_t v = d->word.load(std::memory_order_relaxed);
  const task_operations* o = d->operations;
  if ((v & task_word::failed) != 0) {
    std::destroy_at(failure_place(d));
  } else if (o->destroy_result != nullptr && (v & state_mask) == done) {
    o->destroy_result(d);
  }
  free_memory(d, o->size_class);
}

void drop_references(descriptor* d, std::uint64_t left) {
  if (left == 0) destroy(d);
}

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
        drop_references(d, (v + change) / reference);
        return nullptr;
      }
    } else if (d->word.compare_exchange_weak(v, v | locked, std::memory_order_acquire,
                                             std::memory_order_relaxed)) {
      break;
    }
  }
  real_task* first = fire_all(d->waiters);
  d->waiters = nullptr;
  v = d->word.fetch_add(change - locked - has_waiters, std::memory_order_acq_rel);
  drop_references(d, (v + change) / reference);
  return first;
}

const char* name_of(descriptor* d) {
  if (!d->operations->named) return "task";
  const char* name = reinterpret_cast<task_attributes*>(d->data())->name;
  return name == nullptr ? "task" : name;
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
  trace(trace_kind::realise, w->number, d);
  t->begins_with = d;
  w->queues.push_ready(t);
  w->kernel_->wake_one();
}

/// Whether a virtual task may run on what is left of its waiter's stack: half of what it would have of its
/// own, or all of it where it asked for a size.
bool has_room(real_task* t, descriptor* d, const kernel* k) {
  const auto left = static_cast<std::size_t>(static_cast<char*>(__builtin_frame_address(0)) - t->bottom);
  const bool asked = d->operations->named && reinterpret_cast<task_attributes*>(d->data())->stack_size != 0;
  return left >= (asked ? stack_class_bytes(stack_class_of(d, k)) : k->inline_reserve);
}

/// A task that will never run.
void refuse(descriptor* d) {
  d->operations->destroy_closure(d);
  free_unused_descriptor(d);
}

/// An entry whose task has been claimed through a handle.
bool is_stale(virtual_entry e) {
  return !e.is_task() && (e.as_descriptor()->word.load(std::memory_order_relaxed) & state_mask) != virtual_;
}

void drop_entry(virtual_entry e) { release_descriptor(e.as_descriptor()); }

bool is_done(descriptor* d) { return (d->word.load(std::memory_order_acquire) & state_mask) == done; }

}  // namespace

unsigned stack_class_of(descriptor* d, const kernel* k) {
  if (!d->operations->named) return k->default_class;
  const std::size_t bytes = reinterpret_cast<task_attributes*>(d->data())->stack_size;
  return bytes == 0 ? k->default_class : stack_class_for(bytes);
}

void check_stack_size(std::size_t bytes) {
  if (HOCKET_UNLIKELY(bytes > stack_class_bytes(stack_classes - 1))) stack_class_for(bytes);
}

void check_attributes(const task_attributes& a) { stack_class_for(a.stack_size); }

descriptor* allocate_descriptor(std::size_t bytes, unsigned c) {
  if (HOCKET_UNLIKELY(c == descriptor_classes)) return from_system(bytes);
  worker* w = current_worker();
  if (HOCKET_UNLIKELY(w == nullptr)) {
    free_descriptors list = the_depot().take_descriptors(c);
    if (list.first == nullptr) return from_system(class_bytes(c));
    descriptor* d = list.first;
    the_depot().give_descriptors(c, {d->link, list.count - 1});
    return d;
  }
  free_descriptors& free = w->descriptors[c];
  if (HOCKET_UNLIKELY(free.first == nullptr)) {
    free = the_depot().take_descriptors(c);
    if (free.first == nullptr) free = carve_descriptors(c, w);
  }
  descriptor* d = free.first;
  free.first = d->link;
  --free.count;
  __builtin_prefetch(free.first, 1);
  return d;
}

void free_unused_descriptor(descriptor* d) { free_memory(d, d->operations->size_class); }

void release_descriptor(descriptor* d) {
  // Alone with the last reference: nobody can add one, so no locked instruction is needed. acquire: what
  // others did before they dropped theirs.
  if (d->word.load(std::memory_order_acquire) / reference == 1) {
    destroy(d);
  } else if (d->word.fetch_sub(reference, std::memory_order_acq_rel) / reference == 1) {
    destroy(d);
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
      admitted = k && k->admit_foreign(is_detached);
      if (admitted) k->inject(d);
    }
    if (!admitted) throw_not_running(d);
    return;
  }
  (is_detached ? w->counts.begun : w->counts.spawned).publish();
  w->queues.push_virtual(virtual_entry(d));
  w->kernel_->wake_one();
}

HOCKET_NOINLINE void submit_real(descriptor* d) {
  worker* w = current_worker();
  if (HOCKET_UNLIKELY(w == nullptr)) {  // only a worker has stacks: the next one that looks gives it one
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
  t->begins_with = d;
  w->counts.started.publish();
  w->queues.push_ready(t);
  w->kernel_->wake_one();
}

real_task* execute(descriptor* d, unsigned references) {
  real_task* self = current_task();
  const char* outer = std::exchange(self->name, name_of(d));
  std::uint64_t outcome = 0;
  try {
    d->operations->invoke(d);
  } catch (...) {
    new (result_place(d)) std::exception_ptr(std::current_exception());
    outcome = task_word::failed;
  }
  self->name = outer;
  kernel* k = self->on->kernel_;
  if (HOCKET_UNLIKELY(outcome != 0) && (d->word.load(std::memory_order_relaxed) & detached) != 0) {
    k->keep_exception(*failure_place(d));
  }
  k->note_end(d);
  real_task* waiter = finish(d, outcome, references);
  self->on->counts.finished.publish();
  return waiter;
}

HOCKET_NOINLINE void wait_for(descriptor* d) {
  if (d == nullptr) throw_invalid_handle();
  real_task* t = current_task();
  if (t != nullptr) {
    worker* w = t->on;
    if ((d->word.load(std::memory_order_relaxed) & state_mask) == virtual_) {
      if (has_room(t, d, w->kernel_)) {
        const bool popped = w->queues.pop_if_at_end(d, is_stale, drop_entry);
        if (claim(d, 1)) {
          t->on->counts.inlined
              .bump();  // not w: what was dropped from the queue may have run a destructor that blocked
          trace(trace_kind::inline_begin, t->on->number, d);
          if (real_task* waiter = execute(d, popped ? 2 : 1)) make_ready(waiter);
          trace(trace_kind::inline_end, t->on->number, d);
          return;
        }
        if (popped) release_descriptor(d);
      } else {
        realise(w, d);
        wait_blocked(&d, 1);
        return;
      }
    }
    for (unsigned i = t->on->kernel_->join_spins; i != 0; --i) {
      if (is_done(d)) return;
      cpu_pause();
    }
  }
  wait_blocked(&d, 1);
}

std::size_t wait_for_any(descriptor* const* list, std::size_t n) {
  const auto first_done = [&] {
    return static_cast<std::size_t>(std::find_if(list, list + n, is_done) - list);
  };
  if (const std::size_t i = first_done(); i != n) return i;
  if (real_task* t = current_task()) {
    for (std::size_t i = 0; i < n; ++i) realise(t->on, list[i]);
  }
  wait_blocked(list, n);
  return first_done();
}

void throw_invalid_handle() { throw error(errc::invalid_handle, "an empty task handle was waited for"); }

void throw_not_running(descriptor* d) {
  refuse(d);
  throw error(errc::not_running, "a task was made while no run goes on; make it inside run()");
}

}  // namespace hocket::detail
