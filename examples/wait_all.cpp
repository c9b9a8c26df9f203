// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wait_all and wait: until all of several tasks have ended.
#include <hocket/hocket.hpp>

#include <vector>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    std::vector<hocket::task<int>> parts;
    for (int i = 0; i < 100; ++i) parts.push_back(hocket::spawn([i] { return i; }));
    hocket::wait_all(parts);
    int sum = 0;
    for (const auto& part : parts) sum += part.done() ? part.get() : 10000;
    auto one = hocket::spawn([] { return 1; });
    auto text = hocket::spawn([] { return "two"; });
    hocket::wait(one, text);  // of any types
    return sum == 4950 && one.done() && text.done() ? 0 : 1;
  });
}
