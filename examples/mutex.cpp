// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mutex: one task at a time; it may be held across a wait, which no std::mutex may.
#include <hocket/hocket.hpp>

#include <mutex>
#include <vector>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    hocket::mutex account_lock;
    long account = 0;
    std::vector<hocket::task<void>> clerks;
    for (int i = 0; i < 10; ++i) {
      clerks.push_back(hocket::spawn([&] {
        for (int k = 0; k < 100; ++k) {
          const std::lock_guard hold(account_lock);
          const long seen = account;
          if (k % 10 == 0) hocket::this_task::yield();  // others run, but none gets past the lock
          account = seen + 1;
        }
      }));
    }
    hocket::wait_all(clerks);
    return account == 1000 ? 0 : 1;
  });
}
