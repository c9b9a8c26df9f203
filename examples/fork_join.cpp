// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fork_join: a recursion whose two halves may run in parallel.
#include <hocket/hocket.hpp>

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = hocket::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] { return fib(25) == 75025 ? 0 : 1; });
}
