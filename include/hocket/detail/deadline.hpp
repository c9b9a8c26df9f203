// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Points in time as the kernel counts them: nanoseconds of the monotonic clock, saturated.
#pragma once
#include <chrono>
#include <cstdint>

namespace hocket::detail {

/// Nanoseconds of std::chrono::steady_clock; `never` for a wait without a limit.
using deadline = std::int64_t;
inline constexpr deadline never = INT64_MAX;

/// The point in time `d` from now. Rounded up, so that no wait ends early; too far away is `never`.
template <class Rep, class Period>
deadline deadline_after(const std::chrono::duration<Rep, Period>& d) {
  using namespace std::chrono;
  const auto now = steady_clock::now().time_since_epoch();
  if (d <= d.zero()) return duration_cast<nanoseconds>(now).count();
  // In floating point first: a duration of hours::max() does not fit nanoseconds.
  constexpr double most = 9.0e18;
  if (duration_cast<duration<double, std::nano>>(d).count() + duration<double, std::nano>(now).count() > most) {
    return never;
  }
  return duration_cast<nanoseconds>(now).count() + ceil<nanoseconds>(d).count();
}

/// The point in time `t` of any clock; of another than steady_clock, as far away as it is now.
template <class Clock, class Duration>
deadline deadline_at(const std::chrono::time_point<Clock, Duration>& t) {
  return deadline_after(t - Clock::now());
}

}  // namespace hocket::detail
