// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wait_any: the first of several tasks to end; the others go on.
#include <hocket/hocket.hpp>

#include <vector>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    hocket::event gate;
    std::vector<hocket::task<int>> searches;
    searches.push_back(hocket::spawn([&] { return gate.wait(), 1; }));
    searches.push_back(hocket::spawn([] { return 2; }));
    const std::size_t first = hocket::wait_any(searches);
    const int found = searches[first].get();
    gate.set();
    hocket::wait_all(searches);
    return first == 1 && found == 2 ? 0 : 1;
  });
}
