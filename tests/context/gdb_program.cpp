// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program for gdb to stop in: a function that runs in a task that has been suspended before.
#include <hocket/hocket.hpp>

extern "C" [[gnu::noinline]] int inside_a_task(int n) {
  asm volatile("" : "+r"(n));
  return n + 1;
}

int main() {
  return hocket::run(hocket::options{.workers = 2}, [] {
    hocket::event set;
    auto [a, b] =
        hocket::fork_join([&] { return set.wait(), inside_a_task(1); }, [&] { return set.set(), 2; });
    return a == b ? 0 : 1;
  });
}
