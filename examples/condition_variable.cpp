// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// condition_variable: a buffer for few items; who finds it full or empty waits, and gives up the lock
// meanwhile.
#include <hocket/hocket.hpp>

#include <deque>
#include <mutex>

namespace {

class buffer {
 public:
  void put(int item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return items_.size() < 3; });
    items_.push_back(item);
    changed_.notify_all();
  }
  int take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !items_.empty(); });
    const int item = items_.front();
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

 private:
  hocket::mutex mutex_;
  hocket::condition_variable changed_;
  std::deque<int> items_;
};

}  // namespace

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    buffer b;
    auto producer = hocket::spawn([&] {
      for (int i = 1; i <= 100; ++i) b.put(i);
    });
    int sum = 0;
    for (int i = 1; i <= 100; ++i) sum += b.take();
    producer.wait();
    return sum == 5050 ? 0 : 1;
  });
}
