// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// channel: a pipeline of three tasks. Each hands on what it has done; a full channel holds the faster one
// back.
#include <hocket/hocket.hpp>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    hocket::channel<int> numbers(16), squares(0);  // up to 16 lie in between; none: hand to hand
    hocket::begin([&] {
      for (int i = 1; i <= 100; ++i) numbers.send(i);
      numbers.close();
    });
    hocket::begin([&] {
      for (const int n : numbers) squares.send(n * n);  // until it is closed and empty
      squares.close();
    });
    int sum = 0;
    while (const auto square = squares.receive()) sum += *square;
    return sum == 338350 ? 0 : 1;
  });
}
