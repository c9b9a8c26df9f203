// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first frame of a stack, in the layout of switch_aarch64.S.
#include <cstdint>

#include "context/context.hpp"

extern "C" void hocket_stack_root();

namespace hocket::detail {

void prepare(context& c, void* top, std::size_t, void (*entry)()) {
  std::uint64_t fpcr;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  auto* p = reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15});
  *--p = 0;  // unused, for the alignment
  *--p = fpcr;
  *--p = reinterpret_cast<std::uintptr_t>(&hocket_stack_root);
  *--p = reinterpret_cast<std::uintptr_t>(entry);  // x29
  c.sp = p;
}

}  // namespace hocket::detail
