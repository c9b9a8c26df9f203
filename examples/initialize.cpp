// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// initialize, finalize: a run without a main task; main() stays a thread of its own and makes tasks from
// there.
#include <hocket/hocket.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  try {
    hocket::initialize(hocket::options::from(argc, argv));
    int value = 0;
    const hocket::task<int> t = hocket::spawn([] { return 42; });
    hocket::begin([&] { value = t.get(); });  // ends before finalize() returns
    const int seen = t.get();                 // this thread waits; it is no worker
    hocket::finalize();
    return seen == 42 && value == 42 && !hocket::running() ? 0 : 1;
  } catch (const hocket::error& e) {
    std::fprintf(stderr, "initialize: %s\n", e.what());
    return 2;
  }
}
