// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hocket's own side of the benchmarks, and how each of them gets its workers.
#pragma once

#include <hocket/hocket.hpp>

#include <unistd.h>

#include <filesystem>
#include <string>
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
void hocket_taskops(request& rq);
void hocket_granularity(request& rq);
void hocket_listsort(request& rq);
void hocket_feb(request& rq);
void hocket_sync(request& rq);
void hocket_mutex(request& rq);
void hocket_channel(request& rq);
void hocket_barrier(request& rq);
void hocket_condition(request& rq);
void hocket_counter(request& rq);
void hocket_wavefront(request& rq);

/// in_run() runs body() as the main task on as many workers as were asked for; HOCKET_* variables decide the
/// rest.
template <class F>
void in_run(const request& rq, F&& body, hocket::options defaults = {}) {
  hocket::options options = hocket::options::from_environment(std::move(defaults));
  options.workers = rq.threads();
  hocket::run(options, std::forward<F>(body));
}

/// A file for a trace, removed with this object.
class trace_file {
 public:
  trace_file()
      : path_(std::filesystem::temp_directory_path() / ("hkbench-" + std::to_string(getpid()) + ".json")) {}
  ~trace_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  trace_file(const trace_file&) = delete;
  trace_file& operator=(const trace_file&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace hkbench
