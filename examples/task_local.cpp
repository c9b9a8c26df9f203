// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// task_local: each task has its own value of the variable, wherever it runs, and whoever else runs there.
#include <hocket/hocket.hpp>

#include <vector>

hocket::task_local<int> steps{0};

void step() {
  ++*steps;
  hocket::this_task::yield();  // others use theirs meanwhile
}

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    std::vector<hocket::task<int>> walkers;
    for (int n = 0; n < 10; ++n) {
      walkers.push_back(hocket::spawn([n] {
        for (int i = 0; i < n; ++i) step();
        return *steps;
      }));
    }
    int right = 0;
    for (int n = 0; n < 10; ++n) right += walkers[static_cast<std::size_t>(n)].get() == n;
    return right == 10 && *steps == 0 ? 0 : 1;  // main took no step
  });
}
