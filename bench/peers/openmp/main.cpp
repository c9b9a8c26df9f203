// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hkbench-libgomp and hkbench-libomp: the fork-join benchmarks on OpenMP tasks; the compiler decides which
// runtime. `default`: a tied task for every child. `tuned`: untied tasks, the last child called directly,
// threads bound and spinning (by environment, so the program starts itself again), and a taskloop where the
// children form a range.
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "common/harness.hpp"
#include "workloads/fib.hpp"
#include "workloads/nqueens.hpp"
#include "workloads/spin_work.hpp"
#include "workloads/uts.hpp"

#ifndef HKBENCH_OPENMP_VARIANT
#error "define HKBENCH_OPENMP_VARIANT as the name of the OpenMP runtime"
#endif

namespace hkbench {
namespace {

template <bool Tuned, class F, class G>
inline std::pair<long, long> fork_join(F f, G g) {
  long a = 0;
  long b = 0;
  if constexpr (Tuned) {
#pragma omp task untied shared(b, g)
    b = g();
    a = f();
  } else {
#pragma omp task shared(a, f)
    a = f();
#pragma omp task shared(b, g)
    b = g();
  }
#pragma omp taskwait
  return {a, b};
}

template <bool Tuned>
long fib_plain(long n) {
  if (n < 2) return n;
  const auto [a, b] =
      fork_join<Tuned>([n] { return fib_plain<Tuned>(n - 1); }, [n] { return fib_plain<Tuned>(n - 2); });
  return a + b;
}

template <bool Tuned>
[[gnu::noinline]] long fib_inner(long n);
template <bool Tuned>
inline long fib_leaf_inlined(long n) {
  return n < 2 ? n : fib_inner<Tuned>(n);
}
template <bool Tuned>
long fib_inner(long n) {
  const auto [a, b] = fork_join<Tuned>([n] { return fib_leaf_inlined<Tuned>(n - 1); },
                                       [n] { return fib_leaf_inlined<Tuned>(n - 2); });
  return a + b;
}

/// for_children() runs child(i) for all i as tasks and waits for them.
template <bool Tuned, class F>
inline void for_children(int count, F child) {
  for (int i = 0; i < count; ++i) {
    if constexpr (Tuned) {
      if (i + 1 == count) {
        child(i);
      } else {
#pragma omp task untied firstprivate(i) shared(child)
        child(i);
      }
    } else {
#pragma omp task firstprivate(i) shared(child)
      child(i);
    }
  }
#pragma omp taskwait
}

template <bool Tuned>
long place_queens(const board& b, int row, int queens) {
  if (row == queens) return 1;
  std::array<board, 16> next;
  std::array<long, 16> found{};
  int count = 0;
  for (int q = 0; q < queens; ++q) {
    if (hocket::apps::queens_free(b, row, q)) next[count++] = with_queen(b, row, q);
  }
  for_children<Tuned>(count, [&](int i) { found[i] = place_queens<Tuned>(next[i], row + 1, queens); });
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += found[i];
  return sum;
}

template <bool Tuned>
long count_nodes(const tree& shape, tree::node node) {
  const int count = shape.child_count(node);
  if (count == 0) return 1;
  std::array<long, tree::most_children> nodes;
  for_children<Tuned>(count, [&](int i) { nodes[i] = count_nodes<Tuned>(shape, shape.child(node, i)); });
  long sum = 1;
  for (int i = 0; i < count; ++i) sum += nodes[i];
  return sum;
}

template <bool Tuned>
long leaf_tree(long depth, long rounds) {
  if (depth == 0) return spin(rounds);
  const auto [a, b] = fork_join<Tuned>([=] { return leaf_tree<Tuned>(depth - 1, rounds); },
                                       [=] { return leaf_tree<Tuned>(depth - 1, rounds); });
  return a + b;
}

// The two flat loops are functions of their own: g++ 12 and clang 19 crash over a taskloop within a lambda.
void flat_tasks(char* flags, long count) {
  for (long i = 0; i < count; ++i) {
#pragma omp task firstprivate(i, flags)
    flags[i] = 1;
  }
#pragma omp taskwait
}

void flat_taskloop(char* flags, unsigned long count) {
#pragma omp taskloop grainsize(1) untied
  for (unsigned long i = 0; i < count; ++i) flags[i] = 1;
}

/// in_team() runs f once, on one thread of a team.
template <class F>
long in_team(unsigned threads, F f) {
  long result = 0;
#pragma omp parallel num_threads(threads) shared(result)
#pragma omp single
  result = f();
  return result;
}

bool tuned(request& rq) { return rq.choice("tuning", {"default", "tuned"}) == "tuned"; }

void openmp_fib(request& rq) {
  const bool plain = rq.choice("source", {"plain", "leaf_inlined"}) == "plain";
  rq.choice("form", {"structured", "spawn"});  // a task serves both
  const bool tune = tuned(rq);
  const int n = static_cast<int>(rq.number("n", 30, 2, 60));
  run_fib(rq, 1, n, [&](long k) {
    return in_team(rq.threads(), [&] {
      if (plain) return tune ? fib_plain<true>(k) : fib_plain<false>(k);
      return tune ? fib_leaf_inlined<true>(k) : fib_leaf_inlined<false>(k);
    });
  });
}

void openmp_flat(request& rq) {
  rq.choice("form", {"structured", "spawn"});
  const bool tune = tuned(rq);
  const long count = rq.number("children", 1000000, 1, 100000000);
  rq.check_all_read();
  std::vector<char> ran(static_cast<std::size_t>(count));
  sample(rq, "ns_per_task", static_cast<double>(count), [&] {
    std::fill(ran.begin(), ran.end(), 0);
    char* const flags = ran.data();
    const double seconds = seconds_of([&] {
      in_team(rq.threads(), [&] {
        if (tune) {
          flat_taskloop(flags, static_cast<unsigned long>(count));
        } else {
          flat_tasks(flags, count);
        }
        return 0L;
      });
    });
    check_equal("the number of children that ran", std::count(ran.begin(), ran.end(), 1), count);
    return seconds;
  });
}

void openmp_nqueens(request& rq) {
  const bool tune = tuned(rq);
  run_nqueens(rq, 1, [&](int queens) {
    return in_team(rq.threads(), [&] {
      return tune ? place_queens<true>({}, 0, queens) : place_queens<false>({}, 0, queens);
    });
  });
}

void openmp_uts(request& rq) {
  const bool tune = tuned(rq);
  run_uts(rq, 1, [&](const tree& shape) {
    return in_team(rq.threads(), [&] {
      return tune ? count_nodes<true>(shape, shape.root()) : count_nodes<false>(shape, shape.root());
    });
  });
}

void openmp_granularity(request& rq) {
  const bool tune = tuned(rq);
  run_granularity(rq, [&](long depth, long rounds, long times) {
    return in_team(rq.threads(), [&] {
      long found = 0;
      for (long i = 0; i < times; ++i)
        found += tune ? leaf_tree<true>(depth, rounds) : leaf_tree<false>(depth, rounds);
      return found;
    });
  });
}

void openmp_steal(request& rq) {
  const bool tune = tuned(rq);
  run_leaf_tree(rq, [&](long depth, long rounds) {
    return in_team(rq.threads(),
                   [&] { return tune ? leaf_tree<true>(depth, rounds) : leaf_tree<false>(depth, rounds); });
  });
}

/// restart_tuned() starts this program again with threads bound and spinning: the runtime read its
/// environment before main() began.
void restart_tuned(char** argv) {
  if (std::getenv("HKBENCH_RESTARTED")) return;
  setenv("HKBENCH_RESTARTED", "1", 1);
  setenv("OMP_PROC_BIND", "close", 0);
  setenv("OMP_PLACES", "cores", 0);
  setenv("OMP_WAIT_POLICY", "active", 0);
  execv("/proc/self/exe", argv);
  // If this fails the run goes on with the environment as it is.
}

}  // namespace
}  // namespace hkbench

int main(int argc, char** argv) {
  using namespace hkbench;
  if (argc > 1 && asks_for(argc, argv, "tuning=tuned")) restart_tuned(argv);
  constexpr bench_entry entries[] = {
      {"fib", openmp_fib},         {"flat", openmp_flat},   {"uts", openmp_uts},
      {"nqueens", openmp_nqueens}, {"steal", openmp_steal}, {"granularity", openmp_granularity},
  };
  return run_main(HKBENCH_OPENMP_VARIANT, entries, argc, argv);
}
