// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `hocket bench`: launches our programs and the peers' in turn, and reports medians, ratios and speed-ups.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <set>

#include "bench_catalog.hpp"
#include "bench_program.hpp"
#include "bench_results.hpp"
#include "bench_table.hpp"
#include "command.hpp"
#include "paclib_report.hpp"
#include "suggest.hpp"

namespace hocket::tool {
namespace {

struct bench_options {
  std::vector<std::string> names;
  std::vector<unsigned> threads = {1, 2};
  unsigned repeat = 0;  // 0: 5, or 3 with --quick
  double timeout_s = 300;
  bool json_lines = false;
  bool quick = false;
  bool list = false;
  std::string out;
  std::string report;
  std::string folder;
};

/// session is one `hocket bench`: it holds the programs found and whatever went wrong.
class session {
 public:
  explicit session(const bench_options& options)
      : options_(options),
        repeat_(options.repeat != 0 ? options.repeat
                : options.quick     ? 3
                                    : 5),
        folders_(program_folders(options.folder)) {}

  int run(const std::vector<const benchmark*>& chosen);

 private:
  std::vector<figure> measure(const group& g);
  void measure_once(const contestant& c, const std::filesystem::path& program, long warm_mib,
                    collector& samples);
  std::filesystem::path program_of(const std::string& variant);
  void report(const std::vector<figure>& figures);
  void progress(const std::string& text) const;

  const bench_options& options_;
  unsigned repeat_;
  std::vector<std::filesystem::path> folders_;
  std::set<std::string> said_;  // what was said once already
  std::FILE* out_ = nullptr;
  std::vector<figure> reported_;  // all, for --report
  bool failed_ = false;
};

void session::progress(const std::string& text) const {
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K{}", text);
}

std::filesystem::path session::program_of(const std::string& variant) {
  std::filesystem::path program = find_program(folders_, variant);
  if (program.empty() && said_.insert(variant).second) {
    progress("");
    fmt::print(stderr, "hocket: hkbench-{} is not built, so there are no rows of {}\n", variant, variant);
  }
  return program;
}

void session::measure_once(const contestant& c, const std::filesystem::path& program, long warm_mib,
                           collector& samples) {
  if (warm_mib > 0) {
    const auto floor = find_program(folders_, "floor");
    if (!floor.empty())
      launch(floor, {"floor", 1, {{"mib", std::to_string(warm_mib)}}, "warm"}, options_.timeout_s);
  }
  const outcome result = launch(program, c, options_.timeout_s);
  for (const json& sample : result.samples) samples.add(sample);
  if (result.what == outcome::kind::measured) return;
  if (said_.insert(result.problem).second) {
    progress("");
    fmt::print(stderr, "hocket: {}\n", result.problem);
  }
  // The floor is not written for every processor; anything else that fails is a failure.
  if (result.what != outcome::kind::not_offered || c.variant != "floor") failed_ = true;
}

std::vector<figure> session::measure(const group& g) {
  collector samples;
  for (unsigned round = 0; round < repeat_; ++round) {
    for (const contestant& c : g.contestants) {
      const auto program = program_of(c.variant);
      if (program.empty()) continue;
      progress(fmt::format("{}: round {} of {}: {} on {} threads", c.bench, round + 1, repeat_, c.variant,
                           c.threads));
      measure_once(c, program, g.warm_mib, samples);
    }
  }
  progress("");
  std::vector<figure> figures = samples.medians();
  const std::vector<figure> compared = ratios(figures);
  const std::vector<figure> scaled = speedups(figures);
  figures.insert(figures.end(), compared.begin(), compared.end());
  figures.insert(figures.end(), scaled.begin(), scaled.end());
  return figures;
}

void session::report(const std::vector<figure>& figures) {
  if (options_.json_lines) {
    for (const figure& f : figures) fmt::print("{}\n", f.as_json().dump());
  } else {
    fmt::print("{}\n", as_table(figures));
  }
  std::fflush(stdout);
  if (!options_.report.empty()) reported_.insert(reported_.end(), figures.begin(), figures.end());
  if (out_ != nullptr) {
    for (const figure& f : figures) fmt::print(out_, "{}\n", f.as_json().dump());
  }
}

int session::run(const std::vector<const benchmark*>& chosen) {
  if (program_of("hocket").empty()) return work_failed;
  if (!options_.out.empty()) {
    out_ = std::fopen(options_.out.c_str(), "w");
    if (out_ == nullptr) {
      fmt::print(stderr, "hocket: {} cannot be written; --out takes a file in a folder that exists\n",
                 options_.out);
      return work_failed;
    }
  }
  const bench_request wanted{options_.threads, options_.quick, usable_memory()};
  for (const benchmark* bench : chosen) {
    if (!options_.json_lines) fmt::print("{}: {}\n\n", bench->name, bench->summary);
    for (const group& g : bench->groups(wanted)) {
      std::vector<figure> figures = measure(g);
      // The line transfer is a row of the benchmark it stands beside.
      for (figure& f : figures) f.bench = bench->name;
      report(figures);
    }
  }
  if (out_ != nullptr && std::fclose(out_) != 0) {
    fmt::print(stderr, "hocket: {} could not be written completely\n", options_.out);
    failed_ = true;
  }
  if (!options_.report.empty()) write_paclib_report(options_.report, reported_);
  return failed_ ? work_failed : success;
}

void print_list() {
  for (const benchmark& bench : benchmarks()) {
    fmt::print("{:<12}{:<38}{}\n", bench.name, bench.metrics, bench.summary);
  }
  fmt::print("{:<12}{:<38}{}\n", "paclib", "", "these three: taskops, granularity, listsort");
}

/// What the name `paclib` stands for.
constexpr const char* paclib_benchmarks[] = {"taskops", "granularity", "listsort"};

/// choose() turns names into benchmarks; an unknown one is answered with the nearest known.
int choose(const std::vector<std::string>& names, std::vector<const benchmark*>& chosen) {
  std::vector<std::string> known;
  for (const benchmark& bench : benchmarks()) {
    known.emplace_back(bench.name);
    if (names.empty()) chosen.push_back(&bench);
  }
  std::vector<std::string> wanted;
  for (const std::string& name : names) {
    if (name == "paclib") {
      for (const char* part : paclib_benchmarks) wanted.emplace_back(part);
    } else {
      wanted.push_back(name);
    }
  }
  for (const std::string& name : wanted) {
    const auto& table = benchmarks();
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const auto& bench) { return bench.name == name; });
    if (found == table.end()) {
      const std::string guess = closest(name, known);
      fmt::print(stderr, "hocket: there is no benchmark '{}'; {}\n", name,
                 guess.empty() ? "hocket bench --list shows all" : fmt::format("did you mean {}?", guess));
      return bad_usage;
    }
    chosen.push_back(&*found);
  }
  return success;
}

