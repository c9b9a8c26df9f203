// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shepherds: groups of workers; a task may be bound to one.
#include <hocket/hocket.hpp>

#include <cstdio>
#include <vector>

int main() {
  return hocket::run(hocket::options{.workers = 4, .shepherds = 2}, [] {
    unsigned wrong = 0;
    for (unsigned s = 0; s < hocket::shepherds(); ++s) {
      std::printf("shepherd %u of %u: %u workers\n", s, hocket::shepherds(), hocket::workers_of(s));
      std::vector<hocket::task<unsigned>> bound;
      for (int i = 0; i < 100; ++i) {
        bound.push_back(hocket::spawn({.shepherd = s}, [] {
          hocket::this_task::yield();
          return hocket::this_task::shepherd();
        }));
      }
      for (auto& t : bound) wrong += t.get() != s;
    }
    return hocket::shepherds() == 2 && hocket::workers() == 4 && wrong == 0 ? 0 : 1;
  });
}
