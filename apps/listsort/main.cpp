// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// listsort: the bubble-merge sort of a linked list, serial or by tasks of one kind, checked; the first
// iteration apart from later ones, with page faults and memory of each.
#include "common/process_use.hpp"
#include "common/program.hpp"
#include "listsort/listsort.hpp"
#include "listsort/numbers.hpp"
#include "listsort/saclib_sort.hpp"

#include <map>

namespace {

using namespace hocket::apps;
using json = nlohmann::ordered_json;

// A variant sorts; the counter must then have gone up by its tasks (null: it makes none). Lists of at most
// `cut` numbers make none; a variant without a usual cut takes none.
struct variant {
  list_cell* (*sort)(list_cell*, std::size_t n, std::size_t cut);
  std::uint64_t hocket::statistics::* counter;
  std::size_t cut;
  bool takes_cut;
};

list_cell* sort_serial(list_cell* list, std::size_t n, std::size_t) { return listsort_serial(list, n); }

const std::map<std::string, variant> variants = {
    {"serial", {&sort_serial, nullptr, 0, false}},
    {"real", {&listsort_real, &hocket::statistics::started, 0, false}},
    {"real-cut", {&listsort_real, &hocket::statistics::started, listsort_real_cut, true}},
    {"virtual", {&listsort_virtual, &hocket::statistics::spawned, 0, false}},
    {"virtual-cut", {&listsort_virtual, &hocket::statistics::spawned, listsort_virtual_cut, true}},
    {"structured", {&listsort_structured, &hocket::statistics::forked, 0, true}}};

struct arguments {
  std::string variant_name = "virtual";
  std::size_t cut = 0;
  std::size_t length = 8000;
  std::uint64_t seed = 1;
  int iterations = 5;
  bool oracle = false;
  bool as_json = false;

