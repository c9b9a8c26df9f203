// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operating system's kernel offers, found out by trying it.
#pragma once

#include <string>
#include <vector>

namespace hocket::tool {

struct feature {
  std::string name;
  std::string value;  // "yes", "no (reason)" or a number
  std::string help;
};

/// kernel_features() tries each feature on this process; nothing is left changed.
std::vector<feature> kernel_features();

}  // namespace hocket::tool
