// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of which each task has its own value.
// Examples: examples/task_local.cpp.
#pragma once
#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <hocket/detail/config.hpp>
#include <hocket/detail/local_value.hpp>

namespace hocket {

/// task_local is to tasks what thread_local is to threads: `*x` is the calling task's own value. It is made
/// when the task first uses it, as a copy of the initial value or by the factory, and destroyed when the task
/// ends, before anyone who waits for the task goes on, the newest first. It stays where it is: references to
/// it hold until then, also across waits. Values that tasks have outlive the variable.
///
/// A task is what spawn, start, begin, spawn_after or run made, whether it has a stack of its own or runs on
/// that of a task that waits for it. A child of fork_join, cobegin or fork_scope is not: run by its parent,
/// it uses its parent's values; taken by a thief, it begins with values of its own, which end with it,
/// perhaps after the join. So let no forked child rely on either. What never happens is that two use one
/// value at once. On a thread that runs no task, inside blocking() as well, the value is the thread's, until
/// that ends.
///
/// Cost: a call and a walk through the values that the task has so far; a value is one allocation. Tasks that
/// use none pay nothing.
template <class T>
class task_local {
  static_assert(std::is_object_v<T> && std::is_same_v<T, std::remove_cv_t<T>>,
                "a task_local is an object, neither a reference nor const");

 public:
  using value_type = T;

  /// Values begin as T().
  task_local()
    requires std::default_initializable<T>
      : make_([] { return T(); }) {}
  /// Values begin as copies of `initial`.
  explicit task_local(T initial)
    requires std::copy_constructible<T>
      : make_([initial = std::move(initial)] { return initial; }) {}
  /// Values begin as what factory() returns. Several tasks may call it at once; it may wait. What it throws
  /// comes out of the first use, and the next one calls it again.
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, T> &&
             !std::is_same_v<std::remove_cvref_t<F>, task_local> &&
             std::is_invocable_r_v<T, const std::decay_t<F>&> && std::copy_constructible<std::decay_t<F>>)
  explicit task_local(F&& factory) : make_(std::forward<F>(factory)) {}
  task_local(const task_local&) = delete;
  task_local& operator=(const task_local&) = delete;

  /// get() is the caller's own value. Throws what making it throws.
  T& get() const {
    if (detail::local_value* v = detail::find_local(number_); HOCKET_LIKELY(v != nullptr))
      return static_cast<kept*>(v)->value;
    return make();
  }
  T& operator*() const { return get(); }
  T* operator->() const { return std::addressof(get()); }

 private:
  struct kept : detail::local_value {
    kept(std::uint64_t number, const std::function<T()>& make)
        : detail::local_value{nullptr, nullptr, number,
                              [](detail::local_value* v) { delete static_cast<kept*>(v); }},
          value(make()) {}
    T value;
  };
  HOCKET_NOINLINE T& make() const {
    auto* k = new kept(number_, make_);
    detail::keep_local(k);
    return k->value;
  }

  const std::uint64_t number_ = detail::new_local_variable();
  const std::function<T()> make_;
};

}  // namespace hocket
