// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptors: allocated from pools, given attributes, released.
#include <algorithm>
#include <new>
#include <string>

#include <hocket/error.hpp>
#include <hocket/stop.hpp>

#include "sched/depot.hpp"
#include "sched/kernel.hpp"
#include "sched/priorities.hpp"
#include "sched/scheduler.hpp"
#include "sched/tasks.hpp"

namespace hocket::detail {
namespace {

using namespace task_word;

constexpr std::size_t class_bytes(unsigned c) { return std::size_t{64} << c; }
/// More free descriptors than this, and a worker gives a list of half as many to the depot.
constexpr std::size_t most_free = 1024;

descriptor* from_system(std::size_t bytes) {
  void* p = ::operator new(bytes, std::align_val_t{64}, std::nothrow);
  if (p == nullptr) {
    throw error(errc::no_memory, "no memory for a task descriptor of " + std::to_string(bytes) + " bytes");
  }
  return static_cast<descriptor*>(p);
}

/// A list of fresh descriptors, cut from one piece. The piece is never given back: descriptors are pooled.
free_descriptors carve_descriptors(unsigned c) {
  const std::size_t n = most_free / 2;
  auto* memory = reinterpret_cast<unsigned char*>(from_system(n * class_bytes(c)));
  free_descriptors list;
  for (std::size_t i = n; i-- > 0;) {
    auto* d = reinterpret_cast<descriptor*>(memory + i * class_bytes(c));
    d->link = list.first;
    list = {d, list.count + 1};
  }
  if (worker* w = current_worker()) {
    w->counts.descriptors_made.add(n);
  } else {
    the_depot().count_descriptors(n);
  }
  return list;
}

/// The free descriptors of a thread that is no worker; given to the others when it ends.
struct thread_pool {
  free_descriptors free[descriptor_classes];
  ~thread_pool() {
    for (unsigned c = 0; c < descriptor_classes; ++c) the_depot().give_descriptors(c, free[c]);
  }
};

/// The pool of the calling thread. Not inlined: a task may be on another worker after any call, and the
/// compiler keeps the address of a thread_local.
HOCKET_NOINLINE free_descriptors* pools_of_thread() {
  thread_local thread_pool mine;
  return mine.free;
}

inline free_descriptors& pool(unsigned c) {
  worker* w = current_worker();
  return HOCKET_LIKELY(w != nullptr) ? w->descriptors[c] : pools_of_thread()[c];
}

inline void free_memory(descriptor* d, unsigned c) {
  if (c == descriptor_classes) {
    ::operator delete(d, std::align_val_t{64});
    return;
  }
  free_descriptors& free = pool(c);
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

/// Gives back the descriptor and the token behind it.
HOCKET_ALWAYS_INLINE void free_whole(descriptor* d) {
  unsigned c = d->operations->size_class;
  if (HOCKET_UNLIKELY((d->word.load(std::memory_order_relaxed) & scoped) != 0)) {
    std::destroy_at(&token_of(d));
    c = size_class_for(token_offset(d->operations) + sizeof(std::stop_token));
  }
  free_memory(d, c);
}

}  // namespace

unsigned stack_class_of(descriptor* d, const kernel* k) {
  const kept_attributes* a = attributes_of(d);
  return a == nullptr || a->stack_size == 0 ? k->default_class : stack_class_for(a->stack_size);
}

const char* name_of(descriptor* d) {
  const kept_attributes* a = attributes_of(d);
  return a == nullptr || a->name == nullptr ? "task" : a->name;
}

namespace {

HOCKET_ALWAYS_INLINE descriptor* allocate(std::size_t bytes, unsigned c) {
  if (HOCKET_UNLIKELY(c == descriptor_classes)) return from_system(bytes);
  free_descriptors& free = pool(c);
  if (HOCKET_UNLIKELY(free.first == nullptr)) {
    free = the_depot().take_descriptors(c);
    if (free.first == nullptr) free = carve_descriptors(c);
  }
  descriptor* d = free.first;
  free.first = d->link;
  --free.count;
  __builtin_prefetch(free.first, 1);
  return d;
}

void check(const task_attributes& a) {
  stack_class_for(a.stack_size);  // throws for a stack larger than any
  if (a.shepherd == any_shepherd) return;
  unsigned most = 0;
  if (real_task* t = current_task()) {
    most = t->on->kernel_->shepherds();
  } else if (const kernel_visit k; k) {
    most = k->shepherds();
  } else {
    return;  // it will be refused as made outside a run
  }
  if (a.shepherd >= most) {
    throw error(errc::no_shepherd, "a task was made for shepherd " + std::to_string(a.shepherd) +
                                       ", but this run has " + std::to_string(most) +
                                       ", numbered from 0 (hocket::shepherds() tells how many)");
  }
}

/// What daemons run under: asked to stop when the run would end but for them.
std::stop_token daemon_token() {
  if (const worker* w = current_worker()) return w->kernel_->daemon_stop();
  const kernel_visit k;
  return k ? k->daemon_stop() : std::stop_token{};
}

/// With attributes, or for a task that hands something on to what it makes.
HOCKET_NOINLINE descriptor* new_descriptor_with(const task_operations& o, unsigned references,
                                                const task_attributes* a) {
  if (a != nullptr) check(*a);
  real_task* t = current_task();
  std::stop_token token;
  std::uint64_t level = usual_level;
  if (t != nullptr) {
    level = std::uint64_t{t->level.load(std::memory_order_relaxed)} << level_shift;
    if (const stop_link* link = t->scope.load(std::memory_order_relaxed); link != nullptr)
      token = link->token;
  }
  std::uint64_t flags = 0;
  if (a != nullptr) {
    if (a->priority != priority::inherited) level = static_cast<std::uint64_t>(a->priority) << level_shift;
    if (a->stop.stop_possible()) token = a->stop;
    if (a->daemon) {
      flags |= task_word::daemon;
      if (!a->stop.stop_possible()) token = daemon_token();
    }
    if (a->shepherd != any_shepherd) flags |= std::uint64_t{a->shepherd + 1} << shepherd_shift;
  }
  const bool has_token = token.stop_possible();
  const std::size_t bytes = has_token ? token_offset(&o) + sizeof(std::stop_token) : o.bytes;
  descriptor* d = allocate(bytes, has_token ? size_class_for(bytes) : o.size_class);
  d->operations = &o;
  d->waiters = nullptr;
  d->link = nullptr;
  if (has_token) {
    flags |= scoped;
    new (token_place(d)) std::stop_token(std::move(token));
  }
  if (a != nullptr) new (d->data()) kept_attributes{a->name, a->stack_size};
  d->word.store(references * reference + level + flags, std::memory_order_relaxed);
  return d;
}

}  // namespace

descriptor* new_descriptor(const task_operations& o, unsigned references, const task_attributes* a) {
  real_task* t = current_task();
  if (HOCKET_UNLIKELY(a != nullptr || t == nullptr || hands_on(t)))
    return new_descriptor_with(o, references, a);
  descriptor* d = allocate(o.bytes, o.size_class);
  d->operations = &o;
  d->waiters = nullptr;
  d->link = nullptr;
  // relaxed: published by the queue or by the handle.
  d->word.store(references * reference + usual_level, std::memory_order_relaxed);
  return d;
}

void destroy_descriptor(descriptor* d) {
  const std::uint64_t v = d->word.load(std::memory_order_relaxed);
  const task_operations* o = d->operations;
  if ((v & task_word::failed) != 0) {
    std::destroy_at(failure_place(d));
  } else if (o->destroy_result != nullptr && (v & state_mask) == done) {
    o->destroy_result(d);
  }
  free_whole(d);
}

void free_unused_descriptor(descriptor* d) { free_whole(d); }

void release_descriptor(descriptor* d) {
  // Alone with the last reference: nobody can add one, so no locked instruction is needed. acquire: what
  // others did before they dropped theirs.
  if (d->word.load(std::memory_order_acquire) / reference == 1) {
    destroy_descriptor(d);
  } else if (d->word.fetch_sub(reference, std::memory_order_acq_rel) / reference == 1) {
    destroy_descriptor(d);
  }
}

}  // namespace hocket::detail
