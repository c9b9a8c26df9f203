// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The floors: what plain calls, bare switches and bare memory cost here, with no runtime at all.
#pragma once

#include "common/harness.hpp"

namespace hkbench {

void floor_fib(request& rq);
void floor_flat(request& rq);
void floor_uts(request& rq);
void floor_nqueens(request& rq);
void floor_switch(request& rq);
void floor_yield(request& rq);
void floor_memory(request& rq);
void floor_warm(request& rq);
void floor_line(request& rq);
void floor_timers(request& rq);
void floor_wake(request& rq);
void floor_feb(request& rq);
void floor_sync(request& rq);
void floor_mutex(request& rq);
void floor_wavefront(request& rq);

}  // namespace hkbench
