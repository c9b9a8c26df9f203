// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds up the changes of state of a trace.
#include "timeline_curves.hpp"

namespace hocket::tool {

void count_states(trace& t) {
  trace_counts& c = t.counts;
  const auto raise = [](std::uint64_t& most, std::int64_t value) {
    most = std::max(most, static_cast<std::uint64_t>(value));
  };
  for_each_load(t, [&](std::int64_t from, std::int64_t to, const load& now) {
    raise(c.most_running, now.running());
    raise(c.most_ready, now.ready());
    raise(c.most_blocked, now.blocked());
    raise(c.most_real_at_once, now.existing());
    c.running_ns += (to - from) * now.running();
    c.ready_ns += (to - from) * now.ready();
    c.blocked_ns += (to - from) * now.blocked();
  });
}

std::int64_t value_of(const load& l, curve which) {
  switch (which) {
    case curve::running:
      return l.running();
    case curve::blocked:
      return l.blocked();
    case curve::existing:
      return l.existing();
  }
  return 0;
}

std::vector<curve_column> columns_of(const trace& t, curve which, std::int64_t column_ns) {
  std::vector<curve_column> columns(static_cast<std::size_t>((t.to - t.from + column_ns - 1) / column_ns));
  std::vector<std::int64_t> filled(columns.size(), 0);  // ns
  for_each_load(t, [&](std::int64_t from, std::int64_t to, const load& now) {
    const std::int64_t value = value_of(now, which);
    while (from < to) {
      const auto at = static_cast<std::size_t>((from - t.from) / column_ns);
      const std::int64_t until = std::min(to, t.from + static_cast<std::int64_t>(at + 1) * column_ns);
      curve_column& c = columns[at];
      c.least = filled[at] == 0 ? value : std::min(c.least, value);
      c.most = filled[at] == 0 ? value : std::max(c.most, value);
      c.mean += static_cast<double>(value) * static_cast<double>(until - from);
      filled[at] += until - from;
      from = until;
    }
  });
  for (std::size_t i = 0; i < columns.size(); ++i)
    columns[i].mean /= static_cast<double>(std::max<std::int64_t>(filled[i], 1));
  return columns;
}

}  // namespace hocket::tool
