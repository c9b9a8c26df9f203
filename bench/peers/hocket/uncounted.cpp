// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hkbench-hocket-uncounted: fib on a Hocket whose counters count nothing, to show what they cost.
#include "hocket_benches.hpp"

int main(int argc, char** argv) {
  constexpr hkbench::bench_entry entries[] = {{"features", hkbench::hocket_features}};
  return hkbench::run_main("hocket-uncounted", entries, argc, argv);
}
