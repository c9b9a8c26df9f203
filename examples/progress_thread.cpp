// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// start_progress_thread: an OS thread beside the workers that serves requests whatever the tasks do.
#include <hocket/hocket.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    hocket::sync<int> request, reply;
    hocket::progress_thread server = hocket::start_progress_thread([&](std::stop_token) {
      while (const int n = request.readFE()) reply.writeEF(n * n);  // waiting parks the thread; 0 ends it
    });
    long sum = 0;
    for (int i = 1; i <= 100; ++i) {
      request.writeEF(i);
      sum += reply.readFE();  // only this task waits
    }
    request.writeEF(0);
    server.stop();
    std::printf("sum %ld\n", sum);
    return sum == 338'350 ? 0 : 1;
  });
}
