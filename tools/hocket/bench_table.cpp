// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of `hocket bench`.
#include "bench_table.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace hocket::tool {
namespace {

std::string as_text(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::string describe(const json& params) {
  std::string text;
  for (const auto& [key, value] : params.items()) {
    if (!text.empty()) text += ' ';
    text += key + '=' + as_text(value);
  }
  return text;
}

}  // namespace

std::string as_table(const std::vector<figure>& figures) {
  std::size_t widest = 0;
  for (const figure& f : figures) widest = std::max(widest, f.metric.size());
  std::string table = fmt::format("{:<8} {:<{}} {:>10} {:>21} {:<5}  {}\n", "variant", "metric", widest,
                                  "median", "least - most", "unit", "parameters");
  for (const figure& f : figures) {
    const std::string range = f.least == f.most ? "" : fmt::format("{:.4g} - {:.4g}", f.least, f.most);
    table += fmt::format("{:<8} {:<{}} {:>10.4g} {:>21} {:<5}  {}\n", f.variant, f.metric, widest, f.value,
                         range, f.unit, describe(f.params));
  }
  return table;
}

}  // namespace hocket::tool
