// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full/empty words: a buffer of one element, which is any word of memory.
#include <hocket/hocket.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    double cell = 0;      // words are full from the beginning
    hocket::empty(cell);  // now a read waits for a write

    const auto producer = hocket::spawn([&] {
      for (int i = 1; i <= 100; ++i) hocket::writeEF(cell, i / 2.0);  // waits until the last one was taken
    });
    double sum = 0;
    for (int i = 1; i <= 100; ++i) sum += hocket::readFE(cell);
    producer.wait();
    hocket::fill(cell);  // a word is given back full

    // Without waiting, and with a limit.
    const bool refused = !hocket::try_writeEF(cell, 1.0);
    const bool too_late = !hocket::writeEF_for(cell, 1.0, std::chrono::milliseconds(1));

    std::printf("sum %g\n", sum);
    return sum == 2525 && refused && too_late ? 0 : 1;
  });
}
