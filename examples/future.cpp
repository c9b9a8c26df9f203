// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// future: a task that begins when what it needs is there; until then it has no stack.
#include <hocket/hocket.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    hocket::single<int> width;
    hocket::counter painted(2);
    hocket::event allowed;

    const auto area = hocket::future(width, [&] { return width.readFF() * 4; });
    const auto sold = hocket::future(hocket::when(area, painted, allowed), [&] { return area.get() * 10; });

    hocket::begin([&] { painted.done(); });
    hocket::begin([&] { painted.done(); });
    allowed.set();
    width.writeEF(5);
    std::printf("sold for %d\n", sold.get());
    return sold.get() == 200 ? 0 : 1;
  });
}
