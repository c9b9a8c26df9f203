// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// spawn_after: a task that begins later, and one that is taken back before it does.
#include <hocket/hocket.hpp>

#include <chrono>
#include <stop_token>

int main(int argc, char** argv) {
  using namespace std::chrono_literals;
  using clock = std::chrono::steady_clock;
  return hocket::run(argc, argv, [] {
    const auto due = clock::now() + 5ms;
    auto later = hocket::spawn_after(5ms, [] { return clock::now(); });
    std::stop_source take_back;
    auto never = hocket::spawn_at(clock::now() + 1h, {.name = "never", .stop = take_back.get_token()}, [] {});
    take_back.request_stop();
    bool taken_back = false;
    try {
      never.get();
    } catch (const hocket::cancelled&) {
      taken_back = true;
    }
    return later.get() >= due && taken_back ? 0 : 1;
  });
}
