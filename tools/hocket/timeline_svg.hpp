// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the pictures of `hocket timeline` share: text and numbers in SVG, axes, and colours that are told
// apart by the colour-blind too.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hocket::tool {

// Colours of Okabe and Ito.
inline constexpr const char* running_colour = "#0072b2";
inline constexpr const char* ready_colour = "#e69f00";
inline constexpr const char* blocked_colour = "#cc79a7";

/// svg is a picture in the making: its text, with the frame around it.
class svg {
 public:
  /// `title` names the picture for those who do not see it; `style` is CSS.
  svg(double width, double height, const std::string& title, const std::string& style);

  template <class... T>
  void add(fmt::format_string<T...> text, T&&... values) {
    fmt::format_to(std::back_inserter(text_), text, std::forward<T>(values)...);
  }
  /// Text at a place; `attributes` as they stand in SVG.
  void label(double x, double y, std::string_view text, std::string_view attributes = "");
  /// The finished picture.
  std::string finish() &&;

 private:
  std::string text_;
};

/// As XML text or attribute: escaped, without characters that XML forbids.
std::string escaped(std::string_view text);
/// A name for people, on one line: at most so many bytes, cut between characters, with an ellipsis.
std::string name_text(std::string_view name, std::size_t most);
/// A coordinate: two decimals at most.
std::string px(double value);
/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t value);
/// "1 task", "2 tasks", "1,234 tasks".
std::string counted(std::uint64_t value, std::string_view one);
/// A time with its unit and three digits.
std::string time_text(std::int64_t ns);
/// A time in the unit of an axis, exactly enough to tell two of its ticks apart.
struct time_unit {
  const char* name;
  double ns;
};
time_unit unit_for(std::int64_t ns);

struct tick {
  double value;
  std::string text;
};
/// About `wanted` round values from `least` to `most`; whole ones only, if asked for.
std::vector<tick> ticks_of(double least, double most, double wanted, bool whole);

/// A page that holds the picture, with zoom, panning and tooltips.
std::string html_page(const std::string& picture, const std::string& title);

}  // namespace hocket::tool
