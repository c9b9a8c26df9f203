// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The benchmarks: which programs compete in which rows, with which parameters.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace hocket::tool {

/// What one launch measures: `hkbench-<variant> <bench> --threads <threads> --param ...`.
struct contestant {
  std::string variant;
  unsigned threads = 1;
  std::vector<std::pair<std::string, std::string>> params;
  std::string bench;  // the name within the executable
};

/// A group is measured in rounds: every contestant once per round, in this order.
struct group {
  std::vector<contestant> contestants;
  long warm_mib = 0;  // memory that another process touches before each launch, so that the host has it ready
};

struct bench_request {
  std::vector<unsigned> threads = {1, 2};
  bool quick = false;
  double memory_bytes = 0;  // what the memory benchmark may use
};

struct benchmark {
  const char* name;
  const char* metrics;
  const char* summary;
  std::vector<group> (*groups)(const bench_request&);
};

const std::vector<benchmark>& benchmarks();

/// usable_memory() is 60 % of what this process could have now, by the system and by its cgroup.
double usable_memory();

}  // namespace hocket::tool
