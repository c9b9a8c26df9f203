// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// this_task: what runs the caller, and how much stack it has left.
#include <hocket/hocket.hpp>

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    using namespace hocket;
    std::printf("task %llu '%s' on worker %u: %zu of %zu bytes of stack left\n",
                static_cast<unsigned long long>(this_task::id()), this_task::name(), this_task::worker(),
                this_task::stack_left(), this_task::stack_size());
    return std::strcmp(this_task::name(), "main") == 0 && this_task::stack_left() < this_task::stack_size() ? 0 : 1;
  });
}
