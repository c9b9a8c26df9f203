// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sync layer's benchmarks on Hocket: the loops of workloads/sync.hpp.
#include "workloads/sync.hpp"

#include "hocket_benches.hpp"
#include "hocket_kit.hpp"

namespace hkbench {
namespace {

template <void (*Bench)(request&, hocket_kit&)>
void with_kit(request& rq) {
  in_run(rq, [&] {
    hocket_kit kit;
    Bench(rq, kit);
  });
}

}  // namespace

void hocket_mutex(request& rq) { with_kit<run_mutex>(rq); }
void hocket_channel(request& rq) { with_kit<run_channel>(rq); }
void hocket_barrier(request& rq) { with_kit<run_barrier>(rq); }
void hocket_condition(request& rq) { with_kit<run_condition>(rq); }
void hocket_counter(request& rq) { with_kit<run_counter>(rq); }

}  // namespace hkbench
