// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one place from which the library takes its atomics, so that a schedule explorer can put its own in
// their place (define HOCKET_ATOMIC_HEADER as a header that declares hocket::detail::atomic, compiler_fence,
// interleave and cpu_pause: tests/explorer), and the tally, a count.
#pragma once
#include <atomic>
#include <cstdint>

#include <hocket/detail/config.hpp>

#ifdef HOCKET_ATOMIC_HEADER
#include HOCKET_ATOMIC_HEADER
#else
namespace hocket::detail {
template <class T>
using atomic = std::atomic<T>;

/// compiler_fence() keeps the compiler, not the processor, from moving memory accesses across it. It is the
/// owner's half of an asymmetric fence; the other half is heavy_fence() (membarrier), called by whoever comes
/// rarely.
HOCKET_ALWAYS_INLINE void compiler_fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }

/// Where the explorer may let another thread go on, before a count that decisions are taken by is accessed.
HOCKET_ALWAYS_INLINE void interleave(const void*) {}
}  // namespace hocket::detail
#endif

namespace hocket::detail {

/// A count that one thread raises and any thread may read: a plain store, never a locked instruction.
class tally {
 public:
  HOCKET_ALWAYS_INLINE void bump() {
#if defined(HOCKET_UNCOUNTED)  // in one benchmark, which shows what counting costs
#elif defined(__x86_64__) && !HOCKET_TSAN && !defined(HOCKET_ATOMIC_HEADER)
    // One instruction, where g++ makes three of a relaxed load and store; an aligned 8-byte store cannot
    // tear.
    asm("incq %0" : "+m"(*reinterpret_cast<std::uint64_t*>(&value_)));
#else
    value_.store(value_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
#endif
  }
  void add(std::uint64_t n) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  /// publish() is bump() as a release: pairs with observe(), for counts that termination is decided by.
  void publish() {
    interleave(this);
    value_.store(value_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  std::uint64_t read() const { return value_.load(std::memory_order_relaxed); }
  std::uint64_t observe() const {
    interleave(this);
    return value_.load(std::memory_order_acquire);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};
static_assert(sizeof(tally) == 8);

}  // namespace hocket::detail
