// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The version of the headers, and that of the library linked.
#pragma once

#define HOCKET_VERSION_MAJOR 0
#define HOCKET_VERSION_MINOR 1
#define HOCKET_VERSION_PATCH 0
#define HOCKET_VERSION_STRING "0.1.0"

namespace hocket {
/// version() is the version of the library that the program runs with, as "0.1.0".
const char* version();
/// build_description() tells compiler, switch and checkers of the library, in one line.
const char* build_description();
}  // namespace hocket
