// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws the real tasks of a trace over time (figure 4 of the PACLIB paper on virtual tasks): a line each,
// coloured by state, and below them how many run, are blocked and exist.
#include <algorithm>
#include <cmath>

#include "timeline_curves.hpp"
#include "timeline_pictures.hpp"
#include "timeline_rows.hpp"
#include "timeline_svg.hpp"

namespace hocket::tool {
namespace {

constexpr const char* style =
    ".line path { fill: none; }\n"
    "path.running { stroke: #0072b2; }\npath.ready { stroke: #e69f00; }\npath.blocked { stroke: #cc79a7; }\n"
    "path.existing { stroke: #333; }\n"
    ".hit { fill: none; pointer-events: all; }\n.line:hover .hit { fill: #0002; }\n"
    ".cells path { stroke-width: 1; }\n"
    ".bars path.running { stroke-width: .84; }\n.bars path.ready { stroke-width: .5; }\n"
    ".bars path.blocked { stroke-width: .26; }\n"
    ".curve { fill: none; stroke-width: 1.5; stroke-linejoin: round; }\n.band { opacity: .3; }\n"
    ".grid { stroke: #ddd; stroke-width: 1; fill: none; }\n.axis { stroke: #777; stroke-width: 1; fill: "
    "none; }\n"
    ".right { text-anchor: end; }\n.middle { text-anchor: middle; }\n";
constexpr const char* class_of[] = {"running", "ready", "blocked"};
constexpr const char* colour_of[] = {running_colour, ready_colour, blocked_colour};
constexpr double line_pitch = 16;    // as high as a line becomes
constexpr double thinnest_bars = 5;  // lines at least so high tell the states by thickness, too
constexpr double most_cells = 1'000'000;
constexpr double margin_left = 92, margin_right = 24, top = 122, below = 56;

struct panel {
  double y = 0, height = 0;
};

/// Where everything is.
struct layout {
  double width = 1200, height = 800, plot = 0;
  panel lines, running, existing;
};

layout place(std::size_t reals, picture_size size) {
  layout l;
  if (size.width != 0) l.width = size.width;
  if (size.height != 0) l.height = size.height;
  l.plot = std::floor(l.width - margin_left - margin_right);
  const double panels = l.height - top - below;
  l.running.height = std::clamp(std::floor(panels * 0.13), 30.0, 110.0);
  l.existing.height = std::clamp(std::floor(panels * 0.2), 40.0, 180.0);
  l.lines.height = std::floor(panels - l.running.height - l.existing.height - 48);
  // A small run makes a small picture, unless a height was asked for.
  if (size.height == 0)
    l.lines.height = std::min(l.lines.height, std::max(static_cast<double>(reals) * line_pitch, 64.0));
  l.lines.y = top;
  l.running.y = l.lines.y + l.lines.height + 24;
  l.existing.y = l.running.y + l.running.height + 24;
  if (size.height == 0) l.height = l.existing.y + l.existing.height + below;
  return l;
}

class lines_picture {
 public:
  lines_picture(const trace& t, picture_size size)
      : trace_(t),
        place_(place(t.counts.real_tasks, size)),
        rows_(make_rows()),
        title_(fmt::format("{}: real tasks over time", name_text(t.header.program, 60))),
        out_(place_.width, place_.height, title_, style) {}
  picture draw();

 private:
  rows make_rows() const;
  void head();
  void legend();
  void time_axis();
  void count_axis(const panel&, double most, double wanted, std::string_view title);
  void lines_axis();
  void frame(const panel&, const std::string& grid, std::string_view title);
  void lines();
  void line(std::size_t number, bool bars);
  std::string tip(const timeline_row&) const;
  void curves();
  void curve_of(const panel&, double most, curve, const char* name);
  void curve_in_steps(const panel&, double most, curve, const char* name);
  double x_of(std::int64_t ns) const {  // since the left edge
    return static_cast<double>(ns) / static_cast<double>(trace_.to - trace_.from) * place_.plot;
  }
  std::string note() const;

