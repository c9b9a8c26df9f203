// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sync: a variable that is full or empty; each value that is written is read once.
#include <hocket/hocket.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    hocket::sync<int> ball;  // empty. (Say hocket::sync: <unistd.h> has a function of that name.)
    hocket::sync<int> back;
    const auto other = hocket::spawn([&] {
      for (int i = 0; i < 1000; ++i) back.writeEF(ball.readFE() + 1);
    });
    int value = 0;
    for (int i = 0; i < 1000; ++i) {
      ball.writeEF(value);
      value = back.readFE();
    }
    other.wait();
    std::printf("after 1000 turns: %d\n", value);
    return value == 1000 ? 0 : 1;
  });
}
