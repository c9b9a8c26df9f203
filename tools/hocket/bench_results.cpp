// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Medians, ratios and speed-ups of benchmark samples.
#include "bench_results.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace hocket::tool {
namespace {

/// Two figures are about the same thing if these parameters agree wherever both have them; the others are
/// sizes.
constexpr std::array<const char*, 7> deciding = {"threads", "source", "form",   "state",
                                                 "abi",     "reuse",  "leaf_us"};

bool same_row(const json& a, const json& b) {
  return std::all_of(deciding.begin(), deciding.end(), [&](const char* key) {
    return !a.contains(key) || !b.contains(key) || a.at(key) == b.at(key);
  });
}

bool is_comparable(const std::string& metric) { return metric != "ns_per_line_transfer"; }
bool larger_is_better(const std::string& metric) { return metric == "efficiency"; }

/// cost() is what is compared: seconds per task where the sizes of the variants differ, the inverse of an
/// efficiency.
double cost(const figure& f) {
  if (larger_is_better(f.metric)) return 1 / f.value;
  if (f.unit == "s" && f.params.contains("tasks")) return f.value / f.params.at("tasks").get<double>();
  return f.value;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

figure computed(const figure& from, const char* metric, double value) {
  figure f = from;
  f.metric = metric;
  f.unit = "ratio";
  f.value = f.least = f.most = value;
  return f;
}

json without(json params, std::initializer_list<const char*> keys) {
  for (const char* key : keys) params.erase(key);
  return params;
}

}  // namespace

json figure::as_json() const {
  // Six digits are more than a measurement has.
  const double scale = value == 0 ? 1 : std::pow(10, 5 - std::floor(std::log10(std::abs(value))));
  return {{"bench", bench},   {"variant", variant}, {"params", params},
          {"metric", metric}, {"unit", unit},       {"value", std::round(value * scale) / scale}};
}

void collector::add(const json& sample) {
  const double value = sample.at("value").get<double>();
  for (series& known : all_) {
    const auto same = [&](const char* key) { return known.first.at(key) == sample.at(key); };
    if (same("bench") && same("variant") && same("metric") && same("params")) {
      known.values.push_back(value);
      return;
    }
  }
  all_.push_back({sample, {value}});
}

std::vector<figure> collector::medians() const {
  std::vector<figure> figures;
  for (const series& s : all_) {
    const auto [least, most] = std::minmax_element(s.values.begin(), s.values.end());
    figures.push_back({s.first.at("bench"), s.first.at("variant"), s.first.at("params"), s.first.at("metric"),
                       s.first.at("unit"), median_of(s.values), *least, *most});
  }
  return figures;
}

std::vector<figure> ratios(const std::vector<figure>& medians) {
  std::vector<figure> found;
  for (const figure& ours : medians) {
    if (ours.variant != "hocket" || !is_comparable(ours.metric)) continue;
    std::vector<const figure*> best;  // one of each other variant
    for (const figure& other : medians) {
      if (other.variant == "hocket" || other.metric != ours.metric || !same_row(ours.params, other.params))
        continue;
      const auto known =
          std::find_if(best.begin(), best.end(), [&](auto* b) { return b->variant == other.variant; });
      if (known == best.end())
        best.push_back(&other);
      else if (cost(other) < cost(**known))
        *known = &other;
    }
    for (const figure* other : best) {
      const bool floor = other->variant == "floor";
      figure ratio = floor ? computed(ours, "ratio_to_floor", cost(ours) / cost(*other))
                           : computed(*other, "ratio_to_hocket", cost(*other) / cost(ours));
      ratio.params["of"] = ours.metric;
      found.push_back(std::move(ratio));
    }
  }
  return found;
}

std::vector<figure> speedups(const std::vector<figure>& medians) {
  std::vector<figure> found;
  for (const figure& parallel : medians) {
    if (parallel.metric != "ns_per_node" || parallel.params.at("threads") == 1) continue;
    for (const figure& serial : medians) {
      if (serial.metric != parallel.metric || serial.params.at("threads") != 1) continue;
      const double factor = serial.value / parallel.value;
      const bool same_variant = serial.variant == parallel.variant &&
                                without(serial.params, {"threads"}) == without(parallel.params, {"threads"});
      if (same_variant) found.push_back(computed(parallel, "speedup", factor));
      if (serial.variant == "floor" && parallel.variant != "floor") {
        found.push_back(computed(parallel, "speedup_over_serial", factor));
      }
    }
  }
  return found;
}

}  // namespace hocket::tool
