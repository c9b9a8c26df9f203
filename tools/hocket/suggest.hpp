// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The known name that a mistyped one was probably meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hocket::tool {

/// closest() returns the candidate with the least edit distance, or "" if even that
/// is more than half of the name's length and one.
std::string closest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace hocket::tool
