// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hkbench-floor: the benchmarks as plain code. `warm` only touches memory, so that the host has it ready.
#include "floor.hpp"

int main(int argc, char** argv) {
  using namespace hkbench;
  constexpr bench_entry entries[] = {
      {"fib", floor_fib},         {"flat", floor_flat},     {"uts", floor_uts},
      {"nqueens", floor_nqueens}, {"switch", floor_switch}, {"yield", floor_yield},
      {"memory", floor_memory},   {"warm", floor_warm},     {"line", floor_line},
      {"timers", floor_timers},   {"wake", floor_wake},     {"feb", floor_feb},
      {"sync", floor_sync},       {"mutex", floor_mutex},   {"wavefront", floor_wavefront},
  };
  return run_main("floor", entries, argc, argv);
}
