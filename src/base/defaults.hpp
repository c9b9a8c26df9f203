// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defaults and bounds of the options, in one place.
#pragma once
#include <cstddef>

namespace hocket::detail {
inline constexpr unsigned max_workers = 1024;
inline constexpr std::size_t default_stack_size = 48 * 1024;
inline constexpr std::size_t min_stack_size = 16 * 1024;
inline constexpr std::size_t max_stack_size = std::size_t{64} << 30;
inline constexpr unsigned default_spin = 50;  // microseconds: about what a sleep and a wake-up cost
inline constexpr std::size_t default_stack_keep = 65536;
inline constexpr std::size_t default_blocking_threads = 64;
inline constexpr unsigned default_suspect_after = 60;  // seconds
}  // namespace hocket::detail
