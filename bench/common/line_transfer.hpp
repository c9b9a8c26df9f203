// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What it costs now to pass a cache line from one core to another.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "plain_threads.hpp"

namespace hkbench {

/// line_transfer_ns() lets a thread on each of the two CPUs write one word in turn, `turns` times each, and
/// returns the nanoseconds from one side's store to the other's. The time begins once both threads are on
/// their CPUs: a caller that is bound to one of them would else pass that on, and the move would count.
inline double line_transfer_ns(long turns, int one_cpu, int other_cpu) {
  alignas(128) std::atomic<long> line{0};
  alignas(128) std::atomic<int> there{0};
  std::array<double, 2> begin{};
  std::array<double, 2> end{};
  const auto pass = [&](unsigned side, int cpu) {
    pin_this_thread(cpu);
    there.fetch_add(1);
    while (there.load(std::memory_order_acquire) != 2) std::this_thread::yield();
    begin[side] = now_s();
    for (long turn = side; turn < 2 * turns; turn += 2) {
      while (line.load(std::memory_order_acquire) != turn) {
      }
      line.store(turn + 1, std::memory_order_release);
    }
    end[side] = now_s();
  };
  std::thread one(pass, 0U, one_cpu);
  std::thread other(pass, 1U, other_cpu);
  one.join();
  other.join();
  check_equal("the number of turns", line.load(), 2 * turns);
  return (std::max(end[0], end[1]) - std::max(begin[0], begin[1])) * 1e9 / static_cast<double>(2 * turns);
}

}  // namespace hkbench
