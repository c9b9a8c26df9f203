// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// philosophers: they dine at one table, each a task, each fork a mutex; every meal is counted and checked.
#include "common/program.hpp"
#include "philosophers/dinner.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <numeric>

namespace {

using namespace hocket::apps;

const std::map<std::string, fork_order> orders = {
    {"ordered", fork_order::ordered}, {"naive", fork_order::naive}, {"arbiter", fork_order::arbiter}};

struct arguments {
  std::size_t philosophers = 5;
  std::uint64_t meals = 1000;
  std::string order_name = "ordered";
  bool deadlock = false;
  bool json = false;

  fork_order order() const { return deadlock ? fork_order::deadlock : orders.at(order_name); }
};

// What the table says when all have left it.
struct tally {
  std::uint64_t least, most, sum;
  explicit tally(const dinner& table) {
    const auto& eaten = table.eaten();
    const auto [low, high] = std::minmax_element(eaten.begin(), eaten.end());
    least = *low;
    most = *high;
    sum = std::accumulate(eaten.begin(), eaten.end(), std::uint64_t{0});
  }
};

void report(const arguments& given, unsigned workers, const tally& meals, double seconds,
            const hocket::statistics& before) {
  const hocket::statistics after = hocket::stats();
  const std::uint64_t switches = after.switches - before.switches;
  const std::uint64_t suspended = after.suspended - before.suspended;
  const double ns = meals.sum > 0 ? seconds * 1e9 / static_cast<double>(meals.sum) : 0;
  if (given.json) {
    nlohmann::ordered_json out = {{"program", "philosophers"}, {"philosophers", given.philosophers},
                                  {"meals_each", given.meals}, {"order", given.order_name},
                                  {"threads", workers},        {"meals_min", meals.least},
                                  {"meals_max", meals.most},   {"meals", meals.sum},
                                  {"seconds", seconds}};
    out["ns_per_meal"] = meals.sum > 0 ? nlohmann::ordered_json(ns) : nlohmann::ordered_json(nullptr);
    out["switches"] = switches;
    out["suspended"] = suspended;
    fmt::print("{}\n", out.dump());
    return;
  }
  fmt::print("{} philosophers had {} meals: each from {} to {}  ({}, {:.6f} s", given.philosophers, meals.sum,
             meals.least, meals.most, given.order_name, seconds);
  if (meals.sum > 0) fmt::print(", {:.2f} ns per meal", ns);
  fmt::print(", {} switches, {} times suspended)\n", switches, suspended);
}

int dine_and_check(const arguments& given, unsigned workers) {
  dinner table(given.philosophers, given.meals, given.order());
  const hocket::statistics before = hocket::stats();
  const stopwatch watch;
  table.serve();
  const double seconds = watch.seconds();
  if (given.deadlock) {
    check_failed("all should wait for ever, but all have eaten");
  }
  const tally meals(table);
  const std::uint64_t expected = given.philosophers * given.meals;
  if (meals.least != given.meals || meals.most != given.meals || table.fork_uses() != 2 * expected ||
      table.clashes() != 0) {
    check_failed(fmt::format(
        "{} meals each and {} uses of forks were right; there were from {} to {} meals, {} uses, and {} "
        "times two held one fork",
        given.meals, 2 * expected, meals.least, meals.most, table.fork_uses(), table.clashes()));
  }
  report(given, workers, meals, seconds, before);
  return exit_success;
}

}  // namespace

int main(int argc, char** argv) {
  return program("philosophers", [&] {
    const hocket::options runtime = hocket::options::from(argc, argv);
    arguments given;
    CLI::App app(
        "Dijkstra's dining philosophers: they sit round a table with a fork between any two, and need\n"
        "both neighbouring forks to eat. Each is a task, each fork a mutex. Every meal and every use of\n"
        "a fork is checked.",
        "philosophers");
    app.add_option("-n,--philosophers", given.philosophers, "how many, with as many forks")
        ->check(CLI::Range(fewest_philosophers, most_philosophers))
        ->capture_default_str();
    app.add_option("-m,--meals", given.meals, "how many meals each eats")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000'000}))
        ->capture_default_str();
    CLI::Option* order =
        app.add_option("--order", given.order_name,
                       "ordered (the fork with the lower number first: never deadlocks), naive (left, then\n"
                       "right: may deadlock), arbiter (as naive, but never all seated at once)")
            ->check(CLI::IsMember({"ordered", "naive", "arbiter"}))
            ->capture_default_str();
    app.add_flag("--deadlock", given.deadlock,
                 "all take the left fork, wait until all have, and then take the right one")
        ->excludes(order);
    app.footer("A deadlock is found by the runtime, which names all who wait, and ends the program with 3.");
    parse(app, argc, argv, given.json);
    if (given.deadlock && given.meals == 0) {
      throw input_error("--deadlock needs somebody who eats: --meals must be at least 1 (see --help)");
    }
    return hocket::run(runtime, [&] { return dine_and_check(given, worker_count(runtime)); });
  });
}
