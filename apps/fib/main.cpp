// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fib: the Fibonacci recursion with a fork at every call, checked, with the time of one spawn and join.
#include "common/program.hpp"
#include "fib/fib.hpp"

#include <nlohmann/json.hpp>

#include <map>

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
  const long right = fib_value(given.n);
  const double seconds = median_of_repeats(given.repeat, [&] {
    const stopwatch watch;
    const long value = compute(given);
    const double gone = watch.seconds();
    if (value != right)
      check_failed(fmt::format("fib({}) is {}, but the recursion gave {}", given.n, right, value));
    return gone;
  });
  report(given, workers, right, seconds);
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
    add_repeat_option(app, given.repeat);
    parse(app, argc, argv, given.json);
    return hocket::run(runtime, [&] { return compute_and_check(given, worker_count(runtime)); });
  });
}
