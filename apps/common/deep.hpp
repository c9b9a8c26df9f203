// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recursion deeper than one stack: with_stack() goes on in a fresh task when the present stack runs short.
#pragma once

#include <hocket/hocket.hpp>

#include <cstddef>

namespace hocket::apps {

// What a caller may use between two calls of with_stack(); generous, for a sanitizer's frames are ten times
// as large.
inline constexpr std::size_t stack_reserve = 16 * 1024;

// with_stack() returns f(), called here if `reserve` bytes of stack are left, else on a stack of its own.
// start() and not spawn(): a virtual task might be inlined on the very stack that is short.
template <class F>
auto with_stack(const F& f, std::size_t reserve = stack_reserve) -> decltype(f()) {
  if (hocket::this_task::stack_left() >= reserve) [[likely]]
    return f();
  return hocket::start([&f] { return f(); }).get();
}

}  // namespace hocket::apps
