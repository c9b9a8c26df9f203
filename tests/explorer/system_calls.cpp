// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls by which explored code meets the operating system. Defined in the program, they come before the C
// library's, for the library's code and for the C++ runtime's; threads that are not explored get the real
// ones.
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>

#include <cstdarg>
#include <cstdint>

#include "schedule.hpp"

namespace {
using namespace explorer;

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::int64_t in_ns(const timespec& t) { return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; }

long explored_futex(std::uint32_t* word, int operation, std::uint32_t value, const timespec* limit) {
  const int command = operation & FUTEX_CMD_MASK;
  if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET) {
    step(access::futex_wake, word, std::source_location::current());
    return wake_blocked(word, static_cast<int>(value));
  }
  if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET) {
    fail_schedule("the explorer does not know this futex operation; teach it in system_calls.cpp");
  }
  step(access::futex_wait, word, std::source_location::current());
  if (*word != value) {
    errno = EAGAIN;
    return -1;
  }
  std::int64_t until = no_limit;
  if (limit != nullptr) until = in_ns(*limit) + (command == FUTEX_WAIT ? virtual_time() : 0);
  if (block_on(word, until)) return 0;
  errno = ETIMEDOUT;
  return -1;
}

}  // namespace

extern "C" {

long syscall(long number, ...) noexcept {
  long a[6];
  va_list list;
  va_start(list, number);
  for (long& x : a) x = va_arg(list, long);
  va_end(list);
  if (number == SYS_membarrier) {  // there is one everywhere: the paths that need it are to be explored
    if (a[0] == MEMBARRIER_CMD_QUERY) return MEMBARRIER_CMD_PRIVATE_EXPEDITED;
    step(access::heavy_fence, nullptr, std::source_location::current());
    return 0;
  }
  if (number == SYS_futex && is_explored()) {
    return explored_futex(reinterpret_cast<std::uint32_t*>(a[0]), static_cast<int>(a[1]),
                          static_cast<std::uint32_t>(a[2]), reinterpret_cast<const timespec*>(a[3]));
  }
  static auto* const next = real<long(long, ...)>("syscall");
  return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int clock_gettime(clockid_t clock, timespec* t) noexcept {
  static auto* const next = real<int(clockid_t, timespec*)>("clock_gettime");
  if (!is_explored()) return next(clock, t);
  const std::int64_t ns = virtual_time();
  *t = {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  return 0;
}

int sched_yield() noexcept {
  static auto* const next = real<int()>("sched_yield");
  if (!is_explored()) return next();
  pause();
  return 0;
}

int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
  static auto* const lock = real<int(pthread_mutex_t*)>("pthread_mutex_lock");
  if (!is_explored()) return lock(m);
  step(access::lock, m, std::source_location::current());
  while (pthread_mutex_trylock(m) != 0) block_on(m, no_limit);
  return 0;
}

int pthread_mutex_unlock(pthread_mutex_t* m) noexcept {
  static auto* const unlock = real<int(pthread_mutex_t*)>("pthread_mutex_unlock");
  const int result = unlock(m);
  if (is_explored()) wake_blocked(m, 1);
  return result;
}

int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) noexcept {
  static auto* const create =
      real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  if (!is_explored()) return create(handle, attributes, body, argument);
  return create_thread(create, handle, attributes, body, argument);
}

int pthread_join(pthread_t handle, void** result) {
  static auto* const join = real<int(pthread_t, void**)>("pthread_join");
  if (is_explored()) wait_for_end(handle);
  return join(handle, result);
}

}  // extern "C"
