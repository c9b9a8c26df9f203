// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// stats: what has been made, run, stolen and switched; always on. HOCKET_STATS=1 prints it at the end of any run.
#include <hocket/hocket.hpp>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    const hocket::statistics before = hocket::stats();
    hocket::cobegin([] {}, [] {}, [] {});  // one runs here, two are forked
    hocket::spawn([] {}).wait();
    const hocket::statistics after = hocket::stats();
    hocket::print(after, stdout);
    return after.forked - before.forked == 2 && after.spawned - before.spawned == 1 ? 0 : 1;
  });
}
