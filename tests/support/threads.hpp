// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the system has given to this process: threads, open files, address space.
#pragma once
#include <cstdio>
#include <filesystem>
#include <iterator>

namespace hocket_test {

inline long entries_of(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator{});
}
/// The threads of this process now. One that has been joined may be listed for a moment more.
inline long threads_now() { return entries_of("/proc/self/task"); }
inline long files_now() { return entries_of("/proc/self/fd"); }
/// Pages of address space.
inline long pages_now() {
  long pages = 0;
  if (std::FILE* f = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(f, "%ld", &pages) != 1) pages = 0;
    std::fclose(f);
  }
  return pages;
}

}  // namespace hocket_test
