// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A user's whole program: tasks made in both ways, and the version it expects; exit code 0 if all is right.
#include <cstdio>
#include <cstring>
#include <hocket/hocket.hpp>

int main(int argc, char** argv) {
  if (argc != 2 || std::strcmp(argv[1], HOCKET_VERSION_STRING) != 0) {
    std::fprintf(stderr, "consumer: give the version that is expected; the headers say %s\n",
                 HOCKET_VERSION_STRING);
    return 2;
  }
  hocket::options options;
  options.workers = 2;
  return hocket::run(options, [] {
    auto answer = hocket::spawn([] { return 42; });
    auto [a, b] = hocket::fork_join([] { return 20; }, [] { return 22; });
    return answer.get() == a + b ? 0 : 1;
  });
}
