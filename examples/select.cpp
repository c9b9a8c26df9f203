// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// select: one task serves several channels, and gives up when nothing comes.
#include <hocket/hocket.hpp>

#include <chrono>
#include <optional>

int main(int argc, char** argv) {
  using namespace std::chrono_literals;
  return hocket::run(argc, argv, [] {
    hocket::channel<int> small(0), large(4);
    const auto sender = [](hocket::channel<int>& to, int value) {
      return hocket::start([&to, value] {
        for (int i = 0; i < 10; ++i) to.send(value);
      });
    };
    const auto first = sender(small, 1), second = sender(large, 100);
    int sum = 0;
    const auto add = [&](std::optional<int> v) { sum += v.value_or(0); };  // empty: closed
    for (int i = 0; i < 20; ++i) hocket::select(receive_from(small, add), receive_from(large, add));
    const std::size_t late = hocket::select(receive_from(small, add), hocket::after(1ms));
    const std::size_t room =
        hocket::select(send_to(small, 7), send_to(large, 7));  // nobody receives: the ring
    const std::size_t none = hocket::select(receive_from(small, add), hocket::otherwise());
    first.wait();
    second.wait();
    return sum == 1010 && late == 1 && room == 1 && none == 1 ? 0 : 1;
  });
}
