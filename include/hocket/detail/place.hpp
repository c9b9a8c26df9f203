// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a call was made: file and line in builds with assertions, nothing in others, so that an error can say
// it. Two types of two names, so that files built in both ways may be linked.
#pragma once
#include <source_location>

namespace hocket::detail {

struct unknown_place {
  static constexpr unknown_place current() { return {}; }
  static constexpr const char* file() { return nullptr; }
  static constexpr unsigned line() { return 0; }
};

struct known_place {
  std::source_location at;
  static constexpr known_place current(std::source_location l = std::source_location::current()) {
    return {l};
  }
  constexpr const char* file() const { return at.file_name(); }
  constexpr unsigned line() const { return static_cast<unsigned>(at.line()); }
};

#ifdef NDEBUG
using place = unknown_place;
#else
using place = known_place;
#endif

}  // namespace hocket::detail
