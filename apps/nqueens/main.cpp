// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nqueens: counts the ways to place N queens, a fork for every queen placed, checked against the known
// counts.
#include "common/program.hpp"
#include "nqueens/nqueens.hpp"

#include <nlohmann/json.hpp>

namespace {

using namespace hocket::apps;

struct arguments {
  int n = 12;
  std::string form = "structured";
  int repeat = 1;
  bool json = false;
};

void report(const arguments& given, unsigned workers, double seconds) {
  const auto n = static_cast<std::size_t>(given.n);
  const double ns = seconds * 1e9 / static_cast<double>(queens_nodes[n]);
  if (given.json) {
    const nlohmann::ordered_json out = {{"program", "nqueens"},
                                        {"n", given.n},
                                        {"form", given.form},
                                        {"threads", workers},
                                        {"solutions", queens_solutions[n]},
                                        {"nodes", queens_nodes[n]},
                                        {"seconds", seconds},
                                        {"ns_per_node", ns}};
    fmt::print("{}\n", out.dump());
    return;
  }
  fmt::print("{} queens: {} solutions, {} nodes  ({}, {:.6f} s, {:.2f} ns per node)\n", given.n,
             queens_solutions[n], queens_nodes[n], given.form, seconds, ns);
}

int count_and_check(const arguments& given, unsigned workers) {
  const long right = queens_solutions[static_cast<std::size_t>(given.n)];
  const bool serial = given.form == "serial";
  const double seconds = median_of_repeats(given.repeat, [&] {
    const queens_board empty{};
    const stopwatch watch;
    const long found = serial ? queens_serial(empty, 0, given.n) : queens_forked(empty, 0, given.n);
    const double gone = watch.seconds();
    if (found != right)
      check_failed(fmt::format("{} queens have {} solutions, but {} were found", given.n, right, found));
    return gone;
  });
  report(given, workers, seconds);
  return exit_success;
}

}  // namespace

int main(int argc, char** argv) {
  return program("nqueens", [&] {
    const hocket::options runtime = hocket::options::from(argc, argv);
    arguments given;
    CLI::App app(
        "Counts the ways to place N queens on an N by N board so that none attacks another.\n"
        "Every queen placed is a fork, and a node; the empty board is not counted as one.\n"
        "The number of solutions is checked against the known one.",
        "nqueens");
    app.add_option("N", given.n, "how many queens")
        ->check(CLI::Range(1, queens_largest))
        ->capture_default_str();
    app.add_option("--form", given.form, "structured (a fork for every queen) or serial (plain calls)")
        ->check(CLI::IsMember({"structured", "serial"}))
        ->capture_default_str();
    add_repeat_option(app, given.repeat);
    parse(app, argc, argv, given.json);
    return hocket::run(runtime, [&] { return count_and_check(given, worker_count(runtime)); });
  });
}
