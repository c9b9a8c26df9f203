// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios of the deque of forked children: its owner, in a task of a run with one worker, against thieves
// that are threads of the scenario. Each child must run exactly once, and its join return its result.
#include <thread>

#include <hocket/hocket.hpp>

#include "scenario.hpp"
#include "sched/deque.hpp"
#include "sched/real_task.hpp"
#include "sched/scheduler.hpp"
#include "sched/worker.hpp"

namespace explorer {
namespace {
using namespace hocket;
using detail::real_task;

// max_threads: no ticker, whose steps would be in the way.
const options one_worker{.workers = 1, .pin = false, .spin = 1, .max_threads = 1};
const options two_workers{.workers = 2, .pin = false, .spin = 1, .max_threads = 2};

/// How often each child has run. Steps are serialised, so plain ints are exact. A child lets others go on
/// while it runs: what they do meanwhile then costs none of the preemptions.
struct tally {
  int ran[8] = {};
  int run(int child) {
    ++ran[child];
    pause();
    return 1 << child;
  }
  void expect(int children) const {
    for (int i = 0; i < children; ++i) check(ran[i] == 1, "every child runs exactly once");
  }
};

void run_child(detail::slot* s) {
  if (real_task* waiting = s->run(s)) detail::make_ready(waiting);
}

/// A thief on a thread of its own: steals what is shared, else exposes.
void thief(real_task* victim, int attempts) {
  detail::worker me;
  for (int i = 0; i < attempts; ++i) {
    detail::slot* s = detail::steal_child(victim, &me);
    if (s == nullptr && detail::expose_children(victim)) s = detail::steal_child(victim, &me);
    if (s != nullptr) {
      run_child(s);
    } else {
      pause();
    }
  }
}

void nested_forks(int thieves, int attempts) {
  run(one_worker, [=] {
    std::thread other[2];
    real_task* owner = detail::current_task();
    for (int i = 0; i < thieves; ++i) other[i] = std::thread([=] { thief(owner, attempts); });
    counts_from_here();
    tally t;
    for (int round = 0; round < 2; ++round) {
      t = {};
      const auto [a, rest] = fork_join(
          [&] {
            const auto [c, d] = fork_join([&] { return t.run(0); }, [&] { return t.run(1); });
            return c + d;
          },
          [&] { return t.run(2); });
      check(a == 3 && rest == 4, "a join returns its child's result");
      t.expect(3);
    }
    counts_until_here();
    for (int i = 0; i < thieves; ++i) other[i].join();
  });
}

void fork_steal() { nested_forks(1, 3); }
void fork_two_thieves() { nested_forks(2, 2); }

struct scope_child {
  tally* t;
  int number;
  int operator()() const { return t->run(number); }
};

/// Six children; the owner lets the thief go on when most of them are private.
void scope_against(void (*other_side)(real_task*)) {
  run(one_worker, [=] {
    real_task* owner = detail::current_task();
    std::thread other([=] { other_side(owner); });
    counts_from_here();
    tally t;
    int sum = 0;
    {
      fork_scope<scope_child> children;
      for (int i = 0; i < 6; ++i) {
        children.fork(scope_child{&t, i});
        if (i == 4) pause();
      }
      children.join([&](int r) { sum += r; });
    }
    t.expect(6);
    check(sum == 63, "a join returns its child's result");
    counts_until_here();
    other.join();
  });
}

void fork_scope_steal() {
  scope_against([](real_task* owner) { thief(owner, 4); });
}

/// The thief exposes first, takes all it finds, and only then runs it.
void fork_expose() {
  scope_against([](real_task* owner) {
    detail::worker me;
    for (int round = 0; round < 3; ++round) {
      if (round != 0) detail::expose_children(owner);
      detail::slot* taken[6];
      int n = 0;
      while (n < (round == 0 ? 1 : 6) && (taken[n] = detail::steal_child(owner, &me)) != nullptr) ++n;
      for (int i = 0; i < n; ++i) run_child(taken[i]);
      pause();
    }
  });
}

/// The owner blocks with children in its deque: it gives the newest to its worker, thieves take the oldest.
void fork_give() {
  run(one_worker, [] {
    real_task* owner = detail::current_task();
    std::thread other([=] { thief(owner, 3); });
    counts_from_here();
    tally t;
    for (int round = 0; round < 2; ++round) {
      t = {};
      event set;
      const auto [first, rest] = fork_join(
          [&] {
            const auto [a, b] =
                fork_join([&] { return set.wait(), t.run(0); }, [&] { return set.set(), t.run(1); });
            const auto [c, d] = fork_join([&] { return t.run(2); }, [&] { return t.run(3); });
            return a + b + c + d;
          },
          [&] { return t.run(4); });
      check(first == 15 && rest == 16, "a join returns its child's result");
      t.expect(5);
    }
    counts_until_here();
    other.join();
  });
}

/// Forks inside children, on two workers of the whole kernel.
void fork_tree() {
  tally t;
  run(two_workers, [&] {
    counts_from_here();
    const auto half = [&](int from) {
      const auto [a, b] = fork_join([&, from] { return t.run(from); }, [&, from] { return t.run(from + 1); });
      return a + b;
    };
    const auto [a, b] = fork_join([&] { return half(0); }, [&] { return half(2); });
    check(a + b == 15, "a join returns its child's result");
  });
  t.expect(4);
}

}  // namespace

scenarios deque_scenarios() {
  return {
      {"fork_steal", "nested fork_join against one thief that steals and exposes", fork_steal},
      {"fork_two_thieves", "the same against two thieves", fork_two_thieves},
      {"fork_scope_steal", "fork_scope with six children against one thief", fork_scope_steal},
      {"fork_expose", "the same against a thief that exposes, takes all, then runs them", fork_expose},
      {"fork_give", "a task that blocks gives its newest child away, a thief steals the oldest", fork_give},
      {"fork_tree", "a tree of forks on two workers", fork_tree}};
}

}  // namespace explorer
