// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// counter: waits until so many things are done, whoever does them.
#include <hocket/hocket.hpp>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    constexpr int n = 1000;
    std::vector<int> squares(n);
    hocket::counter left(n);
    for (int i = 0; i < n; ++i) {
      hocket::begin([&, i] {
        squares[static_cast<std::size_t>(i)] = i * i;
        left.done();
      });
    }
    left.wait();
    long sum = 0;
    for (const int s : squares) sum += s;
    std::printf("sum of squares %ld\n", sum);
    return sum == 332'833'500 ? 0 : 1;
  });
}
