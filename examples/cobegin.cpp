// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cobegin: several different things at once; it returns when all have ended.
#include <hocket/hocket.hpp>

#include <string>

int main(int argc, char** argv) {
  return hocket::run(argc, argv, [] {
    int number = 0;
    std::string text;
    double half = 0;
    hocket::cobegin([&] { number = 42; }, [&] { text = "forty-two"; }, [&] { half = 42 / 2.0; });
    return number == 42 && text == "forty-two" && half == 21 ? 0 : 1;
  });
}
