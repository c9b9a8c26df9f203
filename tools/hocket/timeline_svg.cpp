// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text, numbers and axes of the pictures.
#include "timeline_svg.hpp"

#include <algorithm>
#include <cmath>

namespace hocket::tool {
namespace {

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

}  // namespace

svg::svg(double width, double height, const std::string& title, const std::string& style) {
  add(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img">)"
      "\n<title>{2}</title>\n<style>\n"
      "text {{ font-family: 'DejaVu Sans', 'Segoe UI', 'Helvetica Neue', Arial, sans-serif; font-size: 12px; "
      "fill: #222; }}\n"
      ".title {{ font-size: 18px; font-weight: bold; }}\n.note {{ fill: #555; }}\n{3}</style>\n"
      R"(<rect class="paper" width="100%" height="100%" fill="#fff"/>)"
      "\n",
      px(width), px(height), escaped(title), style);
}

void svg::label(double x, double y, std::string_view text, std::string_view attributes) {
  add("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", px(x), px(y), attributes.empty() ? "" : " ", attributes,
      escaped(text));
}

std::string svg::finish() && {
  text_ += "</svg>\n";
  return std::move(text_);
}

std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // U+FFFE and U+FFFF are valid UTF-8, but no XML.
    const bool no_character = text.substr(i, 3) == "\xef\xbf\xbe" || text.substr(i, 3) == "\xef\xbf\xbf";
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (no_character) {
      result += "\xef\xbf\xbd";
      i += 2;
    } else {
      result += is_control(c) && c != '\n' ? ' ' : text[i];
    }
  }
  return result;
}

std::string name_text(std::string_view name, std::size_t most) {
  if (name.empty()) return "(no name)";
  std::string text(name);
  for (char& c : text) {
    if (is_control(static_cast<unsigned char>(c))) c = ' ';
  }
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return text.substr(0, most) + "…";
}

std::string px(double value) {
  std::string s = fmt::format("{:.2f}", value);
  s.erase(s.find_last_not_of('0') + 1);
  if (s.back() == '.') s.pop_back();
  return s == "-0" ? "0" : s;
}

std::string grouped(std::uint64_t value) {
  std::string s = std::to_string(value);
  for (std::size_t at = s.size(); at > 3; at -= 3) s.insert(at - 3, 1, ',');
  return s;
}

std::string counted(std::uint64_t value, std::string_view one) {
  return fmt::format("{} {}{}", grouped(value), one, value == 1 ? "" : "s");
}

time_unit unit_for(std::int64_t ns) {
  if (ns >= 2'000'000'000) return {"s", 1e9};
  if (ns >= 2'000'000) return {"ms", 1e6};
  if (ns >= 2'000) return {"µs", 1e3};
  return {"ns", 1};
}

std::string time_text(std::int64_t ns) {
  const time_unit unit = unit_for(ns * 2);  // from 1 to 999 of it
  const double value = static_cast<double>(ns) / unit.ns;
  const int decimals = unit.ns == 1 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, unit.name);
}

std::vector<tick> ticks_of(double least, double most, double wanted, bool whole) {
  const double raw = (most - least) / std::max(wanted, 1.0);
  const double power = std::pow(10, std::floor(std::log10(raw)));
  const double factor = raw / power;
  double step = power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
  if (whole) step = std::max(std::round(step), 1.0);
  const int decimals = step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
  std::vector<tick> ticks;
  for (double i = std::ceil(least / step - 1e-9); i * step <= most + step * 1e-9; ++i) {
    const double value = i * step;
    ticks.push_back({value, decimals == 0 ? grouped(static_cast<std::uint64_t>(std::llround(value)))
                                          : fmt::format("{:.{}f}", value, decimals)});
  }
  return ticks;
}

}  // namespace hocket::tool
