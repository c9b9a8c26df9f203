// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of `explore`.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

namespace explorer {

struct options {
  std::string scenario;
  std::string bug;
  std::uint64_t first_seed = 1;
  std::uint64_t schedules = 5000;
  unsigned preemptions = 2;
  std::size_t steps_shown = 200;
  bool list = false, help = false;
};

/// Its text is one sentence for the user.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

options read_options(int argc, char** argv);
extern const char* const help_text;

}  // namespace explorer
