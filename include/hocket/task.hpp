// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks with handles: spawn (virtual), start (real), begin (no handle), and the waits for one, all or any of
// them.
// Examples: examples/spawn_get.cpp, start.cpp, begin.cpp, wait_any.cpp, wait_all.cpp, task_attributes.cpp,
// spawn_after.cpp, priority.cpp, daemon.cpp.
#pragma once
#include <algorithm>
#include <cstddef>
#include <exception>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include <hocket/detail/descriptor.hpp>
#include <hocket/detail/place.hpp>
#include <hocket/error.hpp>

namespace hocket {

/// task<T> is a handle: a copyable value, 8 bytes. The task ends whether or not a handle is left; its result
/// lives as long as a handle does, its stack only as long as it runs (PACLIB's task and result descriptors,
/// section 2).
///
/// Waiting is not destructive: any number of tasks and threads may wait, each any number of times, through
/// one handle object or through copies. What the task did is visible after the wait.
template <class T>
class task {
 public:
  using value_type = T;

  task() = default;
  task(const task& other) : d_(other.d_) {
    // relaxed: the reference that is copied keeps the descriptor alive.
    if (d_ != nullptr) d_->word.fetch_add(detail::task_word::reference, std::memory_order_relaxed);
  }
  task(task&& other) noexcept : d_(std::exchange(other.d_, nullptr)) {}
  task& operator=(task other) noexcept {
    std::swap(d_, other.d_);
    return *this;
  }
  ~task() {
    if (d_ != nullptr) detail::release_descriptor(d_);
  }

  /// valid() is false for a handle that is empty: default-made or moved from. Every other call on such a one
  /// throws error(invalid_handle).
  bool valid() const { return d_ != nullptr; }

  /// done() never blocks. If true, what the task did is visible to the caller.
  bool done(detail::place where = detail::place::current()) const {
    return (checked(where)->word.load(std::memory_order_acquire) & detail::task_word::state_mask) ==
           detail::task_word::done;
  }

  /// wait() returns when the task has ended, by return or by exception. If it is still virtual and the stack
  /// left allows, it runs here, as a call (PACLIB's rule of the deterministic wait); else the calling task
  /// suspends, and lends the task its priority. Throws cancelled if the caller is asked to stop meanwhile;
  /// the task goes on.
  void wait(detail::place where = detail::place::current()) const {
    if (!done(where)) detail::wait_done(d_);
  }

  /// wait_for(), wait_until(): as wait(), but at most so long; true if the task has ended. If it is still
  /// virtual it is made real, since to run it here might take longer.
  template <class Rep, class Period>
  bool wait_for(const std::chrono::duration<Rep, Period>& d,
                detail::place where = detail::place::current()) const {
    return done(where) || detail::wait_done_until(d_, detail::deadline_after(d));
  }
  template <class Clock, class Duration>
  bool wait_until(const std::chrono::time_point<Clock, Duration>& t,
                  detail::place where = detail::place::current()) const {
    return done(where) || detail::wait_done_until(d_, detail::deadline_at(t));
  }

  /// get() waits and returns the result, which lives as long as a handle does; the task's exception comes out
  /// of it, each time. For task<void> it returns nothing.
  decltype(auto) get(detail::place where = detail::place::current()) const {
    wait(where);
    if (HOCKET_UNLIKELY((d_->word.load(std::memory_order_acquire) & detail::task_word::failed) != 0)) {
      std::rethrow_exception(*detail::failure_place(d_));
    }
    if constexpr (!std::is_void_v<T>)
      return static_cast<const T&>(*static_cast<const T*>(detail::result_place(d_)));
  }

  friend bool operator==(const task& a, const task& b) { return a.d_ == b.d_; }

  /// For the library: takes over one reference.
  explicit task(detail::descriptor* d) noexcept : d_(d) {}
  detail::descriptor* const* address() const { return &d_; }

