// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bugs that a program can plant; the table is written by CMake (plant.cmake), empty for `explore`.
#pragma once
#include <cstddef>

namespace explorer {

struct planted_bug {
  const char* name;
  const char* about;
};
extern const planted_bug planted_bugs[];
extern const std::size_t planted_bug_count;

}  // namespace explorer
