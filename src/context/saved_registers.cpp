// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layouts of switch_x86_64.S and switch_aarch64.S, as seen from outside.
#include "context/saved_registers.hpp"

#include <cstring>

namespace hocket::detail {
namespace {

#if defined(__x86_64__)
constexpr unsigned rbx = 3, frame_pointer = 6, stack_pointer = 7, program_counter = 16;
#else
constexpr unsigned frame_pointer = 29, stack_pointer = 31;
#endif

}  // namespace

bool read_saved_registers(std::uint64_t sp, const unsigned char* memory, std::size_t bytes,
                          saved_registers& r) {
  constexpr saved_layout layout = layout_of_saved_registers;
  if (layout.size == 0 || bytes < layout.size) return false;
  const auto word = [memory](std::uint32_t offset) {
    std::uint64_t w;
    std::memcpy(&w, memory + offset, sizeof w);
    return w;
  };
  r.pc = word(layout.pc);
  r.count = 0;
  r.at[r.count++] = {frame_pointer, word(layout.frame_pointer)};
  r.at[r.count++] = {stack_pointer, sp + layout.size};
#if defined(__x86_64__)
  r.at[r.count++] = {rbx, word(layout.rbx)};
  r.at[r.count++] = {program_counter, r.pc};
#endif
  return true;
}

}  // namespace hocket::detail
