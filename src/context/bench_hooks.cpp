// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times the bare switch.
#include <hocket/detail/bench_hooks.hpp>

#include <chrono>
#include <memory>

#include "context/context.hpp"

namespace hocket::detail {
namespace {

context here, there;
bool full;

[[noreturn]] void ping() {
  for (;;) {
    if (full) {
      switch_full(there, here);
    } else {
      switch_shared(there, here);
    }
  }
}

template <bool Full>
double time_of(long rounds) {
  const auto began = std::chrono::steady_clock::now();
  for (long i = 0; i < rounds; ++i) {
    if constexpr (Full) {
      switch_full(here, there);
    } else {
      switch_shared(here, there);
    }
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
  return took.count() / static_cast<double>(2 * rounds);
}

}  // namespace

double ns_per_switch(bool full_abi, long switches) {
  constexpr std::size_t bytes = 64 * 1024;
  const std::unique_ptr<char[]> stack(new char[bytes]);
  full = full_abi;
  prepare(there, stack.get() + bytes, bytes, &ping);
  return full_abi ? time_of<true>(switches / 2) : time_of<false>(switches / 2);
}

}  // namespace hocket::detail
