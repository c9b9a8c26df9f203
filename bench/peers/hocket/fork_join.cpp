// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fork-join benchmarks; the counters must agree with the number of forks that the source does.
#include <vector>

#include "hocket_benches.hpp"
#include "nqueens/nqueens.hpp"
#include "uts/uts.hpp"
#include "workloads/fib.hpp"
#include "workloads/nqueens.hpp"
#include "workloads/spin_work.hpp"
#include "workloads/uts.hpp"

namespace hkbench {
namespace {

namespace apps = hocket::apps;

/// check_forks() holds the counters of structured forks against the source's number of forks.
void check_forks(const hocket::statistics& before, long expected) {
  const hocket::statistics now = hocket::stats();
  const auto difference = [](auto later, auto earlier) { return static_cast<long long>(later - earlier); };
  check_equal("the counter `forked`", difference(now.forked, before.forked), expected);
  check_equal("the counters `joined_inline` + `joined_stolen`",
              difference(now.joined_inline + now.joined_stolen, before.joined_inline + before.joined_stolen),
              expected);
}

/// check_spawns() does the same for tasks with handles.
void check_spawns(const hocket::statistics& before, long expected) {
  const hocket::statistics now = hocket::stats();
  check_equal("the counter `spawned`", static_cast<long long>(now.spawned - before.spawned), expected);
  check_equal("the counter `finished`", static_cast<long long>(now.finished - before.finished), expected);
}

struct empty_child {
  long operator()() const { return 1; }
};

double flat_structured(long children) {
  long ran = 0;
  const double seconds = seconds_of([&] {
    hocket::fork_scope<empty_child> scope;
    for (long i = 0; i < children; ++i) scope.fork(empty_child{});
    scope.join([&ran](long one) { ran += one; });
  });
  check_equal("the number of children that ran", ran, children);
  return seconds;
}

double flat_spawned(std::vector<hocket::task<long>>& handles, long children) {
  const double spawn_and_wait = seconds_of([&] {
    for (long i = 0; i < children; ++i) handles.push_back(hocket::spawn(empty_child{}));
    hocket::wait_all(handles);
  });
  long ran = 0;
  for (const auto& handle : handles) ran += handle.get();
  check_equal("the number of children that ran", ran, children);
  return spawn_and_wait +
         seconds_of([&] { handles.clear(); });  // giving the handles back is part of their cost
}

long leaf_tree(long depth, long rounds) {
  if (depth == 0) return spin(rounds);
  const auto [a, b] = hocket::fork_join([=] { return leaf_tree(depth - 1, rounds); },
                                        [=] { return leaf_tree(depth - 1, rounds); });
  return a + b;
}

}  // namespace

void hocket_fib(request& rq) {
  const bool plain = rq.choice("source", {"plain", "leaf_inlined"}) == "plain";
  const bool structured = rq.choice("form", {"structured", "spawn"}) == "structured";
  const int n = static_cast<int>(rq.number("n", 36, 2, 60));
  rq.check_all_read();
  in_run(rq, [&] {
    const hocket::statistics before = hocket::stats();
    run_fib(rq, 1, n, [&](long k) {
      if (structured) return plain ? apps::fib_structured(k) : apps::fib_structured_leaf_inlined(k);
      return plain ? apps::fib_spawned(k) : apps::fib_spawned_leaf_inlined(k);
    });
    const long spawns = apps::fib_spawns(n) * (1 + static_cast<long>(rq.samples()));
    if (structured)
      check_forks(before, spawns);
    else
      check_spawns(before, spawns);
  });
}

void hocket_flat(request& rq) {
  const bool structured = rq.choice("form", {"structured", "spawn"}) == "structured";
  const long children = rq.number("children", 1000000, 1, 100000000);
  rq.check_all_read();
  in_run(rq, [&] {
    std::vector<hocket::task<long>> handles;
    if (!structured) handles.reserve(static_cast<std::size_t>(children));
    const hocket::statistics before = hocket::stats();
    sample(rq, "ns_per_task", static_cast<double>(children),
           [&] { return structured ? flat_structured(children) : flat_spawned(handles, children); });
    const long made = children * (1 + static_cast<long>(rq.samples()));
    if (structured)
      check_forks(before, made);
    else
      check_spawns(before, made);
  });
}

void hocket_uts(request& rq) {
  in_run(rq, [&] {
    run_uts(rq, 1, [](const tree& shape) {
      return static_cast<long>(apps::uts_search<apps::uts_count>(shape).nodes);
    });
  });
}

void hocket_nqueens(request& rq) {
  in_run(rq, [&] {
    run_nqueens(rq, 1, [](int queens) { return apps::queens_forked(apps::queens_board{}, 0, queens); });
  });
}

void hocket_steal(request& rq) {
  in_run(rq, [&] { run_leaf_tree(rq, [](long depth, long rounds) { return leaf_tree(depth, rounds); }); });
}

}  // namespace hkbench
