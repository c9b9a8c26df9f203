// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wavefront as a serial sweep; several threads each sweep a grid of their own.
#include <vector>

#include "common/plain_threads.hpp"
#include "floor.hpp"
#include "workloads/wavefront.hpp"

namespace hkbench {

void floor_wavefront(request& rq) {
  std::vector<wave_grid> others;  // made when the side is known, by the run that warms up
  run_wavefront(rq, rq.threads(), 3162, [&](wave_grid& grid) {
    if (others.empty()) others.assign(rq.threads() - 1, grid);
    seconds_on_threads(rq.threads(), [&](unsigned lane) { (lane == 0 ? grid : others[lane - 1]).sweep(); });
  });
}

}  // namespace hkbench
