// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hocket's own side of the benchmarks, and how each of them gets its workers.
#pragma once

#include <hocket/hocket.hpp>

#include <utility>

#include "common/harness.hpp"

namespace hkbench {

void hocket_fib(request& rq);
void hocket_flat(request& rq);
void hocket_uts(request& rq);
void hocket_nqueens(request& rq);
void hocket_steal(request& rq);
void hocket_switch(request& rq);
void hocket_yield(request& rq);
void hocket_memory(request& rq);
void hocket_blocking(request& rq);
void hocket_timers(request& rq);
void hocket_wake(request& rq);
void hocket_foreign(request& rq);
void hocket_crowded(request& rq);
void hocket_features(request& rq);

/// in_run() runs body() as the main task on as many workers as were asked for; HOCKET_* variables decide the
/// rest.
template <class F>
void in_run(const request& rq, F&& body, hocket::options defaults = {}) {
  hocket::options options = hocket::options::from_environment(std::move(defaults));
  options.workers = rq.threads();
  hocket::run(options, std::forward<F>(body));
}

}  // namespace hkbench
