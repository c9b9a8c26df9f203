// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// policies: how many real tasks, stacks and bytes it takes to run a linear recursion or a tree of tasks, by
// the policy of when a fork becomes a real task.
#include "common/process_use.hpp"
#include "common/program.hpp"
#include "common/spin.hpp"
#include "policies/policies.hpp"
#include "policies/problems.hpp"

namespace {

using namespace hocket::apps;

struct arguments {
  std::string problem = "linear";
  std::string policy = "virtual";
  std::uint64_t n = linear_longest;
  int depth = 20;
  long grain_ns = 0;
  std::uint64_t threshold = 0;  // 0: the workers
  unsigned check_us = 1000;
  bool json = false;

  bool is_linear() const { return problem == "linear"; }
  bool looks_at_load() const { return policy == "inline-by-load" || policy == "sthread"; }
  std::uint64_t forks() const { return is_linear() ? linear_forks(n) : tree_forks(depth); }
  std::uint64_t value() const { return is_linear() ? linear_value(n) : tree_value(depth); }
};

struct work {
  long rounds;
  void operator()() const {
    if (rounds > 0) spin(rounds);
  }
};

struct outcome {
  double seconds = 0;
  std::uint64_t value = 0;
  std::uint64_t tasks = 0;                            // forks that were more than a call, virtual or real
  std::optional<std::uint64_t> reals, reals_at_once;  // the root included
  std::uint64_t stacks_made = 0, stacks_reused = 0;
};

// solve() runs the problem in a task of its own, the root.
template <class Policy>
outcome solve(Policy& policy, const arguments& given, const work& each) {
  const counted_span span;
  const stopwatch watch;
  const auto root = hocket::start({.name = "root", .stack_size = given.is_linear() ? linear_stack : 0}, [&] {
    return given.is_linear() ? linear(policy, given.n, each) : tree(policy, given.depth, each);
  });
  outcome result;
  result.value = root.get();
  result.seconds = watch.seconds();
  result.stacks_made = span.count(&hocket::statistics::stacks_made);
  result.stacks_reused = span.count(&hocket::statistics::stacks_reused);
  result.reals = span.reals();
  result.reals_at_once = span.reals_at_once();
  if (result.reals_at_once) --*result.reals_at_once;  // the main task, which only waits for the root
  return result;
}

void count_from(outcome& result, const census& reals) {
  result.reals = reals.ever();
  result.reals_at_once = reals.most();
}

outcome solve_by_policy(const arguments& given, const work& each) {
  const counted_span span;
  outcome result;
  if (given.policy == "virtual") {
    virtual_tasks policy;
    result = solve(policy, given, each);
    result.tasks = span.count(&hocket::statistics::spawned);
  } else if (given.policy == "real") {
    real_tasks policy;
    result = solve(policy, given, each);
    result.tasks = span.count(&hocket::statistics::started) - 1;
  } else if (given.policy == "inline-by-load") {
    load_inlining policy(given.threshold);
    result = solve(policy, given, each);
    result.tasks = span.count(&hocket::statistics::started) - 1;
    count_from(result, policy.reals());
  } else {
    sthreads policy(given.threshold);
    hocket::event over;
    const auto scheduler = hocket::start(
        {.name = "load check"}, [&] { policy.watch_load(std::chrono::microseconds(given.check_us), over); });
    result = solve(policy, given, each);
    over.set();
    scheduler.wait();
    result.tasks = given.forks();  // a record each
    count_from(result, policy.reals());
  }
  return result;
}

// check() compares with what must be: every policy gives the value, and all but one make a task of each fork.
void check(const arguments& given, const outcome& is) {
  if (is.value != given.value())
    check_failed(fmt::format("the result is {}, but should be {}", is.value, given.value()));
  const std::uint64_t right = given.policy == "inline-by-load" ? *is.reals - 1 : given.forks();
  if (is.tasks != right)
    check_failed(fmt::format("{} tasks were made, but there should be {}", is.tasks, right));
}

void report(const arguments& given, unsigned workers, const outcome& is) {
  const memory_peaks memory = peaks_of_memory();
  if (given.json) {
    nlohmann::ordered_json out = {{"program", "policies"}, {"problem", given.problem}};
    if (given.is_linear()) {
      out["n"] = given.n;
    } else {
      out["depth"] = given.depth;
    }
    const auto if_used = [&](std::uint64_t number, bool used) {
      return json_or_null(used ? std::optional(number) : std::nullopt);
    };
    out["policy"] = given.policy;
    out["threads"] = workers;
    out["grain_ns"] = given.grain_ns;
    out["threshold"] = if_used(given.threshold, given.looks_at_load());
    out["check_us"] = if_used(given.check_us, given.policy == "sthread");
    out["value"] = is.value;
    out["forks"] = given.forks();
    out["tasks"] = is.tasks;
    out["reals"] = json_or_null(is.reals);
    out["reals_at_once"] = json_or_null(is.reals_at_once);
    out["stacks_made"] = is.stacks_made;
    out["stacks_reused"] = is.stacks_reused;
    out["peak_bytes"] = memory.resident;
    out["address_bytes"] = memory.address_space;
    out["seconds"] = is.seconds;
    fmt::print("{}\n", out.dump());
    return;
  }
  fmt::print("{}: {} forks, result {}  ({} on {} workers, {:.6f} s)\n", given.problem, given.forks(),
             is.value, given.policy, workers, is.seconds);
  fmt::print("{} tasks", is.tasks);
  if (is.reals) fmt::print(", {} real tasks, {} at most at once", *is.reals, *is.reals_at_once);
  fmt::print("; {} stacks made, {} times reused; {:.1f} MiB at most, of {:.1f} MiB of addresses\n",
             is.stacks_made, is.stacks_reused, static_cast<double>(memory.resident) / (1 << 20),
             static_cast<double>(memory.address_space) / (1 << 20));
}

constexpr const char* notes =
    "virtual: spawn, a task that gets a stack if a worker is idle. real: start, a stack each, at once.\n"
    "inline-by-load: a real task if fewer than --threshold exist at that moment, else a call.\n"
    "sthread: virtual S-threads after Kuechlin and Ward: a record, run by whom joins it; a load check at "
    "forks,\n"
    "waits and ends, and each --check-us microseconds, makes real tasks while fewer than --threshold are\n"
    "active; a real task ends after one record, where one of Hocket's would take on the next virtual "
    "task.\n\n"
    "Real tasks, the root included, are counted for inline-by-load and sthread by the program, for virtual "
    "and\n"
    "real by the runtime, with --hk-stats 1 only.";

}  // namespace

