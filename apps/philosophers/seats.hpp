// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counting limit: at most so many tasks are seated at once; the others wait in the order they came.
#pragma once

#include <hocket/hocket.hpp>

#include <deque>
#include <mutex>

namespace hocket::apps {

// seats is the arbiter of the table. A seat that is given up goes straight to the one who waits longest.
class seats {
 public:
  explicit seats(std::size_t count) : free_(count) {}

  // take() returns when the caller has a seat; blocks the task only.
  void take() {
    std::unique_lock lock(mutex_);
    if (free_ > 0) {
      --free_;
      return;
    }
    hocket::event mine;
    waiting_.push_back(&mine);
    lock.unlock();
    mine.wait();
  }

  void give_up() {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) {
      ++free_;
      return;
    }
    waiting_.front()->set();
    waiting_.pop_front();
  }

 private:
  hocket::mutex mutex_;
  std::size_t free_;
  std::deque<hocket::event*> waiting_;  // on the stacks of those who wait
};

}  // namespace hocket::apps
