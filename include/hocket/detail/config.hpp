// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler is and which checkers are on, said once; the few macros of the library live here.
#pragma once

#define HOCKET_ALWAYS_INLINE inline __attribute__((always_inline))
#define HOCKET_NOINLINE __attribute__((noinline))
#define HOCKET_COLD __attribute__((noinline, cold))
#define HOCKET_LIKELY(x) __builtin_expect(!!(x), 1)
#define HOCKET_UNLIKELY(x) __builtin_expect(!!(x), 0)

#if defined(__SANITIZE_THREAD__)
#define HOCKET_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HOCKET_TSAN 1
#endif
#endif
#ifndef HOCKET_TSAN
#define HOCKET_TSAN 0
#endif

#if defined(__SANITIZE_ADDRESS__)
#define HOCKET_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HOCKET_ASAN 1
#endif
#endif
#ifndef HOCKET_ASAN
#define HOCKET_ASAN 0
#endif
