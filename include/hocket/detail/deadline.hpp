// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Points in time as the kernel counts them: nanoseconds of the monotonic clock, saturated.
#pragma once
#include <chrono>
#include <cstdint>
#include <type_traits>

namespace hocket::detail {

/// Nanoseconds of std::chrono::steady_clock; `never` for a wait without a limit.
using deadline = std::int64_t;
inline constexpr deadline never = INT64_MAX;
/// A limit that has passed, known without a look at the clock: not to wait at all.
inline constexpr deadline at_once = INT64_MIN;

/// The point in time `d` from now. Rounded up, so that no wait ends early; too far away is `never`.
template <class Rep, class Period>
deadline deadline_after(const std::chrono::duration<Rep, Period>& d) {
  using namespace std::chrono;
  const auto now = steady_clock::now().time_since_epoch();
  if (d <= d.zero()) return duration_cast<nanoseconds>(now).count();
  // In floating point first: a duration of hours::max() does not fit nanoseconds.
  constexpr double most = 9.0e18;
  if (duration_cast<duration<double, std::nano>>(d).count() + duration<double, std::nano>(now).count() >
      most) {
    return never;
  }
  return duration_cast<nanoseconds>(now).count() + ceil<nanoseconds>(d).count();
}

/// How long it is until `t`; zero if it has passed, since so long ago may not fit.
template <class Clock, class Duration>
auto time_left(const std::chrono::time_point<Clock, Duration>& t) {
  const auto now = Clock::now();
  using left = decltype(t - now);
  return t <= now ? left::zero() : left(t - now);
}

/// The point in time `t` of any clock; of another than steady_clock, as far away as it is now.
template <class Clock, class Duration>
deadline deadline_at(const std::chrono::time_point<Clock, Duration>& t) {
  using namespace std::chrono;
  if constexpr (std::is_same_v<Clock, steady_clock>) {
    const double ns = duration<double, std::nano>(t.time_since_epoch()).count();
    if (ns > 9.0e18) return never;
    if (ns < 0) return 0;
    return ceil<nanoseconds>(t.time_since_epoch()).count();
  } else {
    return deadline_after(time_left(t));
  }
}

}  // namespace hocket::detail
