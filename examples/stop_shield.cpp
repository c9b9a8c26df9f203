// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// stop_shield: what is lent comes back first, then the task stops.
#include <hocket/hocket.hpp>

#include <array>
#include <chrono>

int main(int argc, char** argv) {
  using namespace std::chrono_literals;
  return hocket::run(argc, argv, [] {
    hocket::stop_scope scope;
    bool whole = false, stopped = false;
    try {
      std::array<char, 100> lent{};
      hocket::event filled;
      auto filler = hocket::blocking([&] { return &lent; });
      scope.request_stop();
      {
        const hocket::stop_shield shield;  // nothing leaves this block while the buffer is being filled
        hocket::task<void> t = hocket::start({.stop = std::stop_source().get_token()}, [&] {
          filler->fill('x');
          filled.set();
        });
        filled.wait();
        t.wait();
        whole = lent.back() == 'x';
      }
      hocket::this_task::sleep_for(1h);  // the first wait after the shield
    } catch (const hocket::cancelled&) {
      stopped = true;
    }
    return whole && stopped ? 0 : 1;
  });
}
