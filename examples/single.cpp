// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// single: written once; whoever reads it before waits.
#include <hocket/hocket.hpp>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    hocket::single<double> pi;
    std::vector<hocket::task<double>> areas;
    for (int r = 1; r <= 3; ++r) areas.push_back(hocket::spawn([&pi, r] { return pi.readFF() * r * r; }));
    pi.writeEF(3.14159);
    double sum = 0;
    for (const auto& a : areas) sum += a.get();
    bool refused = false;
    try {
      pi.writeEF(3);
    } catch (const hocket::error& e) {
      refused = e.code() == hocket::errc::misuse;
      std::printf("%s\n", e.what());
    }
    std::printf("sum of the areas %g\n", sum);
    return sum > 43.9 && sum < 44 && refused ? 0 : 1;
  });
}
