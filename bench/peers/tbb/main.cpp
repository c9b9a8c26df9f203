// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hkbench-tbb: the fork-join benchmarks on oneTBB. `default` is what its manual shows first; `tuned` shares
// one task_group_context, runs the last child directly, and uses parallel_for where the children form a
// range.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <array>
#include <optional>

#include "tbb_benches.hpp"
#include "workloads/fib.hpp"
#include "workloads/nqueens.hpp"
#include "workloads/spin_work.hpp"
#include "workloads/uts.hpp"

namespace hkbench {
namespace {

using context = tbb::task_group_context;

/// fork_join<Tuned>() is the binary fork: parallel_invoke, or a task_group of one child in a shared context.
template <bool Tuned, class F, class G>
std::pair<long, long> fork_join(context& shared, F f, G g) {
  long a = 0;
  long b = 0;
  if constexpr (Tuned) {
    tbb::task_group group(shared);
    group.run([&] { b = g(); });
    a = f();
    group.wait();
  } else {
    tbb::parallel_invoke([&] { a = f(); }, [&] { b = g(); });
  }
  return {a, b};
}

/// children<Tuned> is a group whose last child the tuned form runs itself.
template <bool Tuned>
class children {
 public:
  explicit children(context& shared) {
    if constexpr (Tuned)
      group_.emplace(shared);
    else
      group_.emplace();
  }
  template <class F>
  void add(F f, bool last) {
    if (Tuned && last)
      f();
    else
      group_->run(f);
  }
  void wait() { group_->wait(); }

