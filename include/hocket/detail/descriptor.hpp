// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The descriptor of a task with a handle: 64 bytes for a small closure, no stack. What task<T> and the kernel
// share.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <hocket/detail/atomic.hpp>
#include <hocket/detail/deadline.hpp>

namespace hocket {

/// The order in which ready tasks get a worker; see docs/priorities.md.
enum class priority : std::uint8_t {
  low,
  normal,
  high,
  inherited,  // of the task that makes it; of main and of other threads: normal
};

/// The shepherd of a task that may run on any.
inline constexpr unsigned any_shepherd = ~0u;

/// task_attributes are what a task may be given beside its function. Those not given are inherited or the
/// run's.
struct task_attributes {
  const char* name = nullptr;  // shown in reports; null: "task". Must outlive the task
  std::size_t stack_size = 0;  // bytes; 0: the run's. Rounded up to a size the stack arena has
  hocket::priority priority = hocket::priority::inherited;
  unsigned shepherd = any_shepherd;  // its workers alone run the task; from 0, below shepherds()
  bool daemon =
      false;  // serves others: run() asks it to stop (its waits throw cancelled) when no other is left
  std::stop_token stop{};  // the token under which it runs; without a state: its maker's (see stop_scope)
};

namespace detail {

struct descriptor;
struct waiter;

/// What the kernel needs to know of a closure's type; one constant per type.
struct task_operations {
  void (*invoke)(descriptor*);           // runs the closure and puts the result in its place; may throw
  void (*destroy_closure)(descriptor*);  // of a task that will never run
  void (*destroy_result)(descriptor*);   // null if trivial
  std::uint8_t size_class;               // of the descriptor, see size_class_for
  bool named;                            // a kept_attributes lies at data()
  std::uint32_t payload;                 // offset of closure and result
  std::uint32_t bytes;                   // of all that; a stop token, if it has one, lies behind
};

/// What is kept of task_attributes; the others are bits of the word, and the stop token.
struct kept_attributes {
  const char* name;
  std::size_t stack_size;
};

/// The word of a descriptor: state, flags, and the number of references (handles, queue entry) from bit 32
/// up.
namespace task_word {
inline constexpr std::uint64_t virtual_ = 0;  // no stack yet: whoever claims it runs it
inline constexpr std::uint64_t claimed = 1;   // runs, or is real and will
inline constexpr std::uint64_t done = 2;
inline constexpr std::uint64_t state_mask = 3;
inline constexpr std::uint64_t failed = 4;  // done by an exception, which lies in the result's place
inline constexpr std::uint64_t locked = 8;  // the list of waiters is being changed
inline constexpr std::uint64_t has_waiters = 16;
inline constexpr std::uint64_t detached = 32;  // begun: nobody waits, an exception goes to run()
inline constexpr std::uint64_t scoped = 64;    // a stop token lies behind
inline constexpr std::uint64_t daemon = 128;
inline constexpr unsigned level_shift = 8;  // a priority, which only ever rises
inline constexpr std::uint64_t level_mask = std::uint64_t{3} << level_shift;
inline constexpr std::uint64_t usual_level = std::uint64_t{1} << level_shift;
inline constexpr std::uint64_t own_stack = 1024;  // started: nobody who waits runs it on his own stack
inline constexpr unsigned shepherd_shift = 16;    // the shepherd's number and 1; 0: any
inline constexpr std::uint64_t shepherd_mask = std::uint64_t{0xffff} << shepherd_shift;
inline constexpr std::uint64_t reference = std::uint64_t{1} << 32;
}  // namespace task_word

/// While it runs, `link` is the real task that runs it.
struct alignas(64) descriptor {
  atomic<std::uint64_t>
      word;  // claim: acquire; end: release; waiters' readers: acquire. All changes by read-modify-write
  const task_operations* operations;
  waiter* waiters;                              // guarded by task_word::locked
  descriptor* link;                             // in an injection list or in a free list
  unsigned char* data() { return first_data; }  // attributes, if any, then the closure, later the result
  static constexpr std::size_t inline_bytes = 32;
  alignas(16) unsigned char first_data[inline_bytes];
};
static_assert(sizeof(descriptor) == 64);

/// Descriptors are pooled in sizes of 64, 128 and 256 bytes; class 3 comes from operator new.
constexpr std::uint8_t size_class_for(std::size_t bytes) {
  return bytes <= 64 ? 0 : bytes <= 128 ? 1 : bytes <= 256 ? 2 : 3;
}

/// A descriptor without its closure: under the stop token and with the priority of the calling task, unless
/// the attributes, which may be null, name others. Throws error(no_memory), error(no_shepherd).
descriptor* new_descriptor(const task_operations&, unsigned references, const task_attributes*);
void free_unused_descriptor(descriptor*);  // one whose closure could not be made
void release_descriptor(descriptor*);      // drops a reference; the last one destroys the result
void submit_virtual(descriptor*,
                    bool detached);        // into the virtual queue of this worker, or into the process's
void submit_real(descriptor*);             // gives it a stack and makes it ready
void submit_timed(descriptor*, deadline);  // makes it virtual when the time has come
void wait_done(descriptor*);
bool wait_done_until(descriptor*, deadline);
/// The position of one that is done; n if the time has come before.
std::size_t wait_any_until(descriptor* const*, std::size_t n, deadline);
/// The file and line of a misuse, in builds with assertions; null else.
[[noreturn]] void throw_invalid_handle(const char* file = nullptr, unsigned line = 0);

/// Layout and operations of the descriptor of closure F with result R.
template <class F, class R, bool Named>
struct task_record {
  static constexpr std::size_t alignment = std::max({alignof(F), alignof(R), alignof(std::exception_ptr)});
  static constexpr std::size_t attributes_bytes = Named ? sizeof(kept_attributes) : 0;
  static constexpr std::size_t start = sizeof(descriptor) - descriptor::inline_bytes + attributes_bytes;
  static constexpr std::size_t payload = (start + alignment - 1) / alignment * alignment;
  static constexpr std::size_t bytes = payload + std::max({sizeof(F), sizeof(R), sizeof(std::exception_ptr)});
  static_assert(alignment <= 64,
                "a task's closure or result may not ask for more than 64 bytes of alignment");

  static void* place(descriptor* d) { return reinterpret_cast<unsigned char*>(d) + payload; }
  static F* closure(descriptor* d) { return std::launder(static_cast<F*>(place(d))); }
  static R* result(descriptor* d) { return std::launder(static_cast<R*>(place(d))); }

  static void invoke(descriptor* d) {
    F f(std::move(*closure(d)));
    std::destroy_at(closure(d));
    if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
      f();
    } else {
      new (place(d)) R(f());
    }
  }
  static void destroy_closure(descriptor* d) { std::destroy_at(closure(d)); }
  static void destroy_result(descriptor* d) { std::destroy_at(result(d)); }
  static constexpr task_operations operations{&invoke,
                                              &destroy_closure,
                                              std::is_trivially_destructible_v<R> ? nullptr : &destroy_result,
                                              size_class_for(bytes),
                                              Named,
                                              payload,
                                              bytes};
};

/// Where the result (or the exception_ptr) of a done task lies.
inline void* result_place(descriptor* d) {
  return reinterpret_cast<unsigned char*>(d) + d->operations->payload;
}
inline std::exception_ptr* failure_place(descriptor* d) {
  return std::launder(static_cast<std::exception_ptr*>(result_place(d)));
}

}  // namespace detail
}  // namespace hocket