  const trace& trace_;
  layout place_;
  rows rows_;
  std::string title_;
  svg out_;
};

/// As fine as the picture's pixels, but with no more cells than make a file of a few MB.
rows lines_picture::make_rows() const {
  const double columns = place_.plot;
  const double lines = std::min(place_.lines.height, static_cast<double>(trace_.counts.real_tasks));
  const double finer = std::min(std::sqrt(most_cells / (columns * lines)), 1.0);
  return {trace_, static_cast<std::size_t>(std::max(lines * finer, 1.0)),
          static_cast<std::size_t>(columns * finer)};
}

std::string lines_picture::note() const {
  if (!rows_.cut_into_columns())
    return "A line is a real task, from when it gets a task to run until it has none.";
  std::string text;
  if (rows_.per_line() > 1)
    text = fmt::format("One line stands for {} real tasks. ", grouped(rows_.per_line()));
  return text +
         fmt::format("Time is binned: one column stands for {}; running is shown where it fills a tenth.",
                     time_text(rows_.column_ns()));
}

void lines_picture::head() {
  const trace_counts& c = trace_.counts;
  out_.label(16, 30, title_, "class=\"title\"");
  std::string facts =
      fmt::format("{} · {} · {} · {}, at most {} at once", counted(trace_.header.workers, "worker"),
                  time_text(trace_.to - trace_.from), counted(c.tasks, "task"),
                  counted(c.real_tasks, "real task"), grouped(c.most_real_at_once));
  if (trace_.to - trace_.from < trace_.length)
    facts += fmt::format(" (a part of {})", time_text(trace_.length));
  if (c.blocked_at_end != 0) facts += fmt::format(" · {} blocked for ever", grouped(c.blocked_at_end));
  out_.label(16, 52, facts);
  out_.label(16, 72, note(), rows_.cut_into_columns() ? "class=\"note\" id=\"binned\"" : "class=\"note\"");
}

void lines_picture::legend() {
  double x = margin_left;
  const double y = top - 20;
  out_.add("<g id=\"legend\">\n");
  const double thickness[] = {13, 8, 4};
  for (int s = 0; s < 3; ++s) {
    const double h = rows_.per_line() == 1 ? thickness[s] : 13;
    out_.add("<rect class=\"key\" x=\"{}\" y=\"{}\" width=\"26\" height=\"{}\" fill=\"{}\"/>\n", px(x),
             px(y - 4 - h / 2), px(h), colour_of[s]);
    out_.label(x + 32, y, class_of[s]);
    x += 108;
  }
  out_.add("<path class=\"curve existing\" d=\"M{} {}h26\"/>\n", px(x), px(y - 4));
  out_.label(x + 32, y, "existing");
  if (rows_.cut_into_columns()) {
    x += 108;
    out_.add(
        "<rect class=\"band\" x=\"{0}\" y=\"{1}\" width=\"26\" height=\"13\" fill=\"{2}\"/>"
        "<path class=\"curve running\" d=\"M{0} {3}h26\"/>\n",
        px(x), px(y - 10.5), running_colour, px(y - 4));
    out_.label(x + 32, y, "curves: mean, from least to most");
  }
  out_.add("</g>\n");
}

void lines_picture::time_axis() {
  const time_unit unit = unit_for(trace_.to - trace_.from);
  const double from = static_cast<double>(trace_.from) / unit.ns,
               to = static_cast<double>(trace_.to) / unit.ns;
  const double bottom = place_.existing.y + place_.existing.height;
  std::string grid;
  for (const tick& t : ticks_of(from, to, place_.plot / 110, false)) {
    const double x = margin_left + (t.value - from) / (to - from) * place_.plot;
    for (const panel& p : {place_.lines, place_.running, place_.existing})
      grid += fmt::format("M{} {}v{}", px(x), px(p.y), px(p.height));
    out_.label(x, bottom + 18, t.text, "class=\"middle\"");
  }
  out_.add("<path class=\"grid\" d=\"{}\"/>\n", grid);
  out_.label(margin_left + place_.plot / 2, bottom + 40, fmt::format("time [{}]", unit.name),
             "class=\"middle\"");
}

void lines_picture::count_axis(const panel& p, double most, double wanted, std::string_view title) {
  std::string grid;
  for (const tick& t : ticks_of(0, most, wanted, true)) {
    const double y = p.y + p.height - t.value / most * p.height;
    grid += fmt::format("M{} {}h{}", px(margin_left), px(y), px(place_.plot));
    out_.label(margin_left - 6, y + 4, t.text, "class=\"right\"");
  }
  frame(p, grid, title);
}

/// The first real task is on top; a number stands beside the middle of its line.
void lines_picture::lines_axis() {
  const panel& p = place_.lines;
  const double most = static_cast<double>(rows_.shown().size());
  std::string marks;
  std::vector<tick> ticks = ticks_of(0, most, p.height / 60, true);
  ticks.front() = {1, "1"};
  for (const tick& t : ticks) {
    const double y = p.y + (t.value - 0.5) / most * p.height;
    marks += fmt::format("M{} {}h-5", px(margin_left), px(y));
    out_.label(margin_left - 8, y + 4, t.text, "class=\"right\"");
  }
  frame(p, marks, p.height >= 220 ? "real tasks, in the order of their begin" : "real tasks");
}

void lines_picture::frame(const panel& p, const std::string& grid, std::string_view title) {
  out_.add("<path class=\"grid\" d=\"{}\"/>\n", grid);
  out_.add("<path class=\"axis\" d=\"M{} {}v{}h{}\"/>\n", px(margin_left), px(p.y), px(p.height),
           px(place_.plot));
  const double x = 18, y = p.y + p.height / 2;
  out_.label(x, y, title, fmt::format("class=\"middle\" transform=\"rotate(-90 {} {})\"", px(x), px(y)));
}

std::string lines_picture::tip(const timeline_row& row) const {
  const std::uint32_t index = rows_.shown()[row.first];
  const traced_real& first = trace_.reals[index];
  const std::string name = name_text(trace_.texts[first.name], 80);
  if (row.count == 1) {
    const auto time = rows_.times(index);
    return fmt::format("real task {} (number {} in the trace): {}{}\n{} to {}: ran {}, ready {}, blocked {}",
                       grouped(index + 1), first.id, name,
                       first.tasks > 1 ? fmt::format(" and {} more", counted(first.tasks - 1, "task")) : "",
                       time_text(first.begin), time_text(first.end), time_text(time[0]), time_text(time[1]),
                       time_text(time[2]));
  }
  std::int64_t end = 0;
  std::uint64_t tasks = 0;
  for (std::uint32_t i = row.first; i < row.first + row.count; ++i) {
    end = std::max(end, trace_.reals[rows_.shown()[i]].end);
    tasks += trace_.reals[rows_.shown()[i]].tasks;
  }
  return fmt::format("real tasks {} to {}, the first of them: {}\n{} to {}, {}", grouped(index + 1),
                     grouped(rows_.shown()[row.first + row.count - 1] + 1), name, time_text(first.begin),
                     time_text(end), counted(tasks, "task"));
}

void lines_picture::line(std::size_t number, bool bars) {
  const timeline_row row = rows_.line(number);
  const double width =
      rows_.cut_into_columns()
          ? std::ceil(static_cast<double>(trace_.to - trace_.from) / static_cast<double>(rows_.column_ns()))
          : place_.plot;
  std::string paths;
  double left = width, right = 0;
  // Running comes last: what is only just wide enough to be seen lies on top.
  for (const int s : {2, 1, 0}) {
    if (row.of[static_cast<std::size_t>(s)].empty()) continue;
    std::string d;
    for (const stretch& part : row.of[static_cast<std::size_t>(s)]) {
      const bool columns = rows_.cut_into_columns();
      const double from = columns ? static_cast<double>(part.from) : x_of(part.from);
      const double to = columns ? static_cast<double>(part.to) : x_of(part.to);
      const double least = bars && s == 0 ? 0.6 : 0.05;
      d += fmt::format("M{} .5h{}", px(from), px(std::max(to - from, least)));
      left = std::min(left, from);
      right = std::max(right, to);
    }
    paths += fmt::format("<path class=\"{}\" d=\"{}\"/>", class_of[s], d);
  }
  out_.add(
      "<g class=\"line\" transform=\"translate(0 {})\"><title>{}</title>"
      "<rect class=\"hit\" x=\"{}\" width=\"{}\" height=\"1\"/>{}</g>\n",
      number, escaped(tip(row)), px(left), px(std::max(right - left, 0.0)), paths);
}

void lines_picture::lines() {
  const double pitch = place_.lines.height / static_cast<double>(rows_.lines());
  const bool bars = rows_.per_line() == 1 && pitch >= thinnest_bars;
  double scale = 1;
  if (rows_.cut_into_columns())
    scale =
        place_.plot * static_cast<double>(rows_.column_ns()) / static_cast<double>(trace_.to - trace_.from);
  out_.add("<g id=\"lines\" class=\"{}\" transform=\"translate({} {}) scale({:.6g} {:.6g})\"{}>\n",
           bars ? "bars" : "cells", px(margin_left), px(place_.lines.y), scale, pitch,
           bars ? "" : " shape-rendering=\"crispEdges\"");
  for (std::size_t i = 0; i < rows_.lines(); ++i) line(i, bars);
  out_.add("</g>\n");
}

/// Every step as it is.
void lines_picture::curve_in_steps(const panel& p, double most, curve which, const char* name) {
  std::string d;
  double height = -1;
  for_each_load(trace_, [&](std::int64_t from, std::int64_t to, const load& now) {
    if (from == to) return;
    const double h = static_cast<double>(value_of(now, which)) / most * p.height;
    if (d.empty()) d = fmt::format("M{} {}", px(margin_left), px(p.y + p.height - h));
    if (height >= 0 && h != height)
      d += fmt::format("H{}V{}", px(margin_left + x_of(from - trace_.from)), px(p.y + p.height - h));
    height = h;
  });
  d += fmt::format("H{}", px(margin_left + place_.plot));
  out_.add("<path class=\"curve {}\" d=\"{}\"/>\n", name, d);
}

void lines_picture::curve_of(const panel& p, double most, curve which, const char* name) {
  if (!rows_.cut_into_columns()) return curve_in_steps(p, most, which, name);
  const std::vector<curve_column> columns = columns_of(trace_, which, rows_.column_ns());
  const auto y = [&](double value) { return px(p.y + p.height - value / most * p.height); };
  const auto x = [&](std::size_t column) {
    return px(margin_left +
              std::min(x_of(static_cast<std::int64_t>(column) * rows_.column_ns()), place_.plot));
  };
  std::string upper, lower, mean;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    upper += fmt::format("{}{} {}H{}", i == 0 ? "M" : "L", x(i), y(static_cast<double>(columns[i].most)),
                         x(i + 1));
    const std::size_t back = columns.size() - 1 - i;
    lower += fmt::format("L{} {}H{}", x(back + 1), y(static_cast<double>(columns[back].least)), x(back));
    mean += fmt::format("{}{} {}H{}", i == 0 ? "M" : "L", x(i), y(columns[i].mean), x(i + 1));
  }
  const char* colour = which == curve::running   ? running_colour
                       : which == curve::blocked ? blocked_colour
                                                 : "#888";
  out_.add("<path class=\"band\" fill=\"{}\" d=\"{}{}Z\"/>\n", colour, upper, lower);
  out_.add("<path class=\"curve {}\" d=\"{}\"/>\n", name, mean);
}

void lines_picture::curves() {
  const auto most_running = static_cast<double>(std::max(trace_.header.workers, trace_.counts.most_running));
  const auto most = static_cast<double>(std::max<std::uint64_t>(trace_.counts.most_real_at_once, 1));
  count_axis(place_.running, most_running, place_.running.height / 24, "running");
  count_axis(place_.existing, most, place_.existing.height / 30,
             place_.existing.height >= 115 ? "blocked, existing" : "blocked");
  curve_of(place_.running, most_running, curve::running, "running");
  curve_of(place_.existing, most, curve::existing, "existing");
  curve_of(place_.existing, most, curve::blocked, "blocked");
}

picture lines_picture::draw() {
  head();
  legend();
  time_axis();
  lines_axis();
  lines();
  curves();
  std::string summary = fmt::format("{} on {}, {}", counted(rows_.shown().size(), "real task"),
                                    counted(rows_.lines(), "line"), time_text(trace_.to - trace_.from));
  return {std::move(out_).finish(), title_, std::move(summary)};
}

}  // namespace

picture draw_lines(const trace& t, picture_size size) { return lines_picture(t, size).draw(); }

}  // namespace hocket::tool
