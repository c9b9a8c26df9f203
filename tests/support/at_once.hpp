// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many threads are in a piece of code at once, at most.
#pragma once
#include <atomic>
#include <thread>

namespace hocket_test {

class at_once {
 public:
  /// Called by each of those that are counted; stays for a while.
  void visit() {
    const int now = ++inside_;
    for (int seen = most_; seen < now && !most_.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::yield();
    --inside_;
  }
  int most() const { return most_; }

 private:
  std::atomic<int> inside_{0}, most_{0};
};

}  // namespace hocket_test
