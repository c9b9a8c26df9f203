// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The doubly recursive Fibonacci function, every call a fork: the cost of a fork and join, nothing else.
#pragma once

#include <hocket/hocket.hpp>

#include <cstdint>

namespace hocket::apps {

// Largest argument whose value fits a long.
inline constexpr int fib_largest = 92;

// fib_value() is the n-th Fibonacci number by iteration, 0 <= n <= fib_largest.
constexpr long fib_value(int n) {
  long value = 0;
  long next = 1;
  for (int i = 0; i < n; ++i) {
    const long after = i + 2 <= fib_largest ? value + next : 0;
    value = next;
    next = after;
  }
  return value;
}

// fib_spawns() is how many forks the recursion for n does: its inner nodes, F(n + 1) - 1.
constexpr long fib_spawns(int n) { return n < 2 ? 0 : fib_value(n + 1) - 1; }

// fib_serial() is the same recursion by plain calls.
inline long fib_serial(long n) { return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2); }

// Structured fork-join, the source as anyone would write it: the test for a leaf inside the function that
// forks.
inline long fib_structured(long n) {
  if (n < 2) return n;
  auto [a, b] =
      hocket::fork_join([n] { return fib_structured(n - 1); }, [n] { return fib_structured(n - 2); });
  return a + b;
}

// The same with the test for a leaf visible where the child is forked: a leaf then costs no call.
long fib_structured_node(long n);

[[gnu::always_inline]] inline long fib_structured_leaf_inlined(long n) {
  return n < 2 ? n : fib_structured_node(n);
}

[[gnu::noinline]] inline long fib_structured_node(long n) {
  auto [a, b] = hocket::fork_join([n] { return fib_structured_leaf_inlined(n - 1); },
                                  [n] { return fib_structured_leaf_inlined(n - 2); });
  return a + b;
}

// By handles: a virtual task for one half, joined through get().
inline long fib_spawned(long n) {
  if (n < 2) return n;
  const auto first = hocket::spawn([n] { return fib_spawned(n - 1); });
  const long second = fib_spawned(n - 2);
  return first.get() + second;
}

long fib_spawned_node(long n);

[[gnu::always_inline]] inline long fib_spawned_leaf_inlined(long n) {
  return n < 2 ? n : fib_spawned_node(n);
}

[[gnu::noinline]] inline long fib_spawned_node(long n) {
  const auto first = hocket::spawn([n] { return fib_spawned_leaf_inlined(n - 1); });
  const long second = fib_spawned_leaf_inlined(n - 2);
  return first.get() + second;
}

}  // namespace hocket::apps