int run_bench(const bench_options& options) {
  if (options.list) {
    print_list();
    return success;
  }
  std::vector<const benchmark*> chosen;
  if (const int problem = choose(options.names, chosen); problem != success) return problem;
  return session(options).run(chosen);
}

constexpr const char* footer =
    "Each round launches every runtime once, in turn; the median over the rounds is reported, with ratios to "
    "the\n"
    "peers (the better of default and tuned) and to the floor. Programs that were not built are named and "
    "left out.\n"
    "Single-worker benchmarks (switch, yield, memory) ignore --threads. docs/benchmarks.md tells what each "
    "measures.";

}  // namespace

void add_bench_command(CLI::App& app, int& exit) {
  auto options = std::make_shared<bench_options>();
  CLI::App* bench =
      app.add_subcommand("bench", "Measure this machine: Hocket beside its peers and a bare floor");
  bench->add_option("NAME", options->names, "Which benchmarks (default: all; see --list)");
  bench->add_option("--threads", options->threads, "Numbers of workers, separated by commas (default 1,2)")
      ->delimiter(',')
      ->check(CLI::Range(1U, 1024U));
  bench->add_option("--repeat", options->repeat, "Rounds (default 5; 3 with --quick)")
      ->check(CLI::Range(1U, 1000U));
  bench->add_flag("--quick", options->quick, "Small sizes: a look, not a measurement");
  bench->add_flag("--json", options->json_lines, "Print one JSON object a line instead of a table");
  bench->add_option("--out", options->out, "Also write the JSON lines to this file");
  bench->add_option("--report", options->report,
                    "Also write the PACLIB paper's figures to this page (.md), with plots beside it");
  bench->add_flag("--list", options->list, "List the benchmarks and exit");
  bench->add_option("--timeout", options->timeout_s, "Seconds after which a launch is ended (default 300)")
      ->check(CLI::PositiveNumber);
  bench->add_option("--programs", options->folder,
                    "Folder of the hkbench-* programs, if not found by themselves");
  bench->footer(footer);
  bench->callback([options, &exit] { exit = run_bench(*options); });
}

}  // namespace hocket::tool
