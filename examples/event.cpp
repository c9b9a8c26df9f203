// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// event: set once, it wakes all who wait; a task that waits costs no core. Threads that are no tasks may set and wait.
#include <hocket/hocket.hpp>

#include <thread>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    hocket::event question, answer;
    int value = 0;
    std::thread oracle([&] {
      question.wait();
      value = 42;
      answer.set();
    });
    question.set();
    answer.wait();  // other tasks run meanwhile
    oracle.join();
    return value == 42 ? 0 : 1;
  });
}
