// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where things lie in the memory of a stack.
//
//   [ guard, 64 KiB | stack, grows down <-- | area, 16 KiB, aligned to its size ]
//   area: [ 3 KiB, still stack | control block, 320 bytes | segment: 201 slots ]
// Stack, control block and the first slots share a page, so that a task that is not deep touches one.
#pragma once
#include <cstddef>
#include <cstdint>

#include <hocket/detail/config.hpp>

namespace hocket::detail {

inline constexpr std::size_t area_bytes = 16 * 1024;
inline constexpr std::size_t stack_in_area = 3 * 1024;
inline constexpr std::size_t segment_offset = stack_in_area + 320;

HOCKET_ALWAYS_INLINE std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

}  // namespace hocket::detail
