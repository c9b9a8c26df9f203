// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel as a whole: tasks made by a thread that is none, more workers than cores, and what the features
// that are always there cost.
#include <algorithm>
#include <vector>

#include "fib/fib.hpp"
#include "hocket_benches.hpp"
#include "nqueens/nqueens.hpp"
#include "workloads/fib.hpp"
#include "workloads/nqueens.hpp"

namespace hkbench {
namespace {

namespace apps = hocket::apps;

double spawn_and_wait(std::vector<hocket::task<long>>& handles, long children) {
  const double seconds = seconds_of([&] {
    for (long i = 0; i < children; ++i) handles.push_back(hocket::spawn([] { return 1L; }));
    hocket::wait_all(handles);
  });
  long ran = 0;
  for (const auto& handle : handles) ran += handle.get();
  check_equal("the number of children that ran", ran, children);
  return seconds + seconds_of([&] { handles.clear(); });
}

}  // namespace

/// foreign: `flat` with handles, made and waited for by a task and by a thread that is none, in turn.
void hocket_foreign(request& rq) {
  const long children = rq.number("children", 1000000, 1, 100000000);
  rq.check_all_read();
  hocket::options options = hocket::options::from_environment();
  options.workers = rq.threads();
  hocket::initialize(options);
  std::vector<hocket::task<long>> handles;
  handles.reserve(static_cast<std::size_t>(children));
  const auto by_task = [&] { return hocket::start([&] { return spawn_and_wait(handles, children); }).get(); };
  const auto by_thread = [&] { return spawn_and_wait(handles, children); };
  by_task();
  by_thread();
  for (unsigned i = 0; i < rq.samples(); ++i) {
    const double task = by_task(), thread = by_thread();
    rq.row("ns_per_task", "ns", task * 1e9 / static_cast<double>(children), {{"from", "task"}});
    rq.row("ns_per_task", "ns", thread * 1e9 / static_cast<double>(children), {{"from", "thread"}});
    rq.row("ratio_to_task", "ratio", thread / task);
  }
  hocket::finalize();
}

/// crowded: `nqueens` on many workers against as many as there are cores, in turn.
void hocket_crowded(request& rq) {
  const int queens = static_cast<int>(rq.number("queens", 12, 1, apps::queens_largest));
  const auto many = static_cast<unsigned>(rq.number("many", 64, 2, 1024));
  rq.check_all_read();
  const auto on = [&](unsigned workers) {
    hocket::options options = hocket::options::from_environment();
    options.workers = workers;
    long found = 0;
    double seconds = 0;
    hocket::run(options, [&] {
      seconds = seconds_of([&] { found = apps::queens_forked(apps::queens_board{}, 0, queens); });
    });
    check_equal("the number of placements", found, apps::queens_solutions[static_cast<std::size_t>(queens)]);
    return seconds;
  };
  on(rq.threads());
  on(many);
  for (unsigned i = 0; i < rq.samples(); ++i) {
    const double few = on(rq.threads());
    rq.row("ratio_to_few", "ratio", on(many) / few);
  }
}

/// features: fib with nothing in use, with all tasks of high priority, and with a trace, in turn.
/// What the counters cost is shown by the same program built without them (variant hocket-uncounted).
void hocket_features(request& rq) {
  const int n = static_cast<int>(rq.number("n", 34, 2, 60));
  rq.check_all_read();
  const double spawns = static_cast<double>(apps::fib_spawns(n));
  const auto fib = [&] {
    long value = 0;
    const double seconds = seconds_of([&] { value = apps::fib_structured(n); });
    check_equal("fib(" + std::to_string(n) + ")", value, apps::fib_value(n));
    return seconds * 1e9 / spawns;
  };
  const auto plain = [&](hocket::priority level) {
    double ns = 0;
    in_run(rq, [&] { ns = hocket::start({.priority = level}, fib).get(); });
    return ns;
  };
  const auto with_trace = [&] {
    const trace_file file;
    double ns = 0;
    in_run(rq, [&] { ns = hocket::start(fib).get(); }, {.trace = file.path()});
    return ns;
  };
  plain(hocket::priority::normal);
  for (unsigned i = 0; i < rq.samples(); ++i) {
    rq.row("ns_per_spawn", "ns", plain(hocket::priority::normal), {{"in_use", "nothing"}});
    rq.row("ns_per_spawn", "ns", plain(hocket::priority::high), {{"in_use", "priorities"}});
    rq.row("ns_per_spawn", "ns", with_trace(), {{"in_use", "trace"}});
  }
}

}  // namespace hkbench
