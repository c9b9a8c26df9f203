// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// High-water marks of stacks: fresh stacks are zero, so the lowest byte that is not tells how deep the last
// task went.
#include "sched/stack_marks.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <hocket/stats.hpp>

#include "sched/real_task.hpp"
#include "sched/scheduler.hpp"
#include "sched/tasks.hpp"

namespace hocket::detail {
namespace {

std::mutex marks_mutex;
std::map<std::string, stack_mark>& marks() {
  static auto* all = new std::map<std::string, stack_mark>;  // never destroyed, as what it tells of
  return *all;
}

/// The lowest byte of the stack that has been written. Pages that were never touched are not touched now.
[[maybe_unused]] HOCKET_NOINLINE char* lowest_used(const real_task* t, char* end) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  char* first = reinterpret_cast<char*>(address(t->bottom) & ~(page - 1));
  const auto pages = (static_cast<std::size_t>(end - first) + page - 1) / page;
  std::vector<unsigned char> resident(pages, 1);
  if (mincore(first, pages * page, resident.data()) != 0) std::fill(resident.begin(), resident.end(), 1);
  const auto used = static_cast<std::size_t>(
      std::find_if(resident.begin(), resident.end(), [](unsigned char r) { return (r & 1) != 0; }) -
      resident.begin());
  char* p = std::max(first + used * page, t->bottom + (t->guarded ? 0 : sizeof canary));
  while (p < end && *p == 0) ++p;
  return p;
}

[[maybe_unused]] HOCKET_NOINLINE void clear(char* from) {
  char* to =
      static_cast<char*>(__builtin_frame_address(0)) - 512;  // not this frame, nor what a signal would use
  for (volatile char* p = from; p < to; ++p) *p = 0;
}

}  // namespace

real_task* execute_marked(real_task* self, descriptor* d, unsigned references) {
  const std::string name = name_of(d);
  const std::size_t before = static_cast<std::size_t>(reinterpret_cast<char*>(self) -
                                                      static_cast<char*>(__builtin_frame_address(0)));
  real_task* waiter = execute(d, references);
  std::size_t deep = 0;
#if !HOCKET_ASAN  // whose frames lie elsewhere, and are guarded by bytes that must not be cleared
  char* here = static_cast<char*>(__builtin_frame_address(0)) - 1024;
  char* low = lowest_used(self, here);
  deep = static_cast<std::size_t>(reinterpret_cast<char*>(self) - low) - before;
  clear(low);
#endif
  const std::lock_guard lock(marks_mutex);
  stack_mark& m = marks()[name];
  m.name = name;
  ++m.tasks;
  m.most_bytes = std::max(m.most_bytes, deep);
  m.stack_bytes = std::max(m.stack_bytes, self->stack_bytes());
  // Half as much again for what this run has not met, and what the kernel's own frames and a signal need.
  m.suggested_bytes = stack_class_bytes(stack_class_for(m.most_bytes + m.most_bytes / 2 + before + 4096));
  return waiter;
}

}  // namespace hocket::detail

std::vector<hocket::stack_mark> hocket::stack_marks() {
  const std::lock_guard lock(detail::marks_mutex);
  std::vector<stack_mark> all;
  for (const auto& [name, mark] : detail::marks()) all.push_back(mark);
  return all;
}
