// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// barrier: tasks smooth a row of numbers in steps; the completion swaps old and new between two steps.
#include <hocket/hocket.hpp>

#include <cstddef>
#include <utility>
#include <vector>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    constexpr std::size_t tasks = 4, part = 16, n = tasks * part;
    std::vector<double> now(n + 2), next(n + 2);
    now[0] = next[0] = 1;  // the ends stay as they are
    hocket::barrier step(tasks, [&]() noexcept { std::swap(now, next); });
    const auto smooth = [&](std::size_t first) {
      for (int i = 0; i < 200; ++i) {
        for (std::size_t k = first; k < first + part; ++k) next[k] = (now[k - 1] + now[k + 1]) / 2;
        step.arrive_and_wait();
      }
    };
    std::vector<hocket::task<void>> all;
    for (std::size_t t = 0; t < tasks; ++t) all.push_back(hocket::spawn([&, t] { smooth(1 + t * part); }));
    hocket::wait_all(all);
    bool falls = now[1] > 0.8;
    for (std::size_t k = 1; k <= n; ++k) falls = falls && now[k] <= now[k - 1];
    return falls ? 0 : 1;
  });
}
