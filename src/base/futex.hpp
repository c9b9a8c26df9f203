// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two calls by which a thread sleeps on a word and is woken.
#pragma once
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include <hocket/detail/atomic.hpp>

namespace hocket::detail {

inline timespec as_timespec(std::int64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

/// Sleeps while word == expected, at most `limit` if that is not null. May return early.
inline void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected, const timespec* limit = nullptr) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, limit, nullptr, 0);
}
inline void futex_wake(atomic<std::uint32_t>& word, int how_many = 1) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, how_many, nullptr, nullptr, 0);
}

}  // namespace hocket::detail
