// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// skynet: a million tasks in a tree of ten, checked, with the time of a task, peak memory and stacks made.
#include "common/program.hpp"
#include "skynet/skynet.hpp"

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <vector>

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

// peak_memory() is the largest resident size that this process has had, in bytes; 0 where /proc does not say.
// Not getrusage(): its maximum begins with that of the program that started us.
std::uint64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  }
  return 0;
}

// Real tasks touch a page of stack each, and with --how start nearly all of them are there at one time.
void check_memory(std::uint64_t leaves, std::uint64_t branches) {
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  const std::uint64_t tasks = skynet_tasks(leaves, branches);
  if (tasks > pages) {
    throw input_error(
        fmt::format("--leaves {} with --how start needs more memory than this machine has: {} tasks, each "
                    "with a stack, and {} pages",
                    leaves, tasks, pages));
  }
}

void report(const arguments& given, unsigned workers, double seconds) {
  const std::uint64_t tasks = skynet_tasks(given.leaves, given.branches);
  const std::uint64_t sum = skynet_value(given.leaves);
  const double ns = tasks > 0 ? seconds * 1e9 / static_cast<double>(tasks) : 0;
  const std::uint64_t peak = peak_memory();
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
  std::vector<double> seconds;
  for (int i = 0; i < given.repeat; ++i) {
    const std::uint64_t before = hocket::stats().*chosen.counter;
    const stopwatch watch;
    const std::uint64_t sum = chosen.sum({0, given.leaves, given.branches});
    seconds.push_back(watch.seconds());
    const std::uint64_t made = hocket::stats().*chosen.counter - before;
    if (sum != right || made != tasks) {
      fmt::print(stderr, "skynet: check failed: {} tasks should sum to {}, but {} were counted and gave {}\n",
                 tasks, right, made, sum);
      return exit_failed;
    }
  }
  std::nth_element(seconds.begin(), seconds.begin() + given.repeat / 2, seconds.end());
  report(given, workers, seconds[static_cast<std::size_t>(given.repeat / 2)]);
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
    app.add_option("--repeat", given.repeat, "run so often and print the median time")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    app.add_flag("--json", given.json, "print one JSON object");
    add_common_options(app);
    parse(app, argc, argv);
    if (!skynet_depth(given.leaves, given.branches)) {
      throw input_error(fmt::format("--leaves {} is no power of --branches {}: give 1, {}, {}, ...",
                                    given.leaves, given.branches, given.branches,
                                    given.branches * given.branches));
    }
    if (given.how == "start") check_memory(given.leaves, given.branches);
    return hocket::run(runtime, [&] { return sum_and_check(given, worker_count(runtime)); });
  });
}
