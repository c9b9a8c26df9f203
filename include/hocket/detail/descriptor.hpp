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
#include <type_traits>
#include <utility>

#include <hocket/detail/atomic.hpp>

namespace hocket {

/// task_attributes are what a task may be given beside its function. The name must outlive the task.
struct task_attributes {
  const char* name = nullptr;  // shown in reports; null: "task"
  std::size_t stack_size = 0;  // bytes; 0: the run's. Rounded up to a size the stack arena has
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
  std::uint32_t payload;                 // offset of closure and result
  bool named;                            // a task_attributes lies at data()
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
inline constexpr std::uint64_t reference = std::uint64_t{1} << 32;
}  // namespace task_word

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

void check_stack_size(std::size_t bytes);  // throws error(no_memory) if no stack is so large
descriptor* allocate_descriptor(std::size_t bytes, unsigned size_class);  // throws error(no_memory)
void check_attributes(const task_attributes&);  // throws error(no_memory) for a stack larger than any
void free_unused_descriptor(descriptor*);       // one whose closure could not be made
void release_descriptor(descriptor*);           // drops a reference; the last one destroys the result
void submit_virtual(descriptor*,
                    bool detached);  // into the virtual queue of this worker, or into the process's
void submit_real(descriptor*);       // gives it a stack and makes it ready
void wait_for(descriptor*);
std::size_t wait_for_any(descriptor* const*, std::size_t n);
[[noreturn]] void throw_invalid_handle();

/// Layout and operations of the descriptor of closure F with result R.
template <class F, class R, bool Named>
struct task_record {
  static constexpr std::size_t alignment = std::max({alignof(F), alignof(R), alignof(std::exception_ptr)});
  static constexpr std::size_t attributes_bytes = Named ? sizeof(task_attributes) : 0;
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
                                              payload,
                                              Named};
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
