// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The deque of a real task, as the in-lined half of fork and join sees it. The slow half is
// src/sched/deque.cpp.
//
// A real task is a stack, and its deque of forked, not yet started children belongs to the stack, not to the
// worker: a frame's slot pointer stays right wherever the task resumes, and the fast path reads one
// thread-local word. The deque is a chain of segments of 201 slots; all but the top one are wholly shared. In
// one segment
//   slots [0,tail) are stolen, [tail,split) shared, [split,head) private to the owner.
// The owner forks and joins by plain stores; it polls one word, lim: an access to slot s is fast iff s >=
// lim. lim is the address of slot `split`, or `always` when a thief asks for work or nothing is shared.
// Vocabulary and proof: docs/fork-join.md and tests/models.
#pragma once
#include <cstddef>
#include <cstdint>

#include <hocket/detail/atomic.hpp>
#include <hocket/detail/layout.hpp>

namespace hocket::detail {

struct real_task;
struct slot;

/// Runs a stolen child on the calling worker's stack; returns the task that waits for it, or null.
using slot_function = real_task* (*)(slot*);

/// What slot::state holds: `queued`, `taken` by whoever runs it elsewhere, then `ended` or `failed`; while
/// its parent waits for it, the parent's real_task*. A parent that runs the child itself leaves it `queued`.
enum slot_state : std::uintptr_t { queued = 0, ended = 1, taken = 2, failed = 3 };
/// Set in the parent's address if the child was `taken` already when the parent began to wait; the bits below
/// a task's address that are not part of it.
inline constexpr std::uintptr_t was_taken = 4, state_bits = 7;

/// One forked child. A cache line: what it runs, how it ended, the closure and later the result.
struct alignas(64) slot {
  static constexpr std::size_t capacity = 40;
  slot_function run;
  atomic<std::uintptr_t> state;  // claim and wait: compare_exchange; end: exchange(acq_rel)
  tally forks;                   // children ever forked in this slot; written by the owner only
  alignas(8) unsigned char data[capacity];
};
static_assert(sizeof(slot) == 64);

inline constexpr std::uintptr_t always = ~std::uintptr_t{0};

struct segment {
  // Written by the owner only; thieves read head when they expose private slots (release by fork, acquire
  // there).
  alignas(64) atomic<slot*> head;
  real_task* owner;
  segment* previous;
  // Children given away (give_newest) whose join has not accounted for them yet; and those accounted for that
  // thieves have passed.
  std::uint64_t given;
  std::uint64_t passed;
  atomic<segment*> next;  // release by the owner when it grows the chain, acquire by thieves
  // Polled by all, written rarely.
  alignas(64) atomic<std::uintptr_t> lim;
  // {tail:16, split:16, epoch:32}. Thieves: compare-and-swap. The owner too, but where tail == split and it
  // is alone.
  atomic<std::uint64_t> ts;
  // Given children that thieves have passed: release by them, acquire by the owner's join.
  atomic<std::uint64_t> passes;
  slot slots[(area_bytes - segment_offset - 128) / sizeof(slot)];
};
inline constexpr std::size_t segment_slots = sizeof(segment::slots) / sizeof(slot);
static_assert(sizeof(segment) + segment_offset == area_bytes);

HOCKET_ALWAYS_INLINE segment* segment_of(const slot* s) {
  return reinterpret_cast<segment*>((address(s) & ~(area_bytes - 1)) + segment_offset);
}
/// The last slot of a segment is never filled: to fork there is to grow the chain.
HOCKET_ALWAYS_INLINE bool is_sentinel(const slot* s) { return (address(s + 1) & (area_bytes - 1)) == 0; }

}  // namespace hocket::detail

extern "C" {
/// The top segment of the task that this thread runs; a dummy on threads that run none. Switched with the
/// task.
extern __thread hocket::detail::segment* hocket_top __attribute__((tls_model("initial-exec")));
extern int hocket_switched;  // never written: a dependency that keeps reads of hocket_top after calls that
                             // may switch
}

namespace hocket::detail {

/// The thread-local word is read and written by instructions that the compiler cannot cache: after any call
/// the task may be on another worker, and g++ and clang keep the address of a thread_local in a register
/// across calls.
#if defined(__x86_64__)
HOCKET_ALWAYS_INLINE segment* top_segment() {
  segment* t;
  asm volatile("movq hocket_top@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(t) : "m"(hocket_switched));
  return t;
}
HOCKET_ALWAYS_INLINE void set_top_segment(segment* t) {
  void* scratch;
  asm volatile("movq hocket_top@gottpoff(%%rip), %0\n\tmovq %1, %%fs:(%0)"
               : "=&r"(scratch)
               : "r"(t)
               : "memory");
}
#elif defined(__aarch64__)
// A memory clobber does here what hocket_switched does above, where it costs no instruction.
HOCKET_ALWAYS_INLINE segment* top_segment() {
  segment* t;
  void* thread;
  asm volatile(
      "adrp %0, :gottprel:hocket_top\n\tldr %0, [%0, #:gottprel_lo12:hocket_top]\n\t"
      "mrs %1, tpidr_el0\n\tldr %0, [%0, %1]"
      : "=&r"(t), "=&r"(thread)
      :
      : "memory");
  return t;
}
HOCKET_ALWAYS_INLINE void set_top_segment(segment* t) {
  void *offset, *thread;
  asm volatile(
      "adrp %0, :gottprel:hocket_top\n\tldr %0, [%0, #:gottprel_lo12:hocket_top]\n\t"
      "mrs %1, tpidr_el0\n\tstr %2, [%0, %1]"
      : "=&r"(offset), "=&r"(thread)
      : "r"(t)
      : "memory");
}
#else
segment* top_segment();  // out of line, which keeps the compiler from caching as well
void set_top_segment(segment*);
#endif

void fork_slow(slot* s);  // shares work; s is filled, and becomes the top
slot* fork_overflow(
    slot* s);  // s is a sentinel: returns the first slot of the next segment; throws if not in a task
bool join_slow(slot* s);  // true: s was stolen, has ended, s->state and s->data hold its outcome
[[noreturn]] void rethrow_from(slot* s);
void discard_outcome(slot* s);  // destroys the exception, if any, of a stolen child

}  // namespace hocket::detail
