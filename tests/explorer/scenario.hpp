// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scenario: a short piece of work for a few threads over the library's real code.
#pragma once
#include <vector>

#include "steps.hpp"

namespace explorer {

struct scenario {
  const char* name;
  const char* about;
  /// Called once a schedule, in a fresh process, by the schedule's first thread. Joins the threads it makes.
  void (*run)();
};

using scenarios = std::vector<scenario>;
scenarios deque_scenarios();
scenarios queue_scenarios();
scenarios wait_scenarios();
scenarios mutex_scenarios();
scenarios lock_scenarios();
scenarios meeting_scenarios();
scenarios channel_scenarios();
scenarios full_empty_scenarios();
scenarios counter_scenarios();
scenarios sleep_scenarios();
scenarios end_scenarios();

}  // namespace explorer