 private:
  std::optional<tbb::task_group> group_;
};

template <bool Tuned>
long fib_plain(context& shared, long n) {
  if (n < 2) return n;
  const auto [a, b] = fork_join<Tuned>(
      shared, [&, n] { return fib_plain<Tuned>(shared, n - 1); },
      [&, n] { return fib_plain<Tuned>(shared, n - 2); });
  return a + b;
}

template <bool Tuned>
[[gnu::noinline]] long fib_inner(context& shared, long n);
template <bool Tuned>
inline long fib_leaf_inlined(context& shared, long n) {
  return n < 2 ? n : fib_inner<Tuned>(shared, n);
}
template <bool Tuned>
long fib_inner(context& shared, long n) {
  const auto [a, b] = fork_join<Tuned>(
      shared, [&, n] { return fib_leaf_inlined<Tuned>(shared, n - 1); },
      [&, n] { return fib_leaf_inlined<Tuned>(shared, n - 2); });
  return a + b;
}

template <bool Tuned>
long place_queens(context& shared, const board& b, int row, int queens) {
  if (row == queens) return 1;
  std::array<board, 16> next;
  std::array<long, 16> found{};
  int count = 0;
  for (int q = 0; q < queens; ++q) {
    if (hocket::apps::queens_free(b, row, q)) next[count++] = with_queen(b, row, q);
  }
  if (count == 0) return 0;
  children<Tuned> group(shared);
  for (int i = 0; i < count; ++i) {
    group.add([&, i] { found[i] = place_queens<Tuned>(shared, next[i], row + 1, queens); }, i + 1 == count);
  }
  group.wait();
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += found[i];
  return sum;
}

template <bool Tuned>
long count_nodes(context& shared, const tree& shape, tree::node node) {
  const int count = shape.child_count(node);
  if (count == 0) return 1;
  std::array<long, tree::most_children> nodes;
  children<Tuned> group(shared);
  for (int i = 0; i < count; ++i) {
    group.add([&, i] { nodes[i] = count_nodes<Tuned>(shared, shape, shape.child(node, i)); }, i + 1 == count);
  }
  group.wait();
  long sum = 1;
  for (int i = 0; i < count; ++i) sum += nodes[i];
  return sum;
}

template <bool Tuned>
long leaf_tree(context& shared, long depth, long rounds) {
  if (depth == 0) return spin(rounds);
  const auto [a, b] = fork_join<Tuned>(
      shared, [&, depth] { return leaf_tree<Tuned>(shared, depth - 1, rounds); },
      [&, depth] { return leaf_tree<Tuned>(shared, depth - 1, rounds); });
  return a + b;
}

/// in_arena() runs f on exactly `threads` threads.
template <class F>
long in_arena(unsigned threads, F f) {
  tbb::task_arena arena(static_cast<int>(threads));
  return arena.execute([&] {
    context shared;
    return f(shared);
  });
}

bool tuned(request& rq) { return rq.choice("tuning", {"default", "tuned"}) == "tuned"; }

void tbb_fib(request& rq) {
  const bool plain = rq.choice("source", {"plain", "leaf_inlined"}) == "plain";
  rq.choice("form", {"structured", "spawn"});  // a task_group serves both
  const bool tune = tuned(rq);
  const int n = static_cast<int>(rq.number("n", 30, 2, 60));
  run_fib(rq, 1, n, [&](long k) {
    return in_arena(rq.threads(), [&](context& shared) {
      if (plain) return tune ? fib_plain<true>(shared, k) : fib_plain<false>(shared, k);
      return tune ? fib_leaf_inlined<true>(shared, k) : fib_leaf_inlined<false>(shared, k);
    });
  });
}

void tbb_flat(request& rq) {
  rq.choice("form", {"structured", "spawn"});
  const bool tune = tuned(rq);
  const long count = rq.number("children", 1000000, 1, 100000000);
  rq.check_all_read();
  std::vector<char> ran(static_cast<std::size_t>(count));
  sample(rq, "ns_per_task", static_cast<double>(count), [&] {
    std::fill(ran.begin(), ran.end(), 0);
    char* const flags = ran.data();
    const double seconds = seconds_of([&] {
      in_arena(rq.threads(), [&](context& shared) {
        if (tune) {
          tbb::parallel_for(
              tbb::blocked_range<long>(0, count, 1), [flags](const auto& range) { flags[range.begin()] = 1; },
              tbb::simple_partitioner{}, shared);
        } else {
          tbb::task_group group;
          for (long i = 0; i < count; ++i) group.run([flags, i] { flags[i] = 1; });
          group.wait();
        }
        return 0L;
      });
    });
    check_equal("the number of children that ran", std::count(ran.begin(), ran.end(), 1), count);
    return seconds;
  });
}

void tbb_nqueens(request& rq) {
  const bool tune = tuned(rq);
  run_nqueens(rq, 1, [&](int queens) {
    return in_arena(rq.threads(), [&](context& shared) {
      return tune ? place_queens<true>(shared, {}, 0, queens) : place_queens<false>(shared, {}, 0, queens);
    });
  });
}

void tbb_uts(request& rq) {
  const bool tune = tuned(rq);
  run_uts(rq, 1, [&](const tree& shape) {
    return in_arena(rq.threads(), [&](context& shared) {
      return tune ? count_nodes<true>(shared, shape, shape.root())
                  : count_nodes<false>(shared, shape, shape.root());
    });
  });
}

void tbb_granularity(request& rq) {
  const bool tune = tuned(rq);
  run_granularity(rq, [&](long depth, long rounds, long times) {
    return in_arena(rq.threads(), [&](context& shared) {
      long found = 0;
      for (long i = 0; i < times; ++i)
        found += tune ? leaf_tree<true>(shared, depth, rounds) : leaf_tree<false>(shared, depth, rounds);
      return found;
    });
  });
}

void tbb_steal(request& rq) {
  const bool tune = tuned(rq);
  run_leaf_tree(rq, [&](long depth, long rounds) {
    return in_arena(rq.threads(), [&](context& shared) {
      return tune ? leaf_tree<true>(shared, depth, rounds) : leaf_tree<false>(shared, depth, rounds);
    });
  });
}

}  // namespace
}  // namespace hkbench

int main(int argc, char** argv) {
  using namespace hkbench;
  constexpr bench_entry entries[] = {
      {"fib", tbb_fib},         {"flat", tbb_flat},           {"uts", tbb_uts},
      {"nqueens", tbb_nqueens}, {"steal", tbb_steal},         {"granularity", tbb_granularity},
      {"counter", tbb_counter}, {"wavefront", tbb_wavefront},
  };
  // Without this TBB would not make more threads than there are cores.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 256);
  return run_main("tbb", entries, argc, argv);
}
