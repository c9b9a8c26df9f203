// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stacks of real tasks: made from the arena, pooled, given back, watched.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "sched/depot.hpp"
#include "sched/deque.hpp"
#include "sched/kernel.hpp"
#include "sched/real_task.hpp"
#include "sched/scheduler.hpp"

#if HOCKET_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace hocket::detail {
namespace {

atomic<std::uint64_t> next_ids{0};  // relaxed: numbers only; a batch for a worker at a time

void format_stack(real_task* t, worker* w, unsigned k, bool guarded) {
  t->stack_class = k;
  t->bottom = stack_bottom(t->area(), k);
  t->guarded = guarded;
  if (!guarded) std::memcpy(t->bottom, &canary, sizeof canary);
  t->top = t->first();
  t->on = w;
  t->runs.store(nullptr, std::memory_order_relaxed);
  t->level.store(usual, std::memory_order_relaxed);
  t->bound_to.store(no_shepherd, std::memory_order_relaxed);
  t->begins_with = nullptr;
  t->watched_as = t->watched_task = 0;
  t->exception_state[0] = t->exception_state[1] = nullptr;
  reset_segment(t->first(), t, nullptr);
}

/// Where the stack below a control block begins: some lines lower for each block, so that the tops of many
/// stacks do not all meet in the same sets of the cache.
void prepare_stack(real_task* t) {
  char* top = reinterpret_cast<char*>(t) - 64 * (address(t) / (128 * 1024) % 8);
  prepare(t->saved, top, static_cast<std::size_t>(top - t->bottom), &base_loop);
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
               name_of(t), t->stack_bytes(), t->stack_bytes() * 2);
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
  t->id = fresh_id(w);
  return t;
}

std::uint64_t fresh_id(worker* w) {
  constexpr std::uint64_t batch = 1024;
  if ((w->next_id & (batch - 1)) == 0) w->next_id = next_ids.fetch_add(1, std::memory_order_relaxed) * batch;
  const std::uint64_t id = ++w->next_id;
  if ((id & (batch - 1)) == batch - 1) w->next_id = 0;
  return id;
}

}  // namespace hocket::detail
