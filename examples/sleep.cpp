// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sleep_for: a task sleeps, its worker runs others; a thousand sleepers need no thousand threads.
#include <hocket/hocket.hpp>

#include <atomic>
#include <chrono>
#include <vector>

int main(int argc, char** argv) {
  using namespace std::chrono_literals;
  return hocket::run(argc, argv, [] {
    std::atomic<int> too_early{0};
    std::vector<hocket::task<void>> sleepers;
    for (int i = 0; i < 1000; ++i) {
      sleepers.push_back(hocket::start([&] {
        const auto until = std::chrono::steady_clock::now() + 10ms;
        hocket::this_task::sleep_until(until);
        if (std::chrono::steady_clock::now() < until) ++too_early;
      }));
    }
    hocket::wait_all(sleepers);
    hocket::this_task::sleep_for(1ms);
    return too_early == 0 ? 0 : 1;
  });
}
