// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first frame of a stack, in the layout of switch_x86_64.S.
#include <cstdint>
#include <cstring>

#include "context/context.hpp"

extern "C" void hocket_stack_root();

namespace hocket::detail {

void prepare(context& c, void* top, std::size_t, void (*entry)()) {
  auto** p = reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15});
  p -= 16;  // the red zone that the switch steps over; the root starts with a stack aligned to 16
  *--p = reinterpret_cast<void*>(&hocket_stack_root);
  *--p = reinterpret_cast<void*>(entry);  // rbx
  *--p = nullptr;                         // rbp
  std::uint32_t words[2] = {0, 0};
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(words[0]), "=m"(words[1]));
  --p;
  std::memcpy(p, words, sizeof words);
  c.sp = p;
}

}  // namespace hocket::detail
