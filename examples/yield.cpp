// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// yield: a task that polls lets the others run; none starves, not even a virtual one on a single worker.
#include <hocket/hocket.hpp>

#include <atomic>

int main() {
  return hocket::run(hocket::options{.workers = 1}, [] {
    std::atomic<bool> ready{false};
    hocket::begin([&] { ready = true; });
    while (!ready) hocket::this_task::yield();
  });
}
