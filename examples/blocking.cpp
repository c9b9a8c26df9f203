// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// blocking: a call that blocks in the system, while the worker runs other tasks.
#include <hocket/hocket.hpp>

#include <unistd.h>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    int ends[2];
    if (pipe(ends) != 0) return 1;
    // With one worker, too: it writes while a thread apart waits for the byte.
    hocket::task<void> writer = hocket::start([&] { (void)!write(ends[1], "!", 1); });
    char byte = 0;
    const auto got = hocket::blocking([&] { return read(ends[0], &byte, 1); });
    writer.wait();
    close(ends[0]);
    close(ends[1]);
    return got == 1 && byte == '!' ? 0 : 1;
  });
}
