// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hkbench-hocket: the benchmarks on Hocket.
#include "hocket_benches.hpp"

int main(int argc, char** argv) {
  using namespace hkbench;
  constexpr bench_entry entries[] = {
      {"fib", hocket_fib},
      {"flat", hocket_flat},
      {"uts", hocket_uts},
      {"nqueens", hocket_nqueens},
      {"steal", hocket_steal},
      {"switch", hocket_switch},
      {"yield", hocket_yield},
      {"memory", hocket_memory},
      {"blocking", hocket_blocking},
      {"timers", hocket_timers},
      {"wake", hocket_wake},
      {"foreign", hocket_foreign},
      {"features", hocket_features},
      {"crowded", hocket_crowded},
      {"taskops", hocket_taskops},
      {"granularity", hocket_granularity},
      {"listsort", hocket_listsort},
      {"feb", hocket_feb},
      {"sync", hocket_sync},
      {"mutex", hocket_mutex},
      {"channel", hocket_channel},
      {"barrier", hocket_barrier},
      {"condition", hocket_condition},
      {"counter", hocket_counter},
      {"wavefront", hocket_wavefront},
  };
  return run_main("hocket", entries, argc, argv);
}
