// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports of who waits for what.
#include "sched/report.hpp"

#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace hocket::detail {

void report_suspended(kernel&, int) {}
void report_deadlock(kernel&, int fd) {
  const char* text = "hocket: deadlock\n";
  [[maybe_unused]] const auto n = write(fd, text, std::strlen(text));
}

}  // namespace hocket::detail
