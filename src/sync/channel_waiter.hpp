// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One who waits in a channel, alone or as a case of a select.
#pragma once
#include <hocket/detail/channel_core.hpp>

#include "sync/waiting.hpp"

namespace hocket::detail {

/// On the waiter's stack; all guarded by the channel's lock.
struct channel_waiter : list_waiter {
  parked* record = nullptr;  // its own `who`, or the one of its select
  void* place = nullptr;     // of the value that it sends or is to get
  bool sends = false;
  transfer outcome = transfer::would_block;  // written by who has claimed it

  void asks(bool to_send, void* where, parked* with) {
    sends = to_send;
    place = where;
    record = with;
  }
};

}  // namespace hocket::detail
