// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// topology: the machine as this process may use it.
#include <hocket/hocket.hpp>

#include <cstdio>

int main() {
  std::fputs(hocket::describe_machine().c_str(), stdout);
  const unsigned cores = hocket::available_cores();
  return cores >= 1 && cores <= hocket::this_machine().cores ? 0 : 1;
}
