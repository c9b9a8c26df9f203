// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wait_for: an event is waited for, but not for ever.
#include <hocket/hocket.hpp>

#include <chrono>

int main(int argc, char** argv) {
  using namespace std::chrono_literals;
  return hocket::run(argc, argv, [] {
    hocket::event answer;
    const bool too_early = answer.wait_for(5ms);  // nobody sets it: the time runs out
    hocket::begin([&] { answer.set(); });
    const bool in_time = answer.wait_for(1h);  // set long before that
    const bool a_look = answer.wait_for(0s);   // no time to wait: only looks
    return !too_early && in_time && a_look ? 0 : 1;
  });
}
