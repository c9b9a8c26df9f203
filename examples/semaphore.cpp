// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// semaphore: at most three at once do what needs much memory; the others leave their workers to those that
// can go on.
#include <hocket/hocket.hpp>

#include <algorithm>
#include <atomic>
#include <vector>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    hocket::semaphore large_tables(3);
    std::atomic<int> now{0}, most{0};
    std::vector<hocket::task<void>> jobs;
    for (int i = 0; i < 100; ++i) {
      jobs.push_back(hocket::spawn([&] {
        large_tables.acquire();
        const int n = ++now;
        for (int seen = most; seen < n && !most.compare_exchange_weak(seen, n);) {
        }
        hocket::this_task::yield();  // held across a wait
        --now;
        large_tables.release();
      }));
    }
    hocket::wait_all(jobs);
    const bool all_free = large_tables.try_acquire(3);
    return most <= 3 && all_free ? 0 : 1;
  });
}
