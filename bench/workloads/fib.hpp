// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a doubly recursive Fibonacci function is measured: nanoseconds per call that forks.
#pragma once

#include "common/harness.hpp"
#include "fib/fib.hpp"

namespace hkbench {

/// run_fib() samples `compute(n)`, which returns the value of fib(n); lanes as for run_nqueens().
template <class F>
void run_fib(request& rq, unsigned lanes, int n, F compute) {
  rq.check_all_read();
  sample(rq, "ns_per_spawn", static_cast<double>(hocket::apps::fib_spawns(n)) * lanes, [&] {
    long value = 0;
    const double seconds = seconds_of([&] { value = compute(n); });
    check_equal("fib(" + std::to_string(n) + ")", value, hocket::apps::fib_value(n));
    return seconds;
  });
}

}  // namespace hkbench
