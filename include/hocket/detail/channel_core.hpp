// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A channel without its type: ring, waiters, closing. Values lie in raw memory, which channel.hpp reads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>

#include <hocket/detail/atomic.hpp>
#include <hocket/detail/deadline.hpp>
#include <hocket/detail/wait_list.hpp>

namespace hocket::detail {

struct channel_waiter;

/// What a channel does to its values; one constant per type. Called under the channel's lock.
struct element_operations {
  std::size_t bytes, alignment;
  void (*move)(void* to, void* from) noexcept;  // makes one at `to`; the other stays, moved from
  void (*destroy)(void*) noexcept;
};

/// How an attempt to send or to receive ended.
enum class transfer : std::uint8_t { would_block, done, closed };

/// What a select asks of one channel.
struct channel_case {
  class channel_core* channel;
  void* place;  // the value to send, or raw memory for the one received
  bool sends;
  transfer outcome;        // of the case that was chosen; else would_block
  channel_core* in_order;  // scratch: the channels of all cases by their addresses
};

class channel_core {
 public:
  /// Throws std::bad_alloc or a class derived from it.
  channel_core(std::size_t capacity, const element_operations&);
  ~channel_core();
  channel_core(const channel_core&) = delete;
  channel_core& operator=(const channel_core&) = delete;

  /// False if the time is over: `from` is untouched then, as it is when this throws.
  bool send(void* from, deadline until);
  /// False if the time is over, or the channel is closed and empty.
  bool receive(void* to, deadline until);
  void close();
  bool closed() const { return closed_.load(std::memory_order_acquire); }
  std::size_t size() const { return count_.load(std::memory_order_relaxed); }
  std::size_t capacity() const { return capacity_; }

 private:
  friend class select_operation;
  friend class channels_lock;
  transfer attempt(bool sends, void* place, ready_list& go) {
    return sends ? try_send(place, go) : try_receive(place, go);
  }
  transfer try_send(void* from, ready_list&);
  transfer try_receive(void* to, ready_list&);
  transfer wait(std::unique_lock<wait_list>&, ready_list&, bool sends, void* place, deadline until);
  void look(bool sends, unsigned looks) const;
  channel_waiter* claim_first(bool sends, ready_list&);
  void* push_slot();
  void* slot(std::size_t i) const { return ring_ + i * operations_.bytes; }

  wait_list waiting_;  // its lock guards all; senders and receivers, see channel_core.cpp
  const element_operations& operations_;
  const std::size_t capacity_;
  unsigned char* ring_ = nullptr;
  std::size_t first_ = 0;         // of the values in the ring, the oldest
  atomic<std::size_t> count_{0};  // written under the lock; relaxed: size() is a look
  atomic<bool> closed_{false};    // written under the lock (release); closed() acquires it
};

/// Takes the first case that can go on, from a random one, or waits for one; its number, n if the time is
/// over. The cases' channels may be the same.
std::size_t select_channels(channel_case*, std::size_t n, deadline until);

[[noreturn]] void throw_closed();

}  // namespace hocket::detail
