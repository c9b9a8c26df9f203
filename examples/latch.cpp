// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// latch: the parts of a table are filled by many tasks; nobody reads it before the last part is there.
#include <hocket/hocket.hpp>

#include <cstddef>
#include <numeric>
#include <vector>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    constexpr std::size_t parts = 20, part = 50;
    std::vector<int> table(parts * part);
    hocket::latch filled(parts);
    for (std::size_t p = 0; p < parts; ++p) {
      hocket::begin([&, p] {
        for (std::size_t i = p * part; i < (p + 1) * part; ++i) table[i] = static_cast<int>(i);
        filled.count_down();
      });
    }
    filled.wait();
    return std::accumulate(table.begin(), table.end(), 0) == 999 * 1000 / 2 ? 0 : 1;
  });
}
