// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be done to a full/empty word or variable, behind sync.hpp and full_empty.hpp.
#pragma once
#include <cstddef>
#include <cstdint>

#include <hocket/detail/atomic.hpp>
#include <hocket/detail/deadline.hpp>

namespace hocket::detail {

/// The first four may wait; the names are Qthreads'.
enum class full_empty : std::uint8_t { readFE, readFF, writeEF, writeFF, writeF, fill, empty, purge };

/// A word of 8 bytes, aligned so; `value` is read or written, and may be null where it is read. False if the
/// time has come before. Throws error(cancelled).
bool operate(full_empty, std::uint64_t* word, std::uint64_t* value, deadline until);
/// read(), write(): the same without a limit. What must live while the caller waits lies in the caller's
/// frame, so that a task which goes on returns from no more than one call: after a switch of stacks the
/// processor predicts none of the returns.
struct waiter_frame {
  alignas(16) unsigned char bytes[128];
};
void read(full_empty, std::uint64_t* word, std::uint64_t* value, waiter_frame&);
void write(full_empty, std::uint64_t* word, std::uint64_t* value);
bool is_full(const std::uint64_t* word);
/// How many words the table knows of; for tests.
std::size_t full_empty_entries();

struct full_empty_waiter;

/// The state of a variable that knows by itself whether it is full: the list of waiters, and two bits.
class full_empty_state {
 public:
  static constexpr std::uintptr_t full = 1, locked = 2;
  explicit full_empty_state(bool is_full) : word_(is_full ? full : 0) {}

  bool is_full() const { return (word_.load(std::memory_order_acquire) & full) != 0; }
  /// Lock it if it is full (or empty) and nobody waits; never blocks. What comes of it is told by unlock().
  bool lock_full() { return lock(full); }
  bool lock_empty() { return lock(0); }
  void unlock(bool is_full) { word_.store(is_full ? full : 0, std::memory_order_release); }
  bool waited_for() const { return (word_.load(std::memory_order_relaxed) & ~full) != 0; }

  /// As operate() for words; the variable's value has `bytes`, at most most_bytes.
  bool operate(full_empty, void* variable, std::size_t bytes, void* value, deadline until,
               const void* object);

  /// As read() and write() for words.
  void read(full_empty, void* variable, std::size_t bytes, void* value, const void* object, waiter_frame&);
  void write(full_empty, void* variable, std::size_t bytes, void* value, const void* object);
  /// Copies the variable, full or empty.
  void look(const void* variable, std::size_t bytes, void* to);

  static constexpr std::size_t most_bytes = 64;

 private:
  friend bool enlist(full_empty_state&, full_empty_waiter&);
  HOCKET_ALWAYS_INLINE bool lock(std::uintptr_t now) {
    // A look first: to fail by a locked instruction would take the line from who is about to fill it.
    return word_.load(std::memory_order_relaxed) == now &&
           word_.compare_exchange_strong(now, now | locked, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }
  // Locked: compare_exchange(acquire); unlocked: a store (release).
  atomic<std::uintptr_t> word_;
};

[[noreturn]] void refuse_end(const char* what, const void* at);
[[noreturn]] void throw_misuse(const char* sentence);

}  // namespace hocket::detail
