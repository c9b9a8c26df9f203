// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// task_attributes: a name for reports, and a stack of the task's own size.
#include <hocket/hocket.hpp>

long depth(long n) { return n == 0 ? 0 : 1 + depth(n - 1) % 1000000; }

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    auto deep = hocket::spawn({.name = "deep recursion", .stack_size = 16 << 20}, [] {
      return hocket::this_task::stack_left() >= 15 << 20 ? depth(50000) : -1;
    });
    return deep.get() == 50000 ? 0 : 1;
  });
}
