// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program for gdb to stop in when four tasks wait for different things: it then calls stop_here() on
// main()'s thread, or with the argument `abort` aborts, to leave a core file.
#include <hocket/hocket.hpp>

#include <cstdio>
#include <cstdlib>
#include <thread>

extern "C" __attribute__((noinline)) void stop_here() { asm volatile("" ::: "memory"); }

extern "C" __attribute__((noinline)) int wait_in_a_known_place(hocket::event* e) {
  e->wait();
  asm volatile("" ::: "memory");
  return 1;
}

int main(int argc, char**) {
  using namespace hocket;
  initialize(options{.workers = 1});
  int sum = 0;
  {
    event set;
    mutex m;
    m.lock();
    const auto reader =
        start({.name = "reader", .priority = priority::high}, [&] { return wait_in_a_known_place(&set); });
    const auto follower = start({.name = "follower"}, [&] { return reader.get(); });
    const auto writer = start({.name = "writer"}, [&] {
      m.lock();
      m.unlock();
      return 1;
    });
    const auto chooser = start({.name = "chooser"}, [&] {
      const task<int> both[] = {reader, follower};
      return static_cast<int>(wait_any(both)) >= 0 ? 1 : 0;
    });
    while (stats().suspended < 4) std::this_thread::yield();
    spawn([] {}).wait();  // the one worker has left the last of them when it runs this
    stop_here();
    if (argc > 1) std::abort();
    set.set();
    m.unlock();
    sum = reader.get() + follower.get() + writer.get() + chooser.get();
  }
  finalize();
  std::printf("the sum is %d\n", sum);
  return sum == 4 ? 0 : 1;
}
