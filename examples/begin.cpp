// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// begin: tasks that nobody waits for; run() returns only after they have ended.
#include <hocket/hocket.hpp>

#include <atomic>

int main(int argc, char** argv) {
  std::atomic<int> ended{0};
  const int code = hocket::run(argc, argv, [&] {
    for (int i = 0; i < 10; ++i) hocket::begin([&] { ++ended; });
  });
  return code == 0 && ended == 10 ? 0 : 1;
}
