// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading memory that others may change or free meanwhile, for reports.
#pragma once
#include <cstddef>
#include <string>

namespace hocket::detail {

/// copy_memory() copies what lies there now; false if nothing does. Never faults, and checkers do not see it.
bool copy_memory(void* to, const void* from, std::size_t bytes);

/// The same of one object, which stays as it was if it cannot be read.
template <class T>
bool copy_object(T& to, const void* from) {
  return copy_memory(&to, from, sizeof to);
}

/// copy_text() copies a C string, at most so many characters of it; "?" if it cannot be read.
std::string copy_text(const char* from, std::size_t most = 100);

}  // namespace hocket::detail
