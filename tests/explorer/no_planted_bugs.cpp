// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `explore` runs the library's sources as they are.
#include "planted_bugs.hpp"

namespace explorer {
const planted_bug planted_bugs[] = {{nullptr, nullptr}};
const std::size_t planted_bug_count = 0;
}  // namespace explorer
