// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fork-join workloads with every fork replaced by a forced plain call; several threads each do all of it,
// which shows what the cores together could reach.
#include "common/plain_threads.hpp"
#include "floor.hpp"
#include "workloads/fib.hpp"
#include "workloads/nqueens.hpp"
#include "workloads/uts.hpp"

namespace hkbench {
namespace {

/// opaque() keeps the compiler from turning a recursion into a loop or merging its calls.
inline long opaque(long value) {
  asm volatile("" : "+r"(value));
  return value;
}

[[gnu::noinline]] long fib_plain(long n) {
  if (n < 2) return n;
  const long a = opaque(fib_plain(n - 1));
  const long b = opaque(fib_plain(n - 2));
  return a + b;
}

[[gnu::noinline]] long fib_inner(long n);
inline long fib_leaf_inlined(long n) { return n < 2 ? n : fib_inner(n); }
long fib_inner(long n) {
  const long a = opaque(fib_leaf_inlined(n - 1));
  const long b = opaque(fib_leaf_inlined(n - 2));
  return a + b;
}

[[gnu::noinline]] long empty_child() { return opaque(1); }

[[gnu::noinline]] long count_solutions(const board& b, int row, int queens) {
  if (row == queens) return 1;
  long found = 0;
  for (int q = 0; q < queens; ++q) {
    if (hocket::apps::queens_free(b, row, q)) {
      found += opaque(count_solutions(with_queen(b, row, q), row + 1, queens));
    }
  }
  return found;
}

[[gnu::noinline]] long count_nodes(const tree& shape, tree::node node) {
  long nodes = 1;
  const int children = shape.child_count(node);
  for (int i = 0; i < children; ++i) nodes += opaque(count_nodes(shape, shape.child(node, i)));
  return nodes;
}

/// in_lanes() has every thread compute the same and returns the first one's result.
template <class F>
long in_lanes(unsigned lanes, F compute) {
  long result = 0;
  seconds_on_threads(lanes, [&](unsigned lane) {
    const long own = compute();
    if (lane == 0) result = own;
  });
  return result;
}

}  // namespace

void floor_fib(request& rq) {
  const bool plain = rq.choice("source", {"plain", "leaf_inlined"}) == "plain";
  const int n = static_cast<int>(rq.number("n", 36, 2, 60));
  run_fib(rq, rq.threads(), n, [&](long k) {
    return in_lanes(rq.threads(), [=] { return plain ? fib_plain(k) : fib_leaf_inlined(k); });
  });
}

void floor_flat(request& rq) {
  const long children = rq.number("children", 1000000, 1, 100000000);
  rq.check_all_read();
  sample(rq, "ns_per_task", static_cast<double>(children) * rq.threads(), [&] {
    long ran = 0;
    const double seconds = seconds_of([&] {
      ran = in_lanes(rq.threads(), [=] {
        long sum = 0;
        for (long i = 0; i < children; ++i) sum += empty_child();
        return sum;
      });
    });
    check_equal("the number of children that ran", ran, children);
    return seconds;
  });
}

void floor_uts(request& rq) {
  run_uts(rq, rq.threads(), [&](const tree& shape) {
    return in_lanes(rq.threads(), [&] { return count_nodes(shape, shape.root()); });
  });
}

void floor_nqueens(request& rq) {
  run_nqueens(rq, rq.threads(), [&](int queens) {
    return in_lanes(rq.threads(), [=] { return count_solutions(board{}, 0, queens); });
  });
}

}  // namespace hkbench
