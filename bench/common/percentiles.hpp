// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Percentiles of many measured times, and the processor time that this process has used.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "harness.hpp"

namespace hkbench {

/// percentile_rows() prints the 50th and the 99th percentile of `us` as <what>_p50 and <what>_p99.
inline void percentile_rows(const request& rq, const std::string& what, std::vector<double> us) {
  if (us.empty()) throw check_failed("no " + what + " was measured");
  std::sort(us.begin(), us.end());
  const auto at = [&us](double share) {
    return us[static_cast<std::size_t>(share * static_cast<double>(us.size() - 1))];
  };
  rq.row((what + "_p50").c_str(), "us", at(0.50));
  rq.row((what + "_p99").c_str(), "us", at(0.99));
}

/// Seconds of processor time, user's and system's, of all threads.
inline double cpu_seconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(u.ru_utime) + seconds(u.ru_stime);
}

}  // namespace hkbench
