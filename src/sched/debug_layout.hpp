// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What debuggers need to know to find tasks in a program without debug information.
#pragma once
#include <cstdint>

extern "C" {
/// Addresses, offsets and sizes, read by tools/gdb/hocket_gdb.py, which names the fields in the same order. A
/// change of order or meaning changes the version.
struct hocket_debug_table {
  std::uint64_t version;
  const void* newest_chunk;
  std::uint64_t chunk_base, chunk_block, chunk_count, chunk_stack, chunk_used, chunk_older;
  std::uint64_t area_bytes, stack_in_area;
  std::uint64_t task_sp, task_on, task_id, task_begins_with, task_waits, task_waits_on, task_waits_count,
      task_since, task_runs, task_level;
  std::uint64_t descriptor_word, descriptor_operations, descriptor_link, descriptor_data, operations_named;
  std::uint64_t worker_number, worker_current;
  std::uint64_t saved_pc, saved_frame_pointer, saved_rbx, saved_size;  // size 0: not known (Boost.Context)
  const void* forked_child;
  double (*seconds_since)(std::uint64_t ticks);
};
extern const hocket_debug_table hocket_debug_layout;
}