 private:
  detail::descriptor* checked([[maybe_unused]] detail::place where) const {
    if (HOCKET_UNLIKELY(d_ == nullptr)) detail::throw_invalid_handle(where.file(), where.line());
    return d_;
  }
  detail::descriptor* d_ = nullptr;
};

namespace detail {

template <class F>
using task_result = std::invoke_result_t<std::decay_t<F>&>;

/// Makes the descriptor of a task with `references` references.
template <bool Named, class F>
descriptor* make_descriptor(const task_attributes& attributes, F&& f, unsigned references) {
  using closure = std::decay_t<F>;
  using stored = std::conditional_t<std::is_void_v<task_result<F>>, char, task_result<F>>;
  using record = task_record<closure, stored, Named>;
  descriptor* d = new_descriptor(record::operations, references, Named ? &attributes : nullptr);
  if constexpr (std::is_nothrow_constructible_v<closure, F&&>) {
    new (record::place(d)) closure(std::forward<F>(f));
  } else {
    try {
      new (record::place(d)) closure(std::forward<F>(f));
    } catch (...) {
      free_unused_descriptor(d);
      throw;
    }
  }
  return d;
}

}  // namespace detail

/// spawn(f) makes a virtual task of a copy of f: a pooled descriptor of 64 bytes (if closure and result fit
/// 32) in this worker's queue, no stack. It runs when a worker is idle, when a task ends, or when somebody
/// waits for it. Throws error(no_memory), error(not_running). Never blocks. Cost: some 10 ns. Any thread
/// while a run goes on.
template <class F>
task<detail::task_result<F>> spawn(F&& f) {
  detail::descriptor* d = detail::make_descriptor<false>({}, std::forward<F>(f), 2);
  detail::submit_virtual(d, false);
  return task<detail::task_result<F>>(d);
}
template <class F>
task<detail::task_result<F>> spawn(const task_attributes& a, F&& f) {
  detail::descriptor* d = detail::make_descriptor<true>(a, std::forward<F>(f), 2);
  detail::submit_virtual(d, false);
  return task<detail::task_result<F>>(d);
}

/// start(f) makes a real task: it has a stack at once and is ready (pacStart); called by a thread that is
/// none of the workers, it gets that stack from the next worker that looks. Prefer spawn, unless the task
/// must get its turn among the ready ones, or a stack that is nobody else's.
template <class F>
task<detail::task_result<F>> start(F&& f) {
  detail::descriptor* d = detail::make_descriptor<false>({}, std::forward<F>(f), 2);
  detail::submit_real(d);
  return task<detail::task_result<F>>(d);
}
template <class F>
task<detail::task_result<F>> start(const task_attributes& a, F&& f) {
  detail::descriptor* d = detail::make_descriptor<true>(a, std::forward<F>(f), 2);
  detail::submit_real(d);
  return task<detail::task_result<F>>(d);
}

/// begin(f) makes a virtual task that nobody waits for (Chapel's begin). run() returns only after it has
/// ended; an exception that leaves f comes out of run().
template <class F>
void begin(F&& f) {
  detail::submit_virtual(detail::make_descriptor<false>({}, std::forward<F>(f), 1), true);
}
template <class F>
void begin(const task_attributes& a, F&& f) {
  detail::submit_virtual(detail::make_descriptor<true>(a, std::forward<F>(f), 1), true);
}

/// spawn_after(d, f), spawn_at(t, f): as spawn(f), but the task does not begin before that time. It keeps
/// run() from returning; to take it back, give it a stop token, and ask that to stop: then it ends at once,
/// as cancelled. Cost: an allocation, and a step on the timer wheel. Lateness: docs/time.md.
template <class Rep, class Period, class F>
task<detail::task_result<F>> spawn_after(const std::chrono::duration<Rep, Period>& d,
                                         const task_attributes& a, F&& f) {
  detail::descriptor* made = detail::make_descriptor<true>(a, std::forward<F>(f), 2);
  detail::submit_timed(made, detail::deadline_after(d));
  return task<detail::task_result<F>>(made);
}
template <class Rep, class Period, class F>
task<detail::task_result<F>> spawn_after(const std::chrono::duration<Rep, Period>& d, F&& f) {
  return spawn_after(d, task_attributes{}, std::forward<F>(f));
}
template <class Clock, class Duration, class F>
task<detail::task_result<F>> spawn_at(const std::chrono::time_point<Clock, Duration>& t,
                                      const task_attributes& a, F&& f) {
  return spawn_after(detail::time_left(t), a, std::forward<F>(f));
}
template <class Clock, class Duration, class F>
task<detail::task_result<F>> spawn_at(const std::chrono::time_point<Clock, Duration>& t, F&& f) {
  return spawn_after(detail::time_left(t), task_attributes{}, std::forward<F>(f));
}

/// wait(t, ...) waits for all of them, in the order given; exceptions stay in the tasks.
template <class... T>
void wait(const task<T>&... t) {
  (t.wait(), ...);
}

/// wait_all(range of task<T>) waits for all of them; exceptions stay in the tasks.
template <class Range>
void wait_all(const Range& range) {
  for (const auto& t : range) t.wait();
}
/// wait_all_for(), wait_all_until(): as wait_all(), but at most so long; true if all have ended.
template <class Range, class Clock, class Duration>
bool wait_all_until(const Range& range, const std::chrono::time_point<Clock, Duration>& until) {
  bool all = true;
  for (const auto& t : range) all = t.wait_until(until) && all;
  return all;
}
template <class Range, class Rep, class Period>
bool wait_all_for(const Range& range, const std::chrono::duration<Rep, Period>& d) {
  const detail::deadline until = detail::deadline_after(d);
  bool all = true;
  for (const auto& t : range) all = (t.done() || detail::wait_done_until(*t.address(), until)) && all;
  return all;
}

namespace detail {
template <class Range>
std::size_t wait_any_of(const Range& range, deadline until) {
  const auto n = static_cast<std::size_t>(std::size(range));
  if (n == 0) throw_invalid_handle();
  for (const auto& t : range) {
    if (!t.valid()) throw_invalid_handle();
  }
  static_assert(sizeof(*std::data(range)) == sizeof(descriptor*));
  return wait_any_until(std::data(range)->address(), n, until);
}
}  // namespace detail

/// wait_any(range) returns the position of a task of the range that has ended, the first such if there are
/// several; blocks until there is one. All that are still virtual are made real before it blocks (PACLIB's
/// rule of the non-deterministic wait), so that each of them gets its turn. The range is contiguous, and not
/// empty (else error(invalid_handle)). Throws cancelled if the caller is asked to stop. Cost: linear in the
/// range.
template <class Range>
std::size_t wait_any(const Range& range) {
  return detail::wait_any_of(range, detail::never);
}
/// wait_any_for(), wait_any_until(): as wait_any(), but at most so long; nothing if none has ended.
template <class Range, class Rep, class Period>
std::optional<std::size_t> wait_any_for(const Range& range, const std::chrono::duration<Rep, Period>& d) {
  const std::size_t i = detail::wait_any_of(range, detail::deadline_after(d));
  return i == static_cast<std::size_t>(std::size(range)) ? std::nullopt : std::optional(i);
}
template <class Range, class Clock, class Duration>
std::optional<std::size_t> wait_any_until(const Range& range,
                                          const std::chrono::time_point<Clock, Duration>& t) {
  return wait_any_for(range, detail::time_left(t));
}

}  // namespace hocket
