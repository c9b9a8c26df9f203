// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many real tasks run, are ready and are blocked, over the time of a trace.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "timeline_trace.hpp"

namespace hocket::tool {

/// Real tasks by state at a time.
struct load {
  std::int64_t of[3] = {0, 0, 0};  // by task_state
  std::int64_t running() const { return of[0]; }
  std::int64_t ready() const { return of[1]; }
  std::int64_t blocked() const { return of[2]; }
  std::int64_t existing() const { return of[0] + of[1] + of[2]; }
};

/// Calls each(from, to, load) for each stretch of the chosen range between two changes, in order; stretches
/// without length are among them.
template <class F>
void for_each_load(const trace& t, F&& each) {
  std::vector<task_state> states(t.reals.size(), task_state::gone);
  load now;
  std::int64_t since = t.from;
  for (const state_change& c : t.changes) {
    if (c.ns > t.to) break;
    if (c.ns >= t.from) {
      each(since, c.ns, now);
      since = c.ns;
    }
    task_state& s = states[c.real];
    if (s != task_state::gone) --now.of[static_cast<int>(s)];
    if (c.state != task_state::gone) ++now.of[static_cast<int>(c.state)];
    s = c.state;
  }
  each(since, t.to, now);
}

/// Fills in the counts that need the whole trace: the most at once, and the time in each state.
void count_states(trace&);

/// One value of a load in each column of a picture.
struct curve_column {
  double mean = 0;
  std::int64_t least = 0, most = 0;
};
enum class curve { running, blocked, existing };
std::int64_t value_of(const load&, curve);
std::vector<curve_column> columns_of(const trace&, curve, std::int64_t column_ns);

}  // namespace hocket::tool
