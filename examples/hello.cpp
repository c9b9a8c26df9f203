#include <hocket/hocket.hpp>
#include <cstdio>
using namespace hocket;

long fib(int n) {
  if (n < 2) return n;
  auto [a, b] = fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

int main(int argc, char** argv) {
  return run(argc, argv, [] {                                   // main is a task, too
    auto t = spawn([] { return fib(30); });                     // virtual: a descriptor, no stack
    event ready;
    cobegin([&] { ready.wait(); std::puts("was let go"); },     // blocks this task, not its core
            [&] { ready.set(); });
    std::printf("%ld\n", t.get());                              // runs here, if nobody has taken it
  });
}
