// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From samples to figures: medians, the ratios between variants, and speed-ups.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hocket::tool {

using json = nlohmann::ordered_json;

/// figure is one line of the result: the median of its samples, or what was computed from such medians.
struct figure {
  std::string bench;
  std::string variant;
  json params;
  std::string metric;
  std::string unit;
  double value = 0;
  double least = 0;
  double most = 0;

  /// as_json() has exactly the fields bench, variant, params, metric, unit and value.
  json as_json() const;
};

/// collector gathers the samples of one group; the order of first appearance is kept.
class collector {
 public:
  void add(const json& sample);
  std::vector<figure> medians() const;

 private:
  struct series {
    json first;
    std::vector<double> values;
  };
  std::vector<series> all_;
};

/// ratios() compares: each peer, the better of its tunings, to `hocket` (metric ratio_to_hocket), and
/// `hocket` to the floor (metric ratio_to_floor). The parameter `of` names the metric compared. Above 1 the
/// first is slower.
std::vector<figure> ratios(const std::vector<figure>& medians);

/// speedups() adds, for every variant measured on several threads, its time on one thread over its time on
/// more (metric speedup), and the time of the floor on one thread over it (metric speedup_over_serial).
std::vector<figure> speedups(const std::vector<figure>& medians);

}  // namespace hocket::tool
