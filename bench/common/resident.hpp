// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The resident set of this process, as the memory benchmarks read it.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <stdexcept>

namespace hkbench {

inline double resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  long size = 0;
  long resident = 0;
  const bool read = file && std::fscanf(file, "%ld %ld", &size, &resident) == 2;
  if (file) std::fclose(file);
  if (!read) throw std::runtime_error("/proc/self/statm cannot be read, so memory cannot be measured");
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace hkbench
