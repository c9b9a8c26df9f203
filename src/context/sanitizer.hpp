// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ThreadSanitizer and AddressSanitizer must be told at every switch; nothing in other builds.
#pragma once
#include <cstddef>

#include <hocket/detail/config.hpp>

#if HOCKET_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#if HOCKET_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace hocket::detail {

/// A stack as the checkers know it.
struct checked_stack {
#if HOCKET_TSAN
  void* fiber = nullptr;
#endif
#if HOCKET_ASAN
  void* fake_stack = nullptr;
  const void* bottom = nullptr;
  std::size_t size = 0;
#endif
};

inline void checked_stack_made([[maybe_unused]] checked_stack& s, [[maybe_unused]] const void* bottom,
                               [[maybe_unused]] std::size_t size) {
#if HOCKET_TSAN
  s.fiber = __tsan_create_fiber(0);
#endif
#if HOCKET_ASAN
  s.bottom = bottom;
  s.size = size;
#endif
}

/// The stack of an OS thread that enters the scheduler.
inline void checked_stack_native([[maybe_unused]] checked_stack& s) {
#if HOCKET_TSAN
  s.fiber = __tsan_get_current_fiber();
#endif
}

HOCKET_ALWAYS_INLINE void before_switch([[maybe_unused]] checked_stack& from,
                                        [[maybe_unused]] checked_stack& to) {
#if HOCKET_ASAN
  __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.size);
#endif
#if HOCKET_TSAN
  __tsan_switch_to_fiber(to.fiber, 0);
#endif
}
/// First thing on the stack switched to; `previous` is the one left, whose bounds ASan tells (a native one's
/// only so).
HOCKET_ALWAYS_INLINE void after_switch([[maybe_unused]] checked_stack& here,
                                       [[maybe_unused]] checked_stack& previous) {
#if HOCKET_ASAN
  __sanitizer_finish_switch_fiber(here.fake_stack, &previous.bottom, &previous.size);
#endif
}

}  // namespace hocket::detail