  const variant& chosen() const { return variants.at(variant_name); }
  std::uint64_t tasks() const { return chosen().counter == nullptr ? 0 : listsort_tasks(length, cut); }
};

constexpr std::size_t longest = 100'000'000;

struct iteration {
  double seconds;
  std::uint64_t page_faults;
  std::optional<std::uint64_t> peak_bytes;  // nothing where the system cannot tell it of an iteration
  std::optional<std::uint64_t> reals;
};

struct outcome {
  std::vector<iteration> serial, own;
  std::optional<std::uint64_t> reals_at_once;
  std::uint64_t stacks_made = 0, stacks_reused = 0;
  std::vector<std::int32_t> sorted;  // for the oracle
};

// sort_once() is one iteration of a variant, checked; numbers of the sorted list go to `sorted`.
iteration sort_once(number_list& numbers, const arguments& given, const variant& by, std::uint64_t tasks,
                    std::vector<std::int32_t>& sorted) {
  list_cell* list = numbers.make();
  const bool restarted = restart_resident_peak();
  const counted_span span;
  const std::uint64_t faults = page_faults();
  const stopwatch watch;
  list = by.sort(list, given.length, given.cut);
  iteration is{};
  is.seconds = watch.seconds();
  is.page_faults = page_faults() - faults;
  is.reals = span.reals();
  if (restarted) is.peak_bytes = peaks_of_memory().resident;
  if (const char* problem = numbers.problem_of(list)) check_failed(problem);
  if (const auto made = by.counter != nullptr ? span.count(by.counter) : 0; made != tasks)
    check_failed(fmt::format("{} tasks sort the list, but {} were made", tasks, made));
  sorted.clear();
  for (const list_cell* cell = list; cell != nullptr; cell = cell->rest) sorted.push_back(cell->first);
  return is;
}

// sort() lets the serial variant go first: the list's own pages have then been touched.
outcome sort(const std::vector<std::int32_t>& random, const arguments& given) {
  number_list numbers(random);
  outcome result;
  for (int i = 0; i < given.iterations; ++i)
    result.serial.push_back(sort_once(numbers, given, variants.at("serial"), 0, result.sorted));
  const counted_span span;
  for (int i = 0; i < given.iterations; ++i)
    result.own.push_back(sort_once(numbers, given, given.chosen(), given.tasks(), result.sorted));
  result.reals_at_once = span.reals_at_once();
  result.stacks_made = span.count(&hocket::statistics::stacks_made);
  result.stacks_reused = span.count(&hocket::statistics::stacks_reused);
  return result;
}

// later_seconds() is the median of all iterations but the first; of that one if there is no other.
double later_seconds(const std::vector<double>& seconds) {
  return seconds.size() == 1 ? seconds.front() : median({seconds.begin() + 1, seconds.end()});
}

std::vector<double> seconds_of(const std::vector<iteration>& iterations) {
  std::vector<double> seconds;
  seconds.reserve(iterations.size());
  for (const iteration& is : iterations) seconds.push_back(is.seconds);
  return seconds;
}

json json_of(const std::vector<iteration>& iterations) {
  json all = json::array();
  for (const iteration& is : iterations) {
    all.push_back({{"seconds", is.seconds},
                   {"page_faults", is.page_faults},
                   {"peak_bytes", json_or_null(is.peak_bytes)},
                   {"reals", json_or_null(is.reals)}});
  }
  return all;
}

double efficiency(double serial, double parallel, unsigned workers) {
  return parallel > 0 ? serial / (parallel * workers) : 0;
}

void report_json(const arguments& given, unsigned workers, const outcome& is, const saclib_result& oracle) {
  const double serial = later_seconds(seconds_of(is.serial));
  const double later = later_seconds(seconds_of(is.own));
  const memory_peaks memory = peaks_of_memory();
  json out = {{"program", "listsort"},
              {"variant", given.variant_name},
              {"cut", given.cut},
              {"length", given.length},
              {"seed", given.seed},
              {"threads", workers},
              {"tasks", given.tasks()},
              {"serial_seconds", serial},
              {"first_seconds", is.own.front().seconds},
              {"seconds", later},
              {"first_efficiency", efficiency(serial, is.own.front().seconds, workers)},
              {"efficiency", efficiency(serial, later, workers)},
              {"reals_at_once", json_or_null(is.reals_at_once)},
              {"stacks_made", is.stacks_made},
              {"stacks_reused", is.stacks_reused},
              {"address_bytes", memory.address_space}};
  if (given.oracle) {
    out["oracle"] = "saclib";
    out["oracle_seconds"] = later_seconds(oracle.seconds);
  }
  out["iterations"] = json_of(is.own);
  out["serial_iterations"] = json_of(is.serial);
  fmt::print("{}\n", out.dump());
}

void report_iteration(std::string_view which, const iteration& is) {
  fmt::print("{}: {:.6f} s, {} page faults", which, is.seconds, is.page_faults);
  if (is.peak_bytes) fmt::print(", {:.1f} MiB at most", static_cast<double>(*is.peak_bytes) / (1 << 20));
  if (is.reals) fmt::print(", {} real tasks made", *is.reals);
  fmt::print("\n");
}

void report_text(const arguments& given, unsigned workers, const outcome& is, const saclib_result& oracle) {
  const double serial = later_seconds(seconds_of(is.serial));
  const double later = later_seconds(seconds_of(is.own));
  fmt::print("sorted a list of {} numbers, {} times, checked  ({}", given.length, given.iterations,
             given.variant_name);
  if (given.cut > 0) fmt::print(", cut {}", given.cut);
  fmt::print(", {} tasks, {} workers)\n", given.tasks(), workers);
  report_iteration("first", is.own.front());
  if (given.iterations > 1) report_iteration("last", is.own.back());
  fmt::print("median of the later ones {:.6f} s, serial {:.6f} s: efficiency {:.3f}\n", later, serial,
             efficiency(serial, later, workers));
  if (is.reals_at_once) fmt::print("{} real tasks at most at once; ", *is.reals_at_once);
  fmt::print("{} stacks made, {} times reused\n", is.stacks_made, is.stacks_reused);
  if (given.oracle)
    fmt::print("SACLIB's LBIBMS gives the same list in {:.6f} s\n", later_seconds(oracle.seconds));
}

constexpr const char* notes =
    "The serial variant runs first, as often; efficiency is its time over the variant's time and the number\n"
    "of workers. Times are medians of all iterations but the first, which may be the one that makes "
    "stacks.\n\n"
    "Real tasks are counted with --hk-stats 1 only; the main task is one of those that exist at once.";

void add_options(CLI::App& app, arguments& given) {
  app.add_option("--variant", given.variant_name,
                 "serial; real (a stack for each task), real-cut (short lists make none), virtual,\n"
                 "virtual-cut, or structured (fork_join)")
      ->check(CLI::IsMember({"serial", "real", "real-cut", "virtual", "virtual-cut", "structured"}))
      ->capture_default_str();
  app.add_option("--cut", given.cut,
                 "lists of at most so many numbers are sorted without a task, with real-cut, virtual-cut\n"
                 "and structured (default: 300, 40 and none)")
      ->check(CLI::Range(std::size_t{0}, longest));
  app.add_option("--length", given.length, "how many numbers the list has")
      ->check(CLI::Range(std::size_t{0}, longest))
      ->capture_default_str();
  app.add_option("--seed", given.seed, "which numbers")->check(CLI::NonNegativeNumber)->capture_default_str();
  app.add_option("--iterations", given.iterations, "sort the same list so often; the first time counts apart")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_flag("--oracle", given.oracle, "sort it by SACLIB's LBIBMS, too, and compare lists and times");
}

}  // namespace

int main(int argc, char** argv) {
  return program("listsort", [&] {
    const hocket::options runtime = hocket::options::from(argc, argv);
    arguments given;
    CLI::App app(
        "The bubble-merge sort of a linked list: lists of at most 10 numbers by bubble sort, longer ones\n"
        "split in halves, one sorted by a task, and merged. Figure 5 of the PACLIB paper.",
        "listsort");
    app.footer(notes);
    add_options(app, given);
    parse(app, argc, argv, given.as_json);
    const bool cut_given = app.get_option("--cut")->count() > 0;
    if (cut_given && !given.chosen().takes_cut)
      throw input_error("--cut is for --variant real-cut, virtual-cut and structured");
    if (!cut_given) given.cut = given.chosen().cut;
    if (given.oracle && !saclib_is_here())
      throw input_error(
          "--oracle needs SACLIB, which this build did not find: install libsaclib-dev and build again");
    if (given.chosen().counter == &hocket::statistics::started)  // nearly all may be there at one time
      refuse_too_many_stacks(fmt::format("--length {} with --variant {}", given.length, given.variant_name),
                             given.tasks());

    const std::vector<std::int32_t> random = random_single_words(given.length, given.seed);
    outcome result;
    hocket::run(runtime, [&] { result = sort(random, given); });
    saclib_result oracle;
    if (given.oracle) {
      oracle = saclib_sort(random, given.iterations);
      if (oracle.sorted != result.sorted) check_failed("SACLIB's LBIBMS gives another list");
    }
    (given.as_json ? report_json : report_text)(given, worker_count(runtime), result, oracle);
    return exit_success;
  });
}
