// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// stop_scope: several search, the first that finds stops the others, wherever they wait.
#include <hocket/hocket.hpp>

#include <vector>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    hocket::event never_set;
    std::vector<hocket::task<int>> searches;
    std::size_t first = 0;
    {
      hocket::stop_scope scope;
      searches.push_back(hocket::spawn([&] { return never_set.wait(), 1; }));  // under the scope's token
      searches.push_back(hocket::spawn([] { return 2; }));
      first = hocket::wait_any(searches);
      scope.request_stop();
    }
    int stopped = 0;
    try {
      searches[0].get();
    } catch (const hocket::cancelled&) {
      stopped = 1;
    }
    return first == 1 && searches[1].get() == 2 && stopped == 1 ? 0 : 1;
  });
}
