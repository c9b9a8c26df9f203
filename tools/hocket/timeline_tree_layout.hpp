// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tasks of a run a picture of its tree shows, and where they stand.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "timeline_trace.hpp"

namespace hocket::tool {

struct tree_node {
  std::uint32_t task;    // index; none: stands for tasks that are not drawn
  std::uint32_t parent;  // place in tree_layout::nodes; none: no task made it
  std::uint32_t level;
  std::uint64_t hidden;  // how many tasks it stands for
  double slot;           // from the left; leaves have whole numbers
};

struct tree_layout {
  std::vector<tree_node> nodes;  // level by level
  std::uint32_t levels = 0, slots = 0;
  std::uint64_t drawn = 0, hidden = 0;
};

/// Chooses at most `most_nodes` tasks: whole levels from the top while they fit. If less than half would be
/// drawn so, the tasks of the last level share the rest, their eldest children first.
tree_layout lay_out(const std::vector<traced_task>& tasks, std::size_t most_nodes);

}  // namespace hocket::tool
