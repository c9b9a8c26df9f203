// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where stacks come from: blocks of address space, carved from chunks that are never unmapped.
//
//   block:  [ guard, 64 KiB | stack, grows down <-- | area, 16 KiB, aligned to its size ]
// The area belongs to the layer above (control block and deque); its first 3 KiB are the top of the stack, so
// that a task that is not deep touches one page. Blocks are never unmapped: whoever still looks into the area
// of a stack that has been given back finds valid memory.
#pragma once
#include <cstddef>
#include <vector>

#include <hocket/detail/atomic.hpp>
#include <hocket/detail/layout.hpp>

namespace hocket::detail {

inline constexpr std::size_t guard_bytes = 64 * 1024;

/// Stack sizes come in classes: 16 KiB times 1, 2, 3, 4, 6, 8, 12, 16, ...
inline constexpr unsigned stack_classes = 46;
std::size_t stack_class_bytes(unsigned stack_class);
unsigned stack_class_for(
    std::size_t bytes);  // the smallest that has so many; throws error(no_memory) if none has

/// A fresh stack, by its area. Without a guard its owner must watch a canary.
struct carved_stack {
  char* area;
  bool guarded;
};

/// carve_stacks() appends `count` fresh stacks of the class, their first page in memory. Any thread. Throws
/// error(no_memory) with what was asked and what to change. The first stack without a guard is said on
/// stderr.
void carve_stacks(unsigned stack_class, std::size_t count, std::vector<carved_stack>& stacks);

/// How guards are made; tests change it to have stacks without.
struct guard_policy {
  bool install = true;  // by MADV_GUARD_INSTALL, where the kernel has it
  std::size_t mprotect_most =
      16000;  // else by mprotect: each splits a mapping, and a process has some 65,530
};
guard_policy& guards();

/// carve_areas() appends areas without a stack, for the deques that outgrow their stack's.
void carve_areas(std::size_t count, std::vector<char*>& areas);

/// Gives the memory of a free stack below its area, but not its address space, back to the system.
void release_stack_memory(char* area, unsigned stack_class);

/// The lowest usable byte of the stack below an area.
inline char* stack_bottom(char* area, unsigned stack_class) { return area - stack_class_bytes(stack_class); }

/// A mapping that is cut into blocks of one size. Published once, never changed but for `used`; debuggers
/// read it, too (sched/debug_layout.cpp).
struct stack_chunk {
  char* base;         // aligned to area_bytes
  std::size_t block;  // bytes
  std::size_t count;
  std::size_t stack;         // bytes of stack in a block; 0: areas alone
  atomic<std::size_t> used;  // release by the carver, acquire by for_each_stack
  stack_chunk* older;
};
extern atomic<stack_chunk*> newest_chunk;  // release when one is added, acquire by readers

/// Calls visit(area) for every block ever carved with a stack.
void for_each_stack(void (*visit)(char* area, void* argument), void* argument);
void for_each_area(void (*visit)(char* area, void* argument), void* argument);

/// guarded_area() returns the area of the block in whose guard the address lies, or null. Async-signal-safe.
char* guarded_area(const void* address);

}  // namespace hocket::detail
