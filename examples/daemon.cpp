// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// daemon: a task that serves others; when only daemons are left, run() asks them to stop and returns.
#include <hocket/hocket.hpp>

#include <chrono>

int main(int argc, char** argv) {
  bool asked_to_stop = false;
  const int code = hocket::run(argc, argv, [&] {
    hocket::event begun;  // one that is asked to stop before it has begun never runs
    hocket::start({.name = "housekeeper", .daemon = true}, [&] {
      begun.set();
      try {
        for (;;) hocket::this_task::sleep_for(std::chrono::hours(1));
      } catch (const hocket::cancelled&) {
        asked_to_stop = true;
        throw;
      }
    });
    begun.wait();
  });
  return code == 0 && asked_to_stop ? 0 : 1;
}
