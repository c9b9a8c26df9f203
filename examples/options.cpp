// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// options: the program's own defaults, which HOCKET_* variables and --hk-* flags override; settings() lists them.
#include <hocket/hocket.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  try {
    hocket::options defaults;
    defaults.workers = 2;
    const auto options = hocket::options::from(argc, argv, defaults);  // argv keeps what is not ours
    for (const auto& s : hocket::settings(options)) {
      std::printf("%-12s %-10s %-20s %s\n", s.name.c_str(), s.value.c_str(), s.origin.c_str(), s.help.c_str());
    }
    return hocket::run(options, [&] { return hocket::this_task::worker() < options.workers ? 0 : 1; });
  } catch (const hocket::error& e) {
    std::fprintf(stderr, "options: %s\n", e.what());
    return 2;
  }
}
