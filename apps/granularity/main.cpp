// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// granularity: how much work a leaf of a tree of tasks must have until the tasks' cost does not show; with
// the number of real tasks and of stacks.
#include "common/process_use.hpp"
#include "common/program.hpp"
#include "common/spin.hpp"
#include "granularity/granularity.hpp"

#include <map>

namespace {

using namespace hocket::apps;

struct leaf_work {
  long rounds;
  long operator()() const { return spin(rounds); }
};

// One way to make children, and the counter that must then have gone up by their number; null: no child.
struct way {
  long (*tree)(int, const leaf_work&);
  std::uint64_t hocket::statistics::* counter;
};

const std::map<std::string, way> ways = {
    {"virtual", {&granularity_virtual<leaf_work>, &hocket::statistics::spawned}},
    {"real", {&granularity_real<leaf_work>, &hocket::statistics::started}},
    {"structured", {&granularity_structured<leaf_work>, &hocket::statistics::forked}},
    {"serial", {&granularity_serial<leaf_work>, nullptr}}};

struct arguments {
  int depth = 12;
  long grain_ns = 1000;
  std::string form = "virtual";
  int repeat = 3;
  bool json = false;

  std::uint64_t tasks() const { return form == "serial" ? 0 : granularity_tasks(depth); }
};

struct outcome {
  std::vector<double> serial_seconds, seconds, efficiency;  // of each repetition
  std::optional<std::uint64_t> reals, reals_at_once;        // of the last one; of all
  std::uint64_t stacks_made = 0, stacks_reused = 0;         // of all
};

template <class Tree>
double timed(Tree tree, long leaves) {
  const stopwatch watch;
  const long found = tree();
  const double seconds = watch.seconds();
  if (found != leaves) check_failed(fmt::format("the tree has {} leaves, but {} ran", leaves, found));
  return seconds;
}

// measure() lets the serial program and the form that was asked for take turns.
outcome measure(const arguments& given, const leaf_work& leaf, unsigned workers) {
  const way& chosen = ways.at(given.form);
  const long leaves = 1L << given.depth;
  const counted_span all;
  outcome result;
  for (int i = 0; i < given.repeat; ++i) {
    const double serial = timed([&] { return granularity_serial(given.depth, leaf); }, leaves);
    const counted_span span;
    const double seconds = timed([&] { return chosen.tree(given.depth, leaf); }, leaves);
    if (const auto made = chosen.counter != nullptr ? span.count(chosen.counter) : 0; made != given.tasks())
      check_failed(fmt::format("the tree has {} tasks, but {} were made", given.tasks(), made));
    result.serial_seconds.push_back(serial);
    result.seconds.push_back(seconds);
    result.efficiency.push_back(serial / (seconds * workers));
    result.reals = span.reals();
  }
  result.reals_at_once = all.reals_at_once();
  result.stacks_made = all.count(&hocket::statistics::stacks_made);
  result.stacks_reused = all.count(&hocket::statistics::stacks_reused);
  return result;
}

void report(const arguments& given, unsigned workers, const outcome& is) {
  const memory_peaks memory = peaks_of_memory();
  if (given.json) {
    const nlohmann::ordered_json out = {{"program", "granularity"},
                                        {"depth", given.depth},
                                        {"leaves", 1L << given.depth},
                                        {"grain_ns", given.grain_ns},
                                        {"form", given.form},
                                        {"threads", workers},
                                        {"tasks", given.tasks()},
                                        {"serial_seconds", median(is.serial_seconds)},
                                        {"first_seconds", is.seconds.front()},
                                        {"seconds", median(is.seconds)},
                                        {"efficiency", median(is.efficiency)},
                                        {"reals", json_or_null(is.reals)},
                                        {"reals_at_once", json_or_null(is.reals_at_once)},
                                        {"stacks_made", is.stacks_made},
                                        {"stacks_reused", is.stacks_reused},
                                        {"peak_bytes", memory.resident},
                                        {"address_bytes", memory.address_space}};
    fmt::print("{}\n", out.dump());
    return;
  }
  fmt::print("{} leaves of {} ns, {} tasks ({}): efficiency {:.3f} on {} workers\n", 1L << given.depth,
             given.grain_ns, given.tasks(), given.form, median(is.efficiency), workers);
  fmt::print("{:.6f} s (the first time {:.6f} s), serial {:.6f} s\n", median(is.seconds), is.seconds.front(),
             median(is.serial_seconds));
  if (is.reals) fmt::print("{} real tasks were made, {} at most at once; ", *is.reals, *is.reals_at_once);
  fmt::print("{} stacks made, {} times reused; {:.1f} MiB at most\n", is.stacks_made, is.stacks_reused,
             static_cast<double>(memory.resident) / (1 << 20));
}

constexpr const char* notes =
    "Efficiency is the serial program's time over the time and the number of workers; both programs take\n"
    "turns, --repeat times, and medians are printed.\n\n"
    "Real tasks are counted with --hk-stats 1 only: those that the last repetition made, and the most that\n"
    "existed at one time, the main task among them.";

}  // namespace

int main(int argc, char** argv) {
  return program("granularity", [&] {
    const hocket::options runtime = hocket::options::from(argc, argv);
    arguments given;
    CLI::App app(
        "The minimum grain of a task: a binary tree whose inner nodes run one half as a child task and\n"
        "the other themselves; a leaf computes for a given time. Figure 3 of the PACLIB paper.",
        "granularity");
    app.footer(notes);
    app.add_option("--depth", given.depth, "levels of inner nodes: 2^depth leaves, one task less")
        ->check(CLI::Range(0, granularity_deepest))
        ->capture_default_str();
    app.add_option("--grain-ns", given.grain_ns, "nanoseconds of work of a leaf; 0: none")
        ->check(CLI::Range(0L, 1'000'000'000L))
        ->capture_default_str();
    app.add_option("--form", given.form,
                   "how children are made: virtual (spawn), real (start: a stack each), structured\n"
                   "(fork_join), serial (plain calls)")
        ->check(CLI::IsMember({"virtual", "real", "structured", "serial"}))
        ->capture_default_str();
    add_repeat_option(app, given.repeat);
    parse(app, argc, argv, given.json);
    if (given.form == "real")  // nearly all of them may be there at one time
      refuse_too_many_stacks(fmt::format("--depth {} with --form real", given.depth),
                             granularity_tasks(given.depth));
    const double grain = 1e-9 * static_cast<double>(given.grain_ns);
    const leaf_work leaf{given.grain_ns == 0 ? 0 : rounds_for(grain)};
    return hocket::run(runtime, [&] {
      const unsigned workers = worker_count(runtime);
      report(given, workers, measure(given, leaf, workers));
      return exit_success;
    });
  });
}
