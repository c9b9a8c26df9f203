// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shared_mutex: many look a price up at once, one changes both prices, and nobody sees only one of them
// changed.
#include <hocket/hocket.hpp>

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <vector>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    hocket::shared_mutex prices;
    int buy = 99, sell = 101;
    std::atomic<bool> wrong{false};
    std::vector<hocket::task<void>> all;
    for (int i = 0; i < 50; ++i) {
      all.push_back(hocket::spawn([&, i] {
        if (i % 10 == 0) {
          const std::lock_guard alone(prices);
          ++buy;
          hocket::this_task::yield();
          ++sell;
        } else {
          const std::shared_lock with_others(prices);
          if (sell - buy != 2) wrong = true;
        }
      }));
    }
    hocket::wait_all(all);
    return !wrong && buy == 104 ? 0 : 1;
  });
}
