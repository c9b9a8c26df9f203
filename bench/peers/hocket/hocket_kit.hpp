// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hocket as a Kit of workloads/sync.hpp; used by the main task of a run.
#pragma once

#include <hocket/barrier.hpp>
#include <hocket/channel.hpp>
#include <hocket/condition_variable.hpp>
#include <hocket/counter.hpp>
#include <hocket/hocket.hpp>

#include <atomic>
#include <vector>

#include "common/harness.hpp"

namespace hkbench {

/// task_place: where the tasks may run.
enum class task_place {
  any_worker,
  in_turn,  // the first on the first shepherd, the second on the second, and so on around
};

/// A channel whose end nobody looks for.
class open_channel {
 public:
  explicit open_channel(std::size_t capacity) : channel_(capacity) {}
  void send(long value) { channel_.send(value); }
  long receive() { return *channel_.receive(); }

 private:
  hocket::channel<long> channel_;
};

class hocket_kit {
 public:
  using mutex = hocket::mutex;
  using condition_variable = hocket::condition_variable;
  using barrier = hocket::barrier<>;
  using channel = open_channel;

  explicit hocket_kit(task_place where = task_place::any_worker) : where_(where) {}

  static void yield() { hocket::this_task::yield(); }

  template <class F>
  double run(long tasks, F body) const {
    hocket::event go;
    std::atomic<long> arrived{0};
    std::vector<hocket::task<void>> all;
    for (long i = 0; i < tasks; ++i) {
      hocket::task_attributes attributes;
      if (where_ == task_place::in_turn) attributes.shepherd = static_cast<unsigned>(i) % hocket::shepherds();
      all.push_back(hocket::start(attributes, [&, i] {
        arrived.fetch_add(1, std::memory_order_relaxed);
        go.wait();
        body(i);
      }));
    }
    while (arrived.load(std::memory_order_relaxed) != tasks) hocket::this_task::yield();
    const double seconds = seconds_of([&] {
      go.set();
      hocket::wait_all(all);
    });
    for (const auto& one : all) one.get();
    return seconds;
  }

  template <class F>
  void fork(long tasks, F body) const {
    hocket::counter left(tasks);
    for (long i = 0; i < tasks; ++i) {
      hocket::begin([&left, body, i] {
        body(i);
        left.done();
      });
    }
    left.wait();
  }

 private:
  task_place where_;
};

}  // namespace hkbench
