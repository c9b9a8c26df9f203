// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The monotonic clock, and a cheaper count of time for notes that only reports read.
#pragma once
#include <time.h>

#include <cstdint>

#include <hocket/detail/config.hpp>

#if defined(__x86_64__) && !defined(HOCKET_ATOMIC_HEADER)
#include <x86intrin.h>
#endif

namespace hocket::detail {

/// Nanoseconds of CLOCK_MONOTONIC, the clock of std::chrono::steady_clock and of futex time-outs.
inline std::int64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// Ticks of a steady counter, of unknown rate: some 10 ns cheaper than now_ns(). Where schedules are explored
/// the clock is virtual, and there is no other: the same seed must see the same time.
HOCKET_ALWAYS_INLINE std::uint64_t ticks() {
#if defined(HOCKET_ATOMIC_HEADER)
  return static_cast<std::uint64_t>(now_ns());
#elif defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  std::uint64_t t;
  asm volatile("mrs %0, cntvct_el0" : "=r"(t));
  return t;
#else
  return static_cast<std::uint64_t>(now_ns());
#endif
}

/// Some 20 us in ticks(); more where the counter is slow; a few readings of the clock where it is virtual.
#if defined(HOCKET_ATOMIC_HEADER)
inline constexpr std::uint64_t ticks_of_a_while = 2'000;
#elif defined(__x86_64__)
inline constexpr std::uint64_t ticks_of_a_while = 50'000;
#else
inline constexpr std::uint64_t ticks_of_a_while = 1'000;
#endif

}  // namespace hocket::detail
