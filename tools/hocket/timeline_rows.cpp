// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts the changes of state of a trace into the lines of a picture.
#include "timeline_rows.hpp"

#include <algorithm>

namespace hocket::tool {
namespace {

/// So many changes of state are drawn as they are; more would make a large file that shows no more.
constexpr std::size_t most_exact_changes = 20'000;

/// The time that the tasks of a line spend in each state, for each column. A stretch over many columns costs
/// as much as one over two: whole columns are noted at their ends, and added up later.
class cells {
 public:
  cells(std::size_t columns, std::int64_t column_ns)
      : column_ns_(column_ns), part_(columns), whole_(columns + 1) {}

  void add(std::size_t state, std::int64_t from, std::int64_t to) {
    const std::size_t end = part_.size() - 1;
    const std::size_t first = std::min(static_cast<std::size_t>(from / column_ns_), end);
    const std::size_t last = std::min(static_cast<std::size_t>(to / column_ns_), end);
    if (first == last) {
      part_[first][state] += to - from;
      return;
    }
    part_[first][state] += static_cast<std::int64_t>(first + 1) * column_ns_ - from;
    part_[last][state] += to - static_cast<std::int64_t>(last) * column_ns_;
    whole_[first + 1][state] += 1;
    whole_[last][state] -= 1;
  }
  /// Calls each(column, time in each state), and must come last.
  template <class F>
  void for_each(F&& each) {
    std::array<std::int64_t, 3> tasks{};
    for (std::size_t i = 0; i < part_.size(); ++i) {
      for (std::size_t s = 0; s < 3; ++s) {
        tasks[s] += whole_[i][s];
        part_[i][s] += tasks[s] * column_ns_;
      }
      each(static_cast<std::int64_t>(i), part_[i]);
    }
  }

 private:
  std::int64_t column_ns_;
  std::vector<std::array<std::int64_t, 3>> part_, whole_;
};

/// The state that a cell shows; gone if there is none.
task_state state_of(const std::array<std::int64_t, 3>& time, std::int64_t column_ns) {
  const auto [running, ready, blocked] = time;
  if (running + ready + blocked == 0) return task_state::gone;
  if (10 * running >= column_ns || running >= std::max(ready, blocked)) return task_state::running;
  return ready > blocked ? task_state::ready : task_state::blocked;
}

}  // namespace

rows::rows(const trace& t, std::size_t most_lines, std::size_t most_columns) : trace_(t) {
  for (std::uint32_t i = 0; i < t.reals.size(); ++i) {
    if (t.reals[i].begin <= t.to && t.reals[i].end >= t.from) shown_.push_back(i);
  }
  per_line_ =
      static_cast<std::uint32_t>(std::max<std::size_t>((shown_.size() + most_lines - 1) / most_lines, 1));
  std::size_t changes = 0;
  begin_of_.assign(t.reals.size() + 1, 0);
  for (const state_change& c : t.changes) {
    ++begin_of_[c.real + 1];
    changes += c.ns >= t.from && c.ns <= t.to;
  }
  for (std::size_t i = 1; i < begin_of_.size(); ++i) begin_of_[i] += begin_of_[i - 1];
  order_.resize(t.changes.size());
  std::vector<std::uint32_t> next(begin_of_.begin(), begin_of_.end() - 1);
  for (std::uint32_t i = 0; i < t.changes.size(); ++i) order_[next[t.changes[i].real]++] = i;
  if (per_line_ > 1 || changes > most_exact_changes) {
    const auto columns = static_cast<std::int64_t>(most_columns);
    column_ns_ = (t.to - t.from + columns - 1) / columns;
  }
}

/// Calls each(state, from, to) for each stretch in the range, in ns since its begin.
template <class F>
void rows::for_each_stretch(std::uint32_t real, F&& each) const {
  for (std::uint32_t i = begin_of_[real]; i < begin_of_[real + 1]; ++i) {
    const state_change& c = trace_.changes[order_[i]];
    if (c.state == task_state::gone) continue;
    const std::int64_t end =
        i + 1 < begin_of_[real + 1] ? trace_.changes[order_[i + 1]].ns : trace_.reals[real].end;
    const std::int64_t from = std::max(c.ns, trace_.from), to = std::min(end, trace_.to);
    if (from <= to) each(static_cast<std::size_t>(c.state), from - trace_.from, to - trace_.from);
  }
}

timeline_row rows::line(std::size_t number) const {
  timeline_row row;
  row.first = static_cast<std::uint32_t>(number) * per_line_;
  row.count = std::min(per_line_, static_cast<std::uint32_t>(shown_.size()) - row.first);
  if (cut_into_columns())
    in_columns(row);
  else
    exact(row);
  return row;
}

void rows::exact(timeline_row& row) const {
  for_each_stretch(shown_[row.first], [&](std::size_t state, std::int64_t from, std::int64_t to) {
    std::vector<stretch>& all = row.of[state];
    if (!all.empty() && all.back().to == from)
      all.back().to = to;
    else
      all.push_back({from, to});
  });
}

void rows::in_columns(timeline_row& row) const {
  cells c(static_cast<std::size_t>((trace_.to - trace_.from + column_ns_ - 1) / column_ns_), column_ns_);
  for (std::uint32_t i = 0; i < row.count; ++i) {
    for_each_stretch(shown_[row.first + i],
                     [&](std::size_t state, std::int64_t from, std::int64_t to) { c.add(state, from, to); });
  }
  c.for_each([&](std::int64_t column, const std::array<std::int64_t, 3>& time) {
    const task_state s = state_of(time, column_ns_);
    if (s == task_state::gone) return;
    std::vector<stretch>& all = row.of[static_cast<std::size_t>(s)];
    if (!all.empty() && all.back().to == column)
      ++all.back().to;
    else
      all.push_back({column, column + 1});
  });
}

std::array<std::int64_t, 3> rows::times(std::uint32_t real) const {
  std::array<std::int64_t, 3> sum{};
  for_each_stretch(real,
                   [&](std::size_t state, std::int64_t from, std::int64_t to) { sum[state] += to - from; });
  return sum;
}

}  // namespace hocket::tool