int main(int argc, char** argv) {
  return program("policies", [&] {
    const hocket::options runtime = hocket::options::from(argc, argv);
    arguments given;
    CLI::App app(
        "When does a fork become a real task? Four policies on two problems: the linear recursion\n"
        "f(x) = g(x) + f(x - 1), with a fork for each g, and a tree whose tasks make two tasks each.\n"
        "Section 3.2 of the PACLIB paper; the result is checked against a formula.",
        "policies");
    app.footer(notes);
    app.add_option("--problem", given.problem, "linear or tree")
        ->check(CLI::IsMember({"linear", "tree"}))
        ->capture_default_str();
    app.add_option("--policy", given.policy, "virtual, real, inline-by-load or sthread")
        ->check(CLI::IsMember({"virtual", "real", "inline-by-load", "sthread"}))
        ->capture_default_str();
    auto* const n =
        app.add_option("--n", given.n, "length of the linear recursion, which has a stack of 1 GiB")
            ->check(CLI::Range(std::uint64_t{0}, linear_longest))
            ->capture_default_str();
    auto* const depth = app.add_option("--depth", given.depth, "levels of the tree: 2^depth leaves")
                            ->check(CLI::Range(0, tree_deepest))
                            ->capture_default_str();
    app.add_option("--grain-ns", given.grain_ns, "nanoseconds of work of each g, or of each leaf")
        ->check(CLI::Range(0L, 1'000'000'000L))
        ->capture_default_str();
    auto* const threshold = app.add_option("--threshold", given.threshold,
                                           "load below which real tasks are made (default: workers)")
                                ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}));
    auto* const check_us = app.add_option("--check-us", given.check_us,
                                          "microseconds from one load check of sthread to the next")
                               ->check(CLI::Range(10U, 10'000'000U))
                               ->capture_default_str();
    parse(app, argc, argv, given.json);
    if (n->count() > 0 && !given.is_linear()) throw input_error("--n is for --problem linear: give --depth");
    if (depth->count() > 0 && given.is_linear()) throw input_error("--depth is for --problem tree: give --n");
    if (threshold->count() > 0 && !given.looks_at_load())
      throw input_error("--threshold is for --policy inline-by-load and sthread");
    if (check_us->count() > 0 && given.policy != "sthread")
      throw input_error("--check-us is for --policy sthread");
    if (given.policy == "real")  // nearly all of them may be there at one time
      refuse_too_many_stacks(
          (given.is_linear() ? fmt::format("--n {}", given.n) : fmt::format("--depth {}", given.depth)) +
              " with --policy real",
          given.forks());
    const unsigned workers = worker_count(runtime);
    if (given.threshold == 0) given.threshold = workers;
    const double grain = 1e-9 * static_cast<double>(given.grain_ns);
    const work each{given.grain_ns == 0 ? 0 : rounds_for(grain)};
    return hocket::run(runtime, [&] {
      const outcome result = solve_by_policy(given, each);
      check(given, result);
      report(given, workers, result);
      return exit_success;
    });
  });
}
