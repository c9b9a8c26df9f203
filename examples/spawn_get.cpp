// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// spawn and get: a task with a handle; its result, or its exception, comes out of every get().
#include <hocket/hocket.hpp>

#include <stdexcept>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    auto answer = hocket::spawn([] { return 42; });
    auto failure = hocket::spawn([]() -> int { throw std::runtime_error("no answer"); });
    auto copy = answer;
    int caught = 0;
    try {
      failure.get();
    } catch (const std::runtime_error&) {
      caught = 1;
    }
    return answer.get() == 42 && copy.get() == 42 && caught == 1 ? 0 : 1;
  });
}
