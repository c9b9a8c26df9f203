// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// start: a task that is real at once, and so gets its turn among the ready ones.
#include <hocket/hocket.hpp>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    const auto mine = hocket::this_task::id();
    auto other = hocket::start([] { return hocket::this_task::id(); });
    return other.get() != mine ? 0 : 1;  // it had a stack of its own
  });
}
