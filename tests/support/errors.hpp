// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code with which a call is refused.
#pragma once
#include <system_error>

#include <hocket/error.hpp>

namespace hocket_test {

/// The code of the hocket::error that f() throws; none if it throws nothing.
template <class F>
std::error_code code_of(F f) {
  try {
    f();
  } catch (const hocket::error& e) {
    return e.code();
  }
  return {};
}

}  // namespace hocket_test
