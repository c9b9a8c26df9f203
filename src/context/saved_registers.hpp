// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a suspended computation's registers are, by the layout of the switch; for those who walk its stack.
#pragma once
#include <cstddef>
#include <cstdint>

namespace hocket::detail {

/// The registers that a switch keeps, by their DWARF numbers; all others have no value.
struct saved_registers {
  struct one {
    unsigned number;
    std::uint64_t value;
  };
  one at[4];
  unsigned count = 0;
  std::uint64_t pc = 0;
};

/// Where they lie from the saved stack pointer on (offsets in bytes): switch_x86_64.S, switch_aarch64.S. All
/// zero if the layout is not ours (Boost.Context).
struct saved_layout {
  std::uint32_t pc, frame_pointer, rbx, size;  // rbx: none where it is `size`
};
#if defined(HOCKET_SWITCH_BOOST)
inline constexpr saved_layout layout_of_saved_registers{0, 0, 0, 0};
#elif defined(__x86_64__)
// mxcsr and x87, rbp, rbx, resume address, red zone
inline constexpr saved_layout layout_of_saved_registers{24, 8, 16, 8 + 3 * 8 + 128};
#elif defined(__aarch64__)
// x29, resume address, fpcr, unused
inline constexpr saved_layout layout_of_saved_registers{8, 0, 32, 32};
#else
inline constexpr saved_layout layout_of_saved_registers{0, 0, 0, 0};
#endif

/// False if the layout is not ours (Boost.Context). `memory` holds what lies at `sp`, or a copy of it.
bool read_saved_registers(std::uint64_t sp, const unsigned char* memory, std::size_t bytes, saved_registers&);

}  // namespace hocket::detail
