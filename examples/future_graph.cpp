// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph of futures: Pascal's triangle, each number when the two above it are there.
#include <hocket/hocket.hpp>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    std::vector<hocket::task<long>> row{hocket::spawn([] { return 1L; })};
    for (std::size_t n = 1; n <= 30; ++n) {
      std::vector<hocket::task<long>> next;
      for (std::size_t k = 0; k <= n; ++k) {
        hocket::when both;  // or one, at the edges
        if (k > 0) both.and_also(row[k - 1]);
        if (k < n) both.and_also(row[k]);
        const auto left = k > 0 ? row[k - 1] : hocket::task<long>();
        const auto right = k < n ? row[k] : hocket::task<long>();
        next.push_back(hocket::future(both, [left, right] {
          return (left.valid() ? left.get() : 0) + (right.valid() ? right.get() : 0);
        }));
      }
      row = std::move(next);
    }
    std::printf("30 over 15 is %ld\n", row[15].get());
    return row[15].get() == 155'117'520 ? 0 : 1;
  });
}
