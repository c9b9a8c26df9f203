// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fib: the Fibonacci recursion with a fork at every call, checked, with the time of one spawn and join.
#include "common/program.hpp"
#include "fib/fib.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <vector>

namespace {

using namespace hocket::apps;

enum class form { structured, spawn, serial };

const std::map<std::string, form> forms = {
    {"structured", form::structured}, {"spawn", form::spawn}, {"serial", form::serial}};

struct arguments {
  int n = 0;
  std::string form_name = "structured";
  bool leaf_inlined = false;
  int repeat = 1;
  bool json = false;
};

constexpr int largest_n = 60;  // minutes, not years

long compute(const arguments& given) {
  switch (forms.at(given.form_name)) {
    case form::structured:
      return given.leaf_inlined ? fib_structured_leaf_inlined(given.n) : fib_structured(given.n);
    case form::spawn:
      return given.leaf_inlined ? fib_spawned_leaf_inlined(given.n) : fib_spawned(given.n);
    case form::serial:
      return fib_serial(given.n);
  }
  return -1;
}

void report(const arguments& given, unsigned workers, long value, double seconds) {
  const long spawns = fib_spawns(given.n);
  const double ns = spawns > 0 ? seconds * 1e9 / static_cast<double>(spawns) : 0;
  if (given.json) {
    nlohmann::ordered_json out = {
        {"program", "fib"},        {"n", given.n},
        {"form", given.form_name}, {"source", given.leaf_inlined ? "leaf_inlined" : "plain"},
        {"threads", workers},      {"value", value},
        {"spawns", spawns},        {"seconds", seconds}};
    out["ns_per_spawn"] = spawns > 0 ? nlohmann::ordered_json(ns) : nlohmann::ordered_json(nullptr);
    fmt::print("{}\n", out.dump());
    return;
  }
  fmt::print("fib({}) = {}  ({}{}, {:.6f} s", given.n, value, given.form_name,
             given.leaf_inlined ? ", leaf inlined" : "", seconds);
  if (spawns > 0) fmt::print(", {} spawns, {:.2f} ns per spawn", spawns, ns);
  fmt::print(")\n");
}

int compute_and_check(const arguments& given, unsigned workers) {
  std::vector<double> seconds;
  for (int i = 0; i < given.repeat; ++i) {
    const stopwatch watch;
    const long value = compute(given);
    seconds.push_back(watch.seconds());
    if (value != fib_value(given.n)) {
      fmt::print(stderr, "fib: check failed: fib({}) is {}, but the recursion gave {}\n", given.n,
                 fib_value(given.n), value);
      return exit_failed;
    }
  }
  std::nth_element(seconds.begin(), seconds.begin() + given.repeat / 2, seconds.end());
  report(given, workers, fib_value(given.n), seconds[static_cast<std::size_t>(given.repeat / 2)]);
  return exit_success;
}

}  // namespace

int main(int argc, char** argv) {
  return program("fib", [&] {
    const hocket::options runtime = hocket::options::from(argc, argv);
    arguments given;
    CLI::App app(
        "The Fibonacci recursion with a fork at every call and no cut-off. The value is checked\n"
        "against the iterative one; the time of a spawn with its join is printed.",
        "fib");
    app.add_option("N", given.n, "which Fibonacci number")->required()->check(CLI::Range(0, largest_n));
    app.add_option(
           "--form", given.form_name,
           "how halves are forked: structured (fork_join), spawn (a handle and get), serial (plain calls)")
        ->check(CLI::IsMember({"structured", "spawn", "serial"}))
        ->capture_default_str();
    app.add_flag("--leaf-inlined", given.leaf_inlined,
                 "test for N < 2 where the child is forked, not inside it (no effect on serial)");
    app.add_option("--repeat", given.repeat, "run so often and print the median time")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    app.add_flag("--json", given.json, "print one JSON object");
    add_common_options(app);
    parse(app, argc, argv);
    return hocket::run(runtime, [&] { return compute_and_check(given, worker_count(runtime)); });
  });
}
