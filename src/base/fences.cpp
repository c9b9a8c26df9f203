// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// membarrier(2): registered once, then used as the heavy half of the asymmetric fence.
#include "base/fences.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace hocket::detail {

bool have_membarrier = false;

void register_membarrier() {
  static std::once_flag once;
  std::call_once(once, [] {
    const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    if (commands < 0 || (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) return;
    have_membarrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  });
}

void membarrier_now() {
  // Registered, the command has no reason to fail; if it did, the owners' light fences would be none.
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
    std::fputs("hocket: membarrier failed after it had been registered; cannot go on safely\n", stderr);
    std::abort();
  }
}

}  // namespace hocket::detail
