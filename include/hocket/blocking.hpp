// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that block in the system, made without blocking a worker.
// Examples: examples/blocking.cpp.
#pragma once
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace hocket {

namespace detail {
void run_blocking(void (*call)(void*), void* argument);
}

/// blocking(f) runs f() on a thread of its own kind and returns its value, or throws its exception; the
/// calling task waits, its worker runs others. For calls that block in the system: read, accept, a foreign
/// library's wait. f is on no task: it may wait, spawn and set events as any other thread may, but must not
/// fork; its thread-locals are that thread's. While it goes on no stop request comes out of it, and the run
/// is not taken for a deadlock. Threads are made when needed, kept until the run ends, and at most as many as
/// the option max_threads leaves (64 if it is not set); further calls wait for one. With none left
/// (max_threads 1), and on a thread that is no task, f runs where it is called. Cost: some 10 us (two changes
/// of thread).
template <class F>
auto blocking(F&& f) -> std::invoke_result_t<F&> {
  using result = std::invoke_result_t<F&>;
  static_assert(!std::is_reference_v<result>, "blocking(f): f returns a value; return a pointer instead");
  using kept = std::conditional_t<std::is_void_v<result>, char, result>;
  struct call {
    F& f;
    std::optional<kept> value{};
    std::exception_ptr failure{};
  } c{f};
  detail::run_blocking(
      [](void* p) {
        call& mine = *static_cast<call*>(p);
        try {
          if constexpr (std::is_void_v<result>) {
            mine.f();
          } else {
            mine.value.emplace(mine.f());
          }
        } catch (...) {
          mine.failure = std::current_exception();
        }
      },
      &c);
  if (c.failure != nullptr) std::rethrow_exception(std::move(c.failure));
  if constexpr (!std::is_void_v<result>) return std::move(*c.value);
}

}  // namespace hocket
