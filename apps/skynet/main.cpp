// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// skynet: a million tasks in a tree of ten, checked, with the time of a task, peak memory and stacks made.
#include "common/process_use.hpp"
#include "common/program.hpp"
#include "skynet/skynet.hpp"

#include <map>

namespace {

using namespace hocket::apps;

// One way to make children, and the counter that must then have gone up by their number.
struct way {
  std::uint64_t (*sum)(const skynet_node&);
  std::uint64_t hocket::statistics::* counter;
};

const std::map<std::string, way> ways = {{"spawn", {&skynet_spawned, &hocket::statistics::spawned}},
                                         {"start", {&skynet_started, &hocket::statistics::started}},
                                         {"fork", {&skynet_forked, &hocket::statistics::forked}}};

struct arguments {
  std::uint64_t leaves = 1'000'000;
  std::uint64_t branches = 10;
  std::string how = "spawn";
  int repeat = 1;
  bool json = false;
};

void report(const arguments& given, unsigned workers, double seconds) {
  const std::uint64_t tasks = skynet_tasks(given.leaves, given.branches);
  const std::uint64_t sum = skynet_value(given.leaves);
  const double ns = tasks > 0 ? seconds * 1e9 / static_cast<double>(tasks) : 0;
  const std::uint64_t peak = peaks_of_memory().resident;
  const std::uint64_t stacks = hocket::stats().stacks_made;
  if (given.json) {
    nlohmann::ordered_json out = {
        {"program", "skynet"}, {"leaves", given.leaves}, {"branches", given.branches},
        {"how", given.how},    {"threads", workers},     {"sum", sum},
        {"tasks", tasks},      {"seconds", seconds}};
    out["ns_per_task"] = tasks > 0 ? nlohmann::ordered_json(ns) : nlohmann::ordered_json(nullptr);
    out["peak_bytes"] = peak;
    out["stacks_made"] = stacks;
    fmt::print("{}\n", out.dump());
    return;
  }
  fmt::print("skynet: {} leaves sum to {}  ({}, {:.6f} s", given.leaves, sum, given.how, seconds);
  if (tasks > 0) fmt::print(", {} tasks, {:.2f} ns per task", tasks, ns);
  fmt::print(", {:.1f} MiB at most, {} stacks made)\n", static_cast<double>(peak) / (1 << 20), stacks);
}

int sum_and_check(const arguments& given, unsigned workers) {
  const way& chosen = ways.at(given.how);
  const std::uint64_t right = skynet_value(given.leaves);
  const std::uint64_t tasks = skynet_tasks(given.leaves, given.branches);
  const double seconds = median_of_repeats(given.repeat, [&] {
    const counted_span span;
    const stopwatch watch;
    const std::uint64_t sum = chosen.sum({0, given.leaves, given.branches});
    const double gone = watch.seconds();
    const std::uint64_t made = span.count(chosen.counter);
    if (sum != right || made != tasks)
      check_failed(
          fmt::format("{} tasks should sum to {}, but {} were counted and gave {}", tasks, right, made, sum));
    return gone;
  });
  report(given, workers, seconds);
  return exit_success;
}

}  // namespace

int main(int argc, char** argv) {
  return program("skynet", [&] {
    const hocket::options runtime = hocket::options::from(argc, argv);
    arguments given;
    CLI::App app(
        "The skynet benchmark: a task makes 10 children, each of them 10 more, down to a million\n"
        "leaves. A leaf returns its number, every other task the sum of its children. The result is\n"
        "checked against the formula, the number of tasks against the runtime's counters.",
        "skynet");
    app.add_option("--leaves", given.leaves, "how many leaves; a power of --branches")
        ->check(CLI::Range(std::uint64_t{1}, skynet_most_leaves))
        ->capture_default_str();
    app.add_option("--branches", given.branches, "how many children a task makes")
        ->check(CLI::Range(std::uint64_t{2}, std::uint64_t{1'000'000}))
        ->capture_default_str();
    app.add_option("--how", given.how,
                   "how children are made: spawn (virtual tasks, with handles), start (real tasks: a\n"
                   "stack each, of which one page is touched), fork (fork_scope, structured)")
        ->check(CLI::IsMember({"spawn", "start", "fork"}))
        ->capture_default_str();
    add_repeat_option(app, given.repeat);
    parse(app, argc, argv, given.json);
    if (!skynet_depth(given.leaves, given.branches)) {
      throw input_error(fmt::format("--leaves {} is no power of --branches {}: give 1, {}, {}, ...",
                                    given.leaves, given.branches, given.branches,
                                    given.branches * given.branches));
    }
    if (given.how == "start")  // nearly all of them are there at one time
      refuse_too_many_stacks(fmt::format("--leaves {} with --how start", given.leaves),
                             skynet_tasks(given.leaves, given.branches));
    return hocket::run(runtime, [&] { return sum_and_check(given, worker_count(runtime)); });
  });
}
