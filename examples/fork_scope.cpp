// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fork_scope: a loop of children, joined with their results.
#include <hocket/hocket.hpp>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    const auto square_of = [](long i) { return [i] { return i * i; }; };
    hocket::fork_scope<decltype(square_of(0))> children;
    for (long i = 1; i <= 1000; ++i) children.fork(square_of(i));
    long sum = 0;
    children.join([&](long square) { sum += square; });
    return sum == 1000L * 1001 * 2001 / 6 ? 0 : 1;
  });
}
