// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two pictures of a trace, as SVG.
#pragma once
#include <cstddef>
#include <string>

#include "timeline_trace.hpp"

namespace hocket::tool {

/// 0: as the content asks.
struct picture_size {
  unsigned width = 0, height = 0;
};

/// A picture, and what the user is told about it.
struct picture {
  std::string svg;
  std::string title;
  std::string summary;
};

/// A line a real task over time, and how many run and are blocked.
picture draw_lines(const trace&, picture_size);
/// Which task made which, coloured by the real task that ran it; at most so many tasks.
picture draw_tree(const trace&, picture_size, std::size_t most_nodes);

}  // namespace hocket::tool
