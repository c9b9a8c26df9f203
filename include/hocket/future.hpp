// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// future(requirement, f): a task that does not begin before something has happened (PPL's future; the PPL
// paper, §2). Examples: examples/future.cpp, future_graph.cpp.
#pragma once
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <hocket/counter.hpp>
#include <hocket/event.hpp>
#include <hocket/full_empty.hpp>
#include <hocket/sync.hpp>
#include <hocket/task.hpp>

namespace hocket {

namespace detail {
/// One thing that must have happened; `of` is what the kind says.
struct requirement {
  enum class kind : std::uint8_t { full_word, full_state, event, counter, task } what;
  void* of;
};
/// Holds d, a new task, back until each of them has held at some moment from now on.
void submit_held(descriptor* d, const requirement*, std::size_t n);
}  // namespace detail

/// full(word) is what a future requires that begins when a full/empty word is full.
template <full_empty_word T>
struct full {
  explicit full(T& w) : word(&w) {}
  T* word;
};

/// when(...) is what a future requires: that each of these has held at some moment since the future was made.
///   event                  it is set
///   counter                it is zero
///   task<T>                it has ended, also by an exception
///   full(word)             a full/empty word is full
///   sync<T>, single<T>     the variable is full
/// It refers to events, counters, words and variables: they must live until the future has begun. Tasks it
/// keeps.
class when {
 public:
  template <class... R>
    requires(!(std::is_same_v<std::remove_cvref_t<R>, when> || ...))
  explicit when(R&&... things) {
    all_.reserve(sizeof...(R));
    (add(things), ...);
  }
  /// and_also() adds one more, for graphs whose edges are found in a loop.
  template <class R>
  when& and_also(R&& thing) {
    add(thing);
    return *this;
  }
  const std::vector<detail::requirement>& all() const { return all_; }

 private:
  using kind = detail::requirement::kind;
  void add(event& e) { all_.push_back({kind::event, &e}); }
  void add(counter& c) { all_.push_back({kind::counter, &c}); }
  template <class T>
  void add(const task<T>& t) {
    detail::descriptor* d = *t.address();
    all_.push_back({kind::task, d});
    if (d == nullptr) return;  // refused when the future is made
    d->word.fetch_add(detail::task_word::reference, std::memory_order_relaxed);
    tasks_.push_back(task<void>(d));
  }
  template <class T>
  void add(const full<T>& w) {
    all_.push_back({kind::full_word, w.word});
  }
  template <class T>
  void add(sync<T>& v) {
    all_.push_back({kind::full_state, &detail::state_of(v)});
  }
  template <class T>
  void add(single<T>& v) {
    all_.push_back({kind::full_state, &detail::state_of(v)});
  }
  std::vector<detail::requirement> all_;
  std::vector<task<void>> tasks_;  // keeps those named alive, until they have got the future as a waiter
};

/// future(requirement, f) is spawn(f) that does not begin before the requirement is met: until then it is a
/// descriptor and a record in the lists of what it waits for; no stack, no queue. Its handle is a task<T>, so
/// another future may require it, and run() does not return before it has ended. A stop token ends it without
/// having run, but not before its requirement is met. Never blocks. Throws error(no_memory),
/// error(not_running), error(invalid_handle). Cost: an allocation, and some 100 ns for each requirement.
template <class F>
task<detail::task_result<F>> future(const when& requirement, const task_attributes& a, F&& f) {
  detail::descriptor* d = detail::make_descriptor<true>(a, std::forward<F>(f), 2);
  detail::submit_held(d, requirement.all().data(), requirement.all().size());
  return task<detail::task_result<F>>(d);
}
template <class F>
task<detail::task_result<F>> future(const when& requirement, F&& f) {
  detail::descriptor* d = detail::make_descriptor<false>({}, std::forward<F>(f), 2);
  detail::submit_held(d, requirement.all().data(), requirement.all().size());
  return task<detail::task_result<F>>(d);
}
/// With one requirement: future(e, f) is future(when(e), f).
template <class R, class F>
  requires(!std::is_same_v<std::remove_cvref_t<R>, when>)
task<detail::task_result<F>> future(R&& thing, F&& f) {
  return future(when(thing), std::forward<F>(f));
}

}  // namespace hocket
