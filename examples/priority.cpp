// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// priority: of the tasks that are ready, a worker runs the highest first.
#include <hocket/hocket.hpp>

#include <string>

int main() {
  return hocket::run(hocket::options{.workers = 1}, [] {
    using hocket::priority;
    std::string order;
    hocket::task<void> low = hocket::start({.priority = priority::low}, [&] { order += 'l'; });
    hocket::task<void> normal = hocket::start([&] { order += 'n'; });
    hocket::task<void> high = hocket::start({.priority = priority::high}, [&] {
      order += 'h';
      hocket::spawn([&] { order += 'c'; });  // its child is as high
    });
    hocket::event done;
    hocket::begin({.priority = priority::low}, [&] {
      hocket::wait(low);
      done.set();
    });
    done.wait();  // an event has no owner to lend a priority to: this waits for its turn among the lowest
    return order == "hcnl" ? 0 : 1;
  });
}
