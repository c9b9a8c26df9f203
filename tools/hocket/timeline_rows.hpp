// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lines of a timeline: which real tasks share a line, and the stretches of each state along it.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "timeline_trace.hpp"

namespace hocket::tool {

/// Part of a line, in ns since the picture's left edge, or in columns.
struct stretch {
  std::int64_t from, to;
};
struct timeline_row {
  std::uint32_t first, count;              // real tasks: places in rows::shown
  std::array<std::vector<stretch>, 3> of;  // by task_state
};

/// rows divides the real tasks of a trace into at most `most_lines` lines, in the order in which they began.
/// With more than one on a line, or too many changes to draw them all, time is cut into columns, and each
/// cell shows one state: running if its tasks ran for a tenth of the cell's time, else what most of them
/// were.
class rows {
 public:
  rows(const trace&, std::size_t most_lines, std::size_t most_columns);

  std::size_t lines() const { return (shown_.size() + per_line_ - 1) / per_line_; }
  std::uint32_t per_line() const { return per_line_; }
  bool cut_into_columns() const { return column_ns_ != 0; }
  std::int64_t column_ns() const { return column_ns_; }
  /// Indices of the real tasks that exist in the range.
  const std::vector<std::uint32_t>& shown() const { return shown_; }

  timeline_row line(std::size_t number) const;
  /// The time that a real task spent in each state, in the range.
  std::array<std::int64_t, 3> times(std::uint32_t real) const;

 private:
  template <class F>
  void for_each_stretch(std::uint32_t real, F&& each) const;
  void exact(timeline_row&) const;
  void in_columns(timeline_row&) const;

  const trace& trace_;
  std::vector<std::uint32_t> shown_;
  std::uint32_t per_line_ = 1;
  std::int64_t column_ns_ = 0;
  std::vector<std::uint32_t> begin_of_;  // for each real task, where its changes begin in order_
  std::vector<std::uint32_t> order_;     // changes by real task, then by time
};

}  // namespace hocket::tool
