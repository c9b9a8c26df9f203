// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `hocket timeline`: reads a trace and writes a picture of it, or its counts.
#include <errno.h>
#include <fmt/core.h>
#include <hocket/error.hpp>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "command.hpp"
#include "timeline_pictures.hpp"
#include "timeline_svg.hpp"
#include "timeline_trace.hpp"

namespace hocket::tool {
namespace {

struct timeline_options {
  std::string file, output;
  trace_request wanted;
  picture_size size;
  std::size_t most_nodes = 1000;
  bool json = false;
};

bool ends_in(const std::string& text, std::string_view ending) {
  return text.size() > ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

void check(const timeline_options& o) {
  const auto refuse = [](const std::string& why) { throw hocket::error(hocket::errc::invalid_option, why); };
  if (!o.json && o.output.empty()) refuse("timeline needs --output FILE.svg or FILE.html, or --json");
  if (!o.json && !ends_in(o.output, ".svg") && !ends_in(o.output, ".html"))
    refuse(fmt::format("--output {}: a picture's name ends in .svg or .html", o.output));
  if (!(o.wanted.from_ms < o.wanted.to_ms))
    refuse(fmt::format("--from {} is not before --to {}", o.wanted.from_ms, o.wanted.to_ms));
}

void print_counts(const trace& t) {
  const trace_counts& c = t.counts;
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-9; };
  const nlohmann::ordered_json all = {{"program", t.header.program},
                                      {"version", t.header.version},
                                      {"workers", t.header.workers},
                                      {"seconds", t.seconds()},
                                      {"events", c.events},
                                      {"made", c.made},
                                      {"tasks", c.tasks},
                                      {"started", c.started},
                                      {"inlined", c.inlined},
                                      {"realised", c.realised},
                                      {"taken_by_idle", c.taken_by_idle},
                                      {"next", c.next},
                                      {"stolen", c.stolen},
                                      {"suspended", c.suspended},
                                      {"woken", c.woken},
                                      {"real_tasks", c.real_tasks},
                                      {"most_real_at_once", c.most_real_at_once},
                                      {"most_running", c.most_running},
                                      {"most_ready", c.most_ready},
                                      {"most_blocked", c.most_blocked},
                                      {"blocked_at_end", c.blocked_at_end},
                                      {"running_seconds", seconds(c.running_ns)},
                                      {"ready_seconds", seconds(c.ready_ns)},
                                      {"blocked_seconds", seconds(c.blocked_ns)},
                                      {"asleep_seconds", seconds(c.asleep_ns)}};
  fmt::print("{}\n", all.dump());
}

void write_file(const std::string& path, const std::string& text) {
  const auto failed = [&] {
    return std::runtime_error(
        fmt::format("{} cannot be written: {}", path, std::generic_category().message(errno)));
  };
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw failed();
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  if (!whole) {
    const std::runtime_error problem = failed();
    std::fclose(file);
    throw problem;
  }
  if (std::fclose(file) != 0) throw failed();
}

void run_timeline(const timeline_options& o) {
  check(o);
  const trace t = read_trace(o.file, o.wanted);
  if (o.json) return print_counts(t);
  const picture p = o.wanted.tree ? draw_tree(t, o.size, o.most_nodes) : draw_lines(t, o.size);
  write_file(o.output, ends_in(o.output, ".html") ? html_page(p.svg, p.title) : p.svg);
  fmt::print("{}: {}\n", o.output, p.summary);
}

constexpr const char* footer =
    "FILE is what a program wrote with HOCKET_TRACE=FILE. A picture that ends in .html can be zoomed and "
    "moved.\n"
    "docs/timeline.md tells how to read the pictures.";

}  // namespace

void add_timeline_command(CLI::App& app) {
  auto options = std::make_shared<timeline_options>();
  CLI::App* timeline =
      app.add_subcommand("timeline", "Draw a trace: a line per real task over time, or the tree of tasks");
  timeline->add_option("FILE", options->file, "The trace")->required();
  CLI::Option* output =
      timeline->add_option("-o,--output", options->output, "The picture to write: .svg or .html");
  CLI::Option* from = timeline->add_option("--from", options->wanted.from_ms, "Draw from this time on, in ms")
                          ->check(CLI::Range(0.0, 1e12));
  CLI::Option* to = timeline->add_option("--to", options->wanted.to_ms, "Draw up to this time, in ms")
                        ->check(CLI::Range(0.0, 1e12));
  timeline->add_option("--width", options->size.width, "Width in pixels (default 1200)")
      ->check(CLI::Range(400U, 10000U));
  timeline->add_option("--height", options->size.height, "Height in pixels (default: as needed)")
      ->check(CLI::Range(400U, 10000U));
  CLI::Option* tree = timeline->add_flag("--tree", options->wanted.tree,
                                         "Draw which task made which, coloured by the real task that ran it");
  timeline
      ->add_option("--most-nodes", options->most_nodes, "So many tasks of the tree at most (default 1000)")
      ->check(CLI::Range(1U, 100000U))
      ->needs(tree);
  CLI::Option* json =
      timeline->add_flag("--json", options->json, "Print the counts as one JSON object; draw nothing");
  json->excludes(output)->excludes(tree);
  tree->excludes(from)->excludes(to);
  timeline->footer(footer);
  timeline->callback([options] { run_timeline(*options); });
}

}  // namespace hocket::tool
