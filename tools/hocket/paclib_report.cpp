// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables in markdown, and plots by gnuplot.
#include "paclib_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

namespace hocket::tool {
namespace {

/// What a row is asked for: parameters by name, as text.
using wanted = std::map<std::string, std::string>;

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

bool is_wanted(const figure& f, const wanted& params) {
  return std::all_of(params.begin(), params.end(), [&](const auto& p) {
    return f.params.contains(p.first) && text_of(f.params.at(p.first)) == p.second;
  });
}

/// value_of() is the median that was measured; of a peer's several tunings the larger one.
std::optional<double> value_of(const std::vector<figure>& all, const std::string& bench,
                               const std::string& variant, const std::string& metric, const wanted& params) {
  std::optional<double> best;
  for (const figure& f : all) {
    if (f.bench == bench && f.variant == variant && f.metric == metric && is_wanted(f, params))
      best = std::max(best.value_or(f.value), f.value);
  }
  return best;
}

std::string shown(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

/// The values of a parameter that were measured, as numbers, in order.
std::set<long> values_of(const std::vector<figure>& all, const std::string& bench, const std::string& key) {
  std::set<long> values;
  for (const figure& f : all) {
    if (f.bench == bench && f.params.contains(key)) values.insert(std::stol(text_of(f.params.at(key))));
  }
  return values;
}

/// One curve of a plot: where it is found, and its name in the key.
struct curve {
  std::string variant, form, name;
};

const std::vector<curve> granularity_curves = {{"hocket", "structured", "fork_join"},
                                               {"hocket", "virtual", "spawn (virtual)"},
                                               {"hocket", "real", "start (real)"},
                                               {"tbb", "", "TBB"},
                                               {"libgomp", "", "libgomp"},
                                               {"libomp", "", "libomp"}};
const std::vector<curve> listsort_curves = {{"hocket", "real", "real"},
                                            {"hocket", "real-cut", "real(300)"},
                                            {"hocket", "virtual", "virtual"},
                                            {"hocket", "virtual-cut", "virtual(40)"},
                                            {"hocket", "structured", "fork_join"}};

wanted with_form(wanted params, const curve& c) {
  if (!c.form.empty()) params["form"] = c.form;
  if (!c.form.empty() && c.variant == "hocket" && params.count("grain_ns") != 0) params["trace"] = "off";
  return params;
}

/// Plots efficiency over a parameter; false if gnuplot is not there.
bool plot(const std::string& file, const std::string& title, const std::string& x_label,
          const std::vector<figure>& all, const std::string& bench, const std::string& key,
          const wanted& fixed, const std::vector<curve>& curves) {
  std::FILE* to = popen("gnuplot 2>/dev/null", "w");
  if (to == nullptr) return false;
  fmt::print(
      to,
      "set terminal svg noenhanced size 760,460 font 'sans-serif,13' background '#ffffff'\nset output '{}'\n"
      "set title '{}'\nset xlabel '{}'\nset ylabel 'efficiency (speed-up over workers)'\n"
      "set logscale x\nset yrange [0:1.1]\nset grid lc rgb '#dddddd'\nset key outside right center\n",
      file, title, x_label);
  fmt::print(to, "plot ");
  const char* const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
  for (std::size_t i = 0; i < curves.size(); ++i) {
    fmt::print(to, "{}'-' using 1:2 with linespoints lw 2 pt {} lc rgb '{}' title '{}'", i == 0 ? "" : ", ",
               5 + i, colours[i], curves[i].name);
  }
  fmt::print(to, "\n");
  for (const curve& c : curves) {
    for (const long x : values_of(all, bench, key)) {
      wanted params = fixed;
      params[key] = std::to_string(x);
      if (const auto y = value_of(all, bench, c.variant, "efficiency", with_form(params, c)))
        fmt::print(to, "{} {}\n", x, *y);
    }
    fmt::print(to, "e\n");
  }
  return pclose(to) == 0;
}

/// A table of one metric: a row for each value of a parameter, a column for each curve.
std::string table(const std::vector<figure>& all, const std::string& bench, const std::string& metric,
                  const std::string& key, const std::string& head, const wanted& fixed,
                  const std::vector<curve>& curves, int digits) {
  std::string text = fmt::format("| {} |", head);
  for (const curve& c : curves) text += fmt::format(" {} |", c.name);
  text += "\n|---|";
  for (std::size_t i = 0; i < curves.size(); ++i) text += "---|";
  text += "\n";
  for (const long x : values_of(all, bench, key)) {
    wanted params = fixed;
    params[key] = std::to_string(x);
    std::string row = fmt::format("| {} |", x);
    bool any = false;
    for (const curve& c : curves) {
      const auto value = value_of(all, bench, c.variant, metric, with_form(params, c));
      any = any || value.has_value();
      row += fmt::format(" {} |", shown(value, digits));
    }
    if (any) text += row + "\n";
  }
  return text;
}

std::string figure_2(const std::vector<figure>& all) {
  const auto calls = [&](const char* metric, const char* task) {
    return shown(value_of(all, "taskops", "hocket", metric, {{"task", task}}), 1);
  };
  const auto call = value_of(all, "taskops", "hocket", "ns_per_call", {{"task", "virtual"}});
  return fmt::format(
      "## Figure 2: start and wait, in function calls\n\n"
      "A call of a function with four arguments, not in-lined, takes {} ns here (5,000 ns on the paper's "
      "machine).\n\n"
      "| | S-thread, real | S-thread, virtual | PACLIB, real | PACLIB, virtual | **Hocket, real** | "
      "**Hocket, "
      "virtual** |\n|---|---|---|---|---|---|---|\n"
      "| start | 89 | 18 | 52 | 17 | {} | {} |\n| wait | 59 | 26 | 68 | 17 | {} | {} |\n\n"
      "Rounds of 100 starts, then 100 waits; a wait includes running the task, reading its result and giving "
      "its handle back.\n\n",
      shown(call, 2), calls("calls_per_start", "real"), calls("calls_per_start", "virtual"),
      calls("calls_per_wait", "real"), calls("calls_per_wait", "virtual"));
}

std::string figure_3(const std::vector<figure>& all, const std::string& picture) {
  std::string text =
      "## Figure 3: how small a task may be\n\n"
      "A binary tree in which an inner node runs one half as a child task and the other itself; all work is "
      "in the leaves. Efficiency: the serial program's time over the time and the number of workers. The "
      "paper found it acceptable for leaves of 1 ms, and 30 to 60 real tasks at once.\n\n";
  if (!picture.empty()) text += fmt::format("![efficiency over the time of a leaf]({})\n\n", picture);
  for (const long depth : values_of(all, "granularity", "depth")) {
    for (const long threads : values_of(all, "granularity", "threads")) {
      text += fmt::format("Depth {} ({} leaves), {} worker{}:\n\n", depth, 1L << depth, threads,
                          threads == 1 ? "" : "s");
      text += table(all, "granularity", "efficiency", "grain_ns", "leaf, ns",
                    {{"depth", std::to_string(depth)}, {"threads", std::to_string(threads)}},
                    granularity_curves, 3) +
              "\n";
    }
  }
  text +=
      "With a trace (`HOCKET_TRACE`), depth 12, leaves of 1 us, over the same without:\n\n| workers | "
      "fork_join | "
      "spawn |\n|---|---|---|\n";
  for (const long threads : values_of(all, "granularity", "threads")) {
    const auto ratio = [&](const char* form) -> std::optional<double> {
      const wanted common = {
          {"depth", "12"}, {"grain_ns", "1000"}, {"threads", std::to_string(threads)}, {"form", form}};
      wanted off = common, on = common;
      off["trace"] = "off";
      on["trace"] = "on";
      const auto without = value_of(all, "granularity", "hocket", "efficiency", off);
      const auto with = value_of(all, "granularity", "hocket", "efficiency", on);
      if (!without || !with) return std::nullopt;
      return *without / *with;
    };
    text +=
        fmt::format("| {} | {} | {} |\n", threads, shown(ratio("structured"), 3), shown(ratio("virtual"), 3));
  }
  return text + "\n";
}

std::string figure_5(const std::vector<figure>& all, const std::string& picture) {
  std::string text =
      "## Figure 5: sorting lists\n\n"
      "SACLIB's bubble-merge sort of a linked list of single words. In brackets: lists of that length or "
      "less make no tasks. The paper's greatest efficiencies (8,000 numbers, up to 20 processors): real "
      "0.29, "
      "real(300) 0.47, virtual 0.36, virtual(40) 0.47.\n\n";
  if (!picture.empty()) text += fmt::format("![efficiency over the length of the list]({})\n\n", picture);
  const struct {
    const char* metric;
    const char* what;
    int digits;
  } parts[] = {
      {"efficiency", "Efficiency, the median of later iterations", 3},
      {"first_efficiency", "Efficiency of the first iteration, which touches the stacks for the first time",
       3},
      {"reals_at_once", "Real tasks at once, at most (the paper: real 90 to 660, virtual 20)", 0},
      {"first_page_faults", "Page faults of the first iteration", 0},
      {"peak_mib", "Peak resident memory of the process, MiB", 1},
  };
  for (const long threads : values_of(all, "listsort", "threads")) {
    for (const auto& part : parts) {
      text += fmt::format("{}; {} worker{}:\n\n", part.what, threads, threads == 1 ? "" : "s");
      text += table(all, "listsort", part.metric, "length", "numbers", {{"threads", std::to_string(threads)}},
                    listsort_curves, part.digits) +
              "\n";
    }
  }
  return text;
}

}  // namespace

void write_paclib_report(const std::string& path, const std::vector<figure>& figures) {
  const std::string stem = path.ends_with(".md") ? path.substr(0, path.size() - 3) : path;
  const auto name_in_page = [](const std::string& file) { return file.substr(file.rfind('/') + 1); };
  const auto threads = values_of(figures, "granularity", "threads");
  const std::string most = threads.empty() ? "1" : std::to_string(*threads.rbegin());
  std::string pictures[2] = {stem + "-granularity.svg", stem + "-listsort.svg"};
  if (!plot(pictures[0], "Depth 12, " + most + " workers", "time of a leaf, ns", figures, "granularity",
            "grain_ns", {{"depth", "12"}, {"threads", most}}, granularity_curves)) {
    pictures[0].clear();
    fmt::print(stderr, "hocket: gnuplot is not installed, so {} has no plots\n", path);
  }
  if (pictures[0].empty() || !plot(pictures[1], "Lists of numbers, " + most + " workers", "numbers", figures,
                                   "listsort", "length", {{"threads", most}}, listsort_curves)) {
    pictures[1].clear();
  }
  std::ofstream page(path);
  page << "# Results: PACLIB's experiments\n\n"
          "Written by `hocket bench paclib --report "
       << path
       << "`: medians, our variants and the peers alternating in one run. What each measures: "
          "[benchmarks](../benchmarks.md).\n\n"
       << figure_2(figures) << figure_3(figures, name_in_page(pictures[0]))
       << figure_5(figures, name_in_page(pictures[1]));
  page.close();
  if (!page)
    throw std::runtime_error(path + " cannot be written; --report takes a file in a folder that exists");
}

}  // namespace hocket::tool
