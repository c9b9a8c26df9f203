// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table for debuggers. It is no code's business but theirs.
#include "sched/debug_layout.hpp"

#include <cstddef>

#include "base/clock.hpp"
#include "context/saved_registers.hpp"
#include "context/stack_arena.hpp"
#include "sched/kernel.hpp"
#include "sched/real_task.hpp"
#include "sched/worker.hpp"

namespace hocket::detail {
namespace {

/// Called by the debugger in a live process: how long ago a count of ticks was.
double seconds_since(std::uint64_t then) {
  const kernel_visit k;
  if (!k) return 0;
  const std::uint64_t now = ticks();
  const auto passed = static_cast<double>(now - k->first_ticks);
  return passed <= 0
             ? 0
             : static_cast<double>(now - then) * static_cast<double>(now_ns() - k->first_ns) / passed / 1e9;
}

}  // namespace
}  // namespace hocket::detail

// Without optimisation across files nobody would look for it; with it, it must stay.
#if defined(__clang__)
#define HOCKET_FOR_DEBUGGERS __attribute__((used))
#else
#define HOCKET_FOR_DEBUGGERS __attribute__((used, externally_visible))
#endif

using namespace hocket::detail;

#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // of a worker; both compilers know it all the same

extern "C" HOCKET_FOR_DEBUGGERS const hocket_debug_table hocket_debug_layout = {
    .version = 1,
    .newest_chunk = &newest_chunk,
    .chunk_base = offsetof(stack_chunk, base),
    .chunk_block = offsetof(stack_chunk, block),
    .chunk_count = offsetof(stack_chunk, count),
    .chunk_stack = offsetof(stack_chunk, stack),
    .chunk_used = offsetof(stack_chunk, used),
    .chunk_older = offsetof(stack_chunk, older),
    .area_bytes = area_bytes,
    .stack_in_area = stack_in_area,
    .task_sp = offsetof(real_task, saved) + offsetof(context, sp),
    .task_on = offsetof(real_task, on),
    .task_id = offsetof(real_task, id),
    .task_begins_with = offsetof(real_task, begins_with),
    .task_waits = offsetof(real_task, waits),
    .task_waits_on = offsetof(real_task, waits_on),
    .task_waits_count = offsetof(real_task, waits_count),
    .task_since = offsetof(real_task, since),
    .task_runs = offsetof(real_task, runs),
    .task_level = offsetof(real_task, level),
    .descriptor_word = offsetof(descriptor, word),
    .descriptor_operations = offsetof(descriptor, operations),
    .descriptor_link = offsetof(descriptor, link),
    .descriptor_data = offsetof(descriptor, first_data),
    .operations_named = offsetof(task_operations, named),
    .worker_number = offsetof(worker, number),
    .worker_current = offsetof(worker, current),
    .saved_pc = layout_of_saved_registers.pc,
    .saved_frame_pointer = layout_of_saved_registers.frame_pointer,
    .saved_rbx = layout_of_saved_registers.rbx,
    .saved_size = layout_of_saved_registers.size,
    .forked_child = &forked_child,
    .seconds_since = &seconds_since,
};
