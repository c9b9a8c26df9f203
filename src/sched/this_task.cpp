// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a task can ask and do about itself.
#include <hocket/this_task.hpp>

#include "sched/park.hpp"
#include "sched/real_task.hpp"
#include "sched/scheduler.hpp"
#include "sched/worker.hpp"

namespace hocket::this_task {
using namespace detail;

void yield() { yield_task(); }

HOCKET_NOINLINE void check() {
  real_task* t = current_task();
  if (t == nullptr) return;
  check_stop();
  end_slice(t);
}

std::uint64_t id() {
  const real_task* t = current_task();
  return t == nullptr ? 0 : t->id;
}
const char* name() {
  const real_task* t = current_task();
  return t == nullptr ? "no task" : name_of(t);
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
