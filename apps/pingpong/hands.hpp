// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ways to hand a value from one task to another: full/empty word, sync variable, channel, mutex with
// condition variable, event. Each has put(value), which nobody calls before the last value was taken, and
// take(), which waits for a value.
#pragma once

#include <hocket/hocket.hpp>

#include <mutex>

namespace hocket::apps {

// by_word: a plain word of memory, which is full until it is emptied, and must be full at its end.
class by_word {
 public:
  by_word() { hocket::empty(word_); }
  ~by_word() { hocket::fill(word_); }
  by_word(const by_word&) = delete;
  by_word& operator=(const by_word&) = delete;
  void put(long value) { hocket::writeEF(word_, value); }
  long take() { return hocket::readFE(word_); }

 private:
  long word_ = 0;
};

class by_sync {
 public:
  void put(long value) { variable_.writeEF(value); }
  long take() { return variable_.readFE(); }

 private:
  hocket::sync<long> variable_;
};

class by_channel {
 public:
  void put(long value) { channel_.send(value); }
  long take() { return *channel_.receive(); }

 private:
  hocket::channel<long> channel_{1};
};

class by_condition {
 public:
  void put(long value) {
    const std::lock_guard hold(mutex_);
    value_ = value;
    there_ = true;
    comes_.notify_one();
  }
  long take() {
    std::unique_lock hold(mutex_);
    comes_.wait(hold, [this] { return there_; });
    there_ = false;
    return value_;
  }

 private:
  hocket::mutex mutex_;
  hocket::condition_variable comes_;
  bool there_ = false;
  long value_ = 0;
};

// by_event: the event orders the accesses to the value; who has waited resets it, before the other can set it
// again.
class by_event {
 public:
  void put(long value) {
    value_ = value;
    there_.set();
  }
  long take() {
    there_.wait();
    there_.reset();
    return value_;
  }

 private:
  hocket::event there_;
  long value_ = 0;
};

}  // namespace hocket::apps
