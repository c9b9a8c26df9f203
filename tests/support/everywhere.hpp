// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What holds for tasks and for threads that are none is tested on both.
#pragma once
#include <hocket/hocket.hpp>

#include <thread>
#include <utility>

namespace hocket_test {

/// Calls f on a thread that is no task, while the calling task waits and leaves its worker to others.
template <class F>
void on_a_thread(F f) {
  hocket::event over;
  std::thread t([&] { f(), over.set(); });
  {
    const hocket::stop_shield shield;  // f's thread uses this frame
    over.wait();
  }
  t.join();
}

/// Calls f here, in a task of its own, and on a thread that is no task.
template <class F>
void everywhere(F f) {
  f();
  hocket::start(f).get();
  on_a_thread(f);
}

}  // namespace hocket_test
