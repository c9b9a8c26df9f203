// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The PACLIB paper's measurements: what it takes to start a task and to wait for one (figure 2), how small a
// task may be (figure 3), and the sorting of lists (figure 5).
#include <algorithm>
#include <vector>

#include "common/process_use.hpp"
#include "granularity/granularity.hpp"
#include "hocket_benches.hpp"
#include "listsort/listsort.hpp"
#include "listsort/numbers.hpp"
#include "workloads/spin_work.hpp"

namespace hkbench {
namespace {

namespace apps = hocket::apps;

/// The paper's unit: a call of a function with four arguments, which is not in-lined.
[[gnu::noinline]] long four_arguments(long a, long b, long c, long d) {
  asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
  return a + b + c + d;
}

constexpr long calls = 1'000'000;

double ns_per_call() {
  long sum = 0;
  const double seconds = seconds_of([&] {
    for (long i = 0; i < calls; ++i) sum += four_arguments(i, 1, 2, 3);
  });
  check_equal("the sum of the calls", sum, calls * (calls - 1) / 2 + 6 * calls);
  return seconds * 1e9 / calls;
}

struct two_times {
  double start_ns, wait_ns;
};

/// Rounds of so many starts, then a wait for each, its result read and its handle given back.
template <class Start>
two_times start_and_wait(long tasks, long rounds, Start start) {
  std::vector<decltype(start(0L))> handles;
  handles.reserve(static_cast<std::size_t>(tasks));
  double starting = 0, waiting = 0;
  long sum = 0;
  for (long r = 0; r <= rounds; ++r) {
    const double begin = now_s();
    for (long i = 0; i < tasks; ++i) handles.push_back(start(i));
    const double between = now_s();
    while (!handles.empty()) {
      sum += handles.back().get();
      handles.pop_back();
    }
    const double end = now_s();
    if (r == 0) continue;  // the first round gets the memory
    starting += between - begin;
    waiting += end - between;
  }
  check_equal("the sum of the results", sum, (rounds + 1) * (tasks * (tasks - 1) / 2 + 6 * tasks));
  const double operations = static_cast<double>(tasks * rounds);
  return {starting * 1e9 / operations, waiting * 1e9 / operations};
}

apps::list_cell* sort_by(const std::string& variant, apps::list_cell* list, std::size_t n) {
  if (variant == "real") return apps::listsort_real(list, n, 0);
  if (variant == "real-cut") return apps::listsort_real(list, n, apps::listsort_real_cut);
  if (variant == "virtual") return apps::listsort_virtual(list, n, 0);
  if (variant == "virtual-cut") return apps::listsort_virtual(list, n, apps::listsort_virtual_cut);
  if (variant == "structured") return apps::listsort_structured(list, n, 0);
  return apps::listsort_serial(list, n);
}

struct sorting {
  double seconds = 0;
  double page_faults = 0;
};

sorting sort_once(apps::number_list& numbers, const std::string& variant, std::size_t n) {
  apps::list_cell* list = numbers.make();
  const auto faults = apps::page_faults();
  const double seconds = seconds_of([&] { list = sort_by(variant, list, n); });
  const auto more = static_cast<double>(apps::page_faults() - faults);
  if (const char* problem = numbers.problem_of(list)) throw check_failed(problem);
  return {seconds, more};
}

}  // namespace

/// taskops: the time to start a task and the time to wait for one, in calls of a function with four
/// arguments.
void hocket_taskops(request& rq) {
  const bool is_virtual = rq.choice("task", {"virtual", "real"}) == "virtual";
  const long tasks = rq.number("tasks", 100, 1, 1000000);
  const long rounds = rq.number("rounds", 10000, 1, 10000000);
  rq.check_all_read();
  const auto run_one = [](long i) { return [i] { return four_arguments(i, 1, 2, 3); }; };
  in_run(rq, [&] {
    for (unsigned i = 0; i < rq.samples(); ++i) {
      const double call = ns_per_call();
      const two_times t =
          is_virtual ? start_and_wait(tasks, rounds, [&](long k) { return hocket::spawn(run_one(k)); })
                     : start_and_wait(tasks, rounds, [&](long k) { return hocket::start(run_one(k)); });
      rq.row("ns_per_call", "ns", call);
      rq.row("ns_per_start", "ns", t.start_ns);
      rq.row("ns_per_wait", "ns", t.wait_ns);
      rq.row("calls_per_start", "calls", t.start_ns / call);
      rq.row("calls_per_wait", "calls", t.wait_ns / call);
    }
  });
}

/// granularity: the efficiency of a balanced tree of tasks with leaves of grain_ns.
void hocket_granularity(request& rq) {
  const std::string form = rq.choice("form", {"structured", "virtual", "real"});
  const bool traced = rq.choice("trace", {"off", "on"}) == "on";
  const trace_file file;
  const hocket::options options{.trace = traced ? file.path() : ""};
  const auto body = [&] {
    run_granularity(rq, [&](long depth, long rounds, long times) {
      const auto leaf = [rounds] { return spin(rounds); };
      const int d = static_cast<int>(depth);
      long found = 0;
      for (long i = 0; i < times; ++i) {
        found += form == "structured" ? apps::granularity_structured(d, leaf)
                 : form == "virtual"  ? apps::granularity_virtual(d, leaf)
                                      : apps::granularity_real(d, leaf);
      }
      return found;
    });
  };
  in_run(rq, body, options);
}

/// listsort: the efficiency of SACLIB's bubble-merge sort of a list by tasks, of the first iteration and of
/// later ones, whose median counts; and how many real tasks there were at once.
void hocket_listsort(request& rq) {
  const std::string variant = rq.choice("form", {"virtual", "virtual-cut", "real", "real-cut", "structured"});
  const auto n = static_cast<std::size_t>(rq.number("length", 8000, 1, 100000000));
  const long iterations = rq.number("iterations", 101, 3, 100000);
  rq.check_all_read();
  const std::vector<std::int32_t> random = apps::random_single_words(n, 1);
  apps::number_list numbers(random);
  std::vector<double> serial, later;
  sorting first;
  in_run(rq, [&] {
    for (long i = 0; i < 3; ++i) sort_once(numbers, "serial", n);
    first = sort_once(numbers, variant, n);
    for (long i = 1; i < iterations; ++i) {  // in turn
      serial.push_back(sort_once(numbers, "serial", n).seconds);
      later.push_back(sort_once(numbers, variant, n).seconds);
    }
  });
  const double one = apps::median(serial);
  rq.row("efficiency", "ratio", one / (apps::median(later) * rq.threads()));
  rq.row("first_efficiency", "ratio", one / (first.seconds * rq.threads()));
  rq.row("first_page_faults", "faults", first.page_faults);
  rq.row("peak_mib", "MiB", static_cast<double>(apps::peaks_of_memory().resident) / (1 << 20));
  const trace_file file;  // real tasks are counted in a run of their own, for that takes time
  in_run(rq, [&] { sort_once(numbers, variant, n); }, {.trace = file.path()});
  rq.row("reals_at_once", "tasks", static_cast<double>(hocket::stats().reals_at_once));
}

}  // namespace hkbench
