// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places at which a trace may listen. Off, each costs one predictable branch; the fast path of fork and
// join has none: a trace that wants it keeps `lim` at `always`, so that each takes its slow path.
#pragma once
#include <cstdint>

#include <hocket/detail/config.hpp>

namespace hocket::detail {

enum class trace_kind : std::uint8_t {
  realise,
  inline_begin,
  inline_end,
  adopt,
  steal,
  suspend,
  resume,
  switch_to,
  sleep,
  wake
};
using trace_hook = void (*)(trace_kind, unsigned worker, const void* task);

inline trace_hook trace_listener = nullptr;  // set before the workers start, never while they run

inline void trace(trace_kind k, unsigned worker, const void* task) {
  if (HOCKET_UNLIKELY(trace_listener != nullptr)) trace_listener(k, worker, task);
}

}  // namespace hocket::detail
