// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of a fixed amount: a calibrated chain of multiplications that no compiler can shorten.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace hocket::apps {

// spin() does `rounds` dependent multiplications and returns 1.
[[gnu::noinline]] inline long spin(long rounds) {
  std::uint64_t x = 1;
  for (long i = 0; i < rounds; ++i) {
    x = x * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(x));
  }
  return 1;
}

// rounds_for() calibrates spin() to a duration: the fastest of a few tries counts.
inline long rounds_for(double seconds) {
  constexpr long probe = 200000;
  double fastest = 1.0;
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    spin(probe);
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - start;
    fastest = std::min(fastest, gone.count());
  }
  return std::max(1L, static_cast<long>(seconds / fastest * probe));
}

}  // namespace hocket::apps
