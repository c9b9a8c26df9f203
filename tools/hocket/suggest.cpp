// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Edit distance by Wagner and Fischer, one row at a time.
#include "suggest.hpp"

#include <algorithm>
#include <numeric>

namespace hocket::tool {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string closest(std::string_view name, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = name.size() / 2 + 2;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace hocket::tool
