// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structured parallelism: fork_join, cobegin and fork_scope. Nothing is allocated; a child that nobody steals
// costs two plain calls, a child that blocks costs its worker nothing.
// Examples: examples/fork_join.cpp, cobegin.cpp, fork_scope.cpp.
#pragma once
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <hocket/detail/segment.hpp>

namespace hocket {

/// What a callable that returns void counts as returning.
struct unit {
  friend bool operator==(unit, unit) { return true; }
};

namespace detail {

template <class F>
HOCKET_ALWAYS_INLINE auto invoke_value(F& f) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
    f();
    return unit{};
  } else {
    return f();
  }
}
template <class F>
using value_of = decltype(invoke_value(std::declval<F&>()));

template <class T>
constexpr bool fits_slot = sizeof(T) <= slot::capacity && alignof(T) <= 8;

/// A small closure that copies as bytes and does not change when called goes into the slot, so that nothing
/// of the parent's frame escapes; any other is referred to through a record in the parent's frame, which
/// outlives the join.
template <class F>
constexpr bool by_value =
    fits_slot<F> && std::is_trivially_copyable_v<F> && std::is_copy_constructible_v<F> &&
    std::is_invocable_v<const F&> && fits_slot<value_of<F>>;

template <class F>
union result_space {
  value_of<F> value;
  result_space() {}
  ~result_space() {}
};

template <class F>
struct frame_record {
  F* closure;
  result_space<F>* result;
};

template <class F>
value_of<F>* result_in(slot* s) {
  if constexpr (by_value<F>) {
    return std::launder(reinterpret_cast<value_of<F>*>(s->data));
  } else {
    return std::addressof(reinterpret_cast<frame_record<F>*>(s->data)->result->value);
  }
}

/// Runs a stolen child on the thief's stack. After the exchange the slot belongs to the parent again.
template <class F>
HOCKET_NOINLINE real_task* run_stolen(slot* s) {
  std::uintptr_t outcome = ended;
  try {
    if constexpr (by_value<F>) {
      F f(*std::launder(reinterpret_cast<F*>(s->data)));
      new (s->data) value_of<F>(invoke_value(f));
    } else {
      frame_record<F> record;
      std::memcpy(&record, s->data, sizeof record);
      new (std::addressof(record.result->value)) value_of<F>(invoke_value(*record.closure));
    }
  } catch (...) {
    new (s->data) std::exception_ptr(std::current_exception());
    outcome = failed;
  }
  // release: the outcome; acquire: the waiter's saved context. Pairs with join_slow's load and
  // compare_exchange.
  const auto before = s->state.exchange(outcome, std::memory_order_acq_rel);
  return reinterpret_cast<real_task*>(before & ~state_bits);
}

/// Space for the result of a child that is referred to; empty for one that goes into the slot.
template <class F, bool Empty = by_value<F>>
struct child_frame {
  result_space<F> result;
};
template <class F>
struct child_frame<F, true> {};

template <class F>
HOCKET_ALWAYS_INLINE void fill(slot* s, F& f, child_frame<F>& frame) {
  s->run = &run_stolen<F>;
  if constexpr (by_value<F>) {
    new (s->data) F(f);
  } else {
    new (s->data) frame_record<F>{std::addressof(f), &frame.result};
  }
}

/// push() forks: s is filled and becomes the top. The order of its three accesses is the deque's protocol:
/// head before lim, as in pop(), so that a worker that asks for children before it sleeps sees this one, or
/// is seen.
HOCKET_ALWAYS_INLINE void push(segment* t, slot* s) {
  s->forks.bump();
  t->head.store(s + 1, std::memory_order_release);  // pairs with the acquire of an exposing thief
  compiler_fence();
  if (HOCKET_UNLIKELY(address(s) < t->lim.load(std::memory_order_relaxed))) fork_slow(s);
}

/// pop() joins the top child: false if the caller is to run it, true if it ran elsewhere and has ended.
HOCKET_ALWAYS_INLINE bool pop(slot* s) {
  segment* t = segment_of(s);
  t->head.store(s, std::memory_order_relaxed);
  compiler_fence();  // store head, then load lim: the exposing thief's heavy_fence() is the other half
  return HOCKET_UNLIKELY(address(s) < t->lim.load(std::memory_order_relaxed)) && join_slow(s);
}

/// Takes the result of a child that was stolen and has ended.
template <class F>
value_of<F> take(slot* s) {
  // relaxed: join_slow has acquired it.
  if (s->state.load(std::memory_order_relaxed) == failed) rethrow_from(s);
  s->state.store(queued, std::memory_order_relaxed);
  value_of<F>* p = result_in<F>(s);
  value_of<F> r(std::move(*p));
  std::destroy_at(p);
  return r;
}

/// The child of a parent whose own half has thrown: it runs all the same (another task may wait for what it
/// does); its result and its exception are dropped. It is run from the slot's copy, so that no address of it
/// escapes.
template <class F>
HOCKET_COLD void settle(slot* s) noexcept {
  try {
    if (pop(s)) {
      take<F>(s);
    } else if constexpr (by_value<F>) {
      F f(*std::launder(reinterpret_cast<F*>(s->data)));
      f();
    } else {
      (*std::launder(reinterpret_cast<frame_record<F>*>(s->data))->closure)();
    }
  } catch (...) {
  }
}

}  // namespace detail

/// fork_join(f, g) runs f on the calling task while g may be taken by an idle worker; if none took it, g runs
/// here after f. Returns {f(), g()}, with unit for void. Results are moved.
///
/// Both may block anywhere, fork, and throw. If f throws, g is still run (or awaited) before f's exception
/// comes out; g's own exception is then dropped. Results by reference are not supported. Blocks the task,
/// never the core, when g was taken and has not ended. What f and g did is visible to the caller after. Cost:
/// about three plain calls if nobody steals; no allocation, lock or fence. Callers: tasks only; elsewhere it
/// throws errc::not_a_task.
template <class F, class G>
HOCKET_ALWAYS_INLINE auto fork_join(F&& f, G&& g)
    -> std::pair<detail::value_of<std::remove_reference_t<F>>, detail::value_of<std::remove_reference_t<G>>> {
  using namespace detail;
  using child = std::remove_reference_t<G>;
  segment* t = top_segment();
  slot* s = t->head.load(std::memory_order_relaxed);
  if (HOCKET_UNLIKELY(is_sentinel(s))) {
    s = fork_overflow(s);
    t = segment_of(s);
  }
  child_frame<child> frame;
  fill<child>(s, g, frame);
  push(t, s);
  auto first = [&] {
    if constexpr (noexcept(f())) {
      return invoke_value(f);
    } else {
      try {
        return invoke_value(f);
      } catch (...) {
        settle<child>(s);
        throw;
      }
    }
  }();
  auto second = pop(s) ? take<child>(s) : invoke_value(g);  // before the first is moved, which might throw
  return {std::move(first), std::move(second)};
}

/// cobegin(f1, ..., fn) runs all of them, perhaps in parallel, and returns when all have ended (Chapel's
/// cobegin). The exception of the first in argument order that threw comes out, after all have ended.
/// Callers: tasks only.
template <class F>
HOCKET_ALWAYS_INLINE void cobegin(F&& f) {
  f();
}
template <class F, class G, class... More>
HOCKET_ALWAYS_INLINE void cobegin(F&& f, G&& g, More&&... more) {
  if constexpr (sizeof...(More) == 0) {
    fork_join(f, g);
  } else {
    fork_join(f, [&] { cobegin(g, more...); });
  }
}

/// fork_scope<F> forks any number of children of one closure type from a loop and joins them, last first.
///
///   fork_scope<node> children;                  // node: a closure type, long operator()() const
///   for (auto& c : tree.children) children.fork(node{&c});
///   children.join([&](long n) { sum += n; });
///
/// A closure that copies as bytes and fits 40 bytes costs no allocation; any other is kept in one heap cell.
/// Everything between construction and join is one task's; scopes and fork_join nest as calls do.
/// join() rethrows the exception of the earliest child that threw, after all have ended. The destructor joins
/// too, and drops exceptions. Callers: tasks only. Blocks the task, in join() only.
template <class F>
class fork_scope {
 public:
  using result = detail::value_of<F>;

  fork_scope() : next_(detail::top_segment()->head.load(std::memory_order_relaxed)) {}
  fork_scope(const fork_scope&) = delete;
  fork_scope& operator=(const fork_scope&) = delete;
  HOCKET_ALWAYS_INLINE ~fork_scope() {
    if (HOCKET_UNLIKELY(forked_ != 0)) abandon();
  }

  /// fork() makes a copy of f a child that may start at once.
  HOCKET_ALWAYS_INLINE void fork(F f) {
    detail::slot* s = next_;
    if (HOCKET_UNLIKELY(detail::is_sentinel(s))) s = detail::fork_overflow(s);
    detail::child_frame<kept> none;
    if constexpr (in_slot) {
      detail::fill<kept>(s, f, none);
    } else {
      kept k{new cell{std::move(f), {}}};
      detail::fill<kept>(s, k, none);
    }
    detail::push(detail::segment_of(s), s);
    next_ = s + 1;
    ++forked_;
  }

  /// join() runs or awaits every child; consume(result) is called on the joining task for each, last forked
  /// first.
  template <class C>
  HOCKET_ALWAYS_INLINE void join(C&& consume) {
    std::exception_ptr earliest;
    while (forked_ != 0) {
      --forked_;
      if (HOCKET_UNLIKELY(next_ == detail::segment_of(next_)->slots)) next_ = last_of_previous(next_);
      detail::slot* s = --next_;
      if constexpr (noexcept(std::declval<F&>()())) {
        consume(one(s));
      } else {
        try {
          consume(one(s));
        } catch (...) {
          earliest = std::current_exception();
        }
      }
    }
    if (HOCKET_UNLIKELY(earliest != nullptr)) std::rethrow_exception(std::move(earliest));
  }
  HOCKET_ALWAYS_INLINE void join() {
    join([](const result&) {});
  }

 private:
  static constexpr bool in_slot = detail::by_value<F>;
  struct cell {
    F f;
    detail::result_space<F> result;
  };
  struct boxed {  // a pointer to a heap cell: copies as bytes, so that it goes into the slot; the cell is its
                  // result
    cell* c;
    cell* operator()() const {
      std::unique_ptr<cell> owned(c);
      new (std::addressof(c->result.value)) result(detail::invoke_value(c->f));
      return owned.release();
    }
  };
  using kept = std::conditional_t<in_slot, F, boxed>;

  static detail::slot* last_of_previous(detail::slot* s) {
    return detail::segment_of(s)->previous->slots + detail::segment_slots - 1;
  }

  HOCKET_ALWAYS_INLINE result one(detail::slot* s) {
    if constexpr (in_slot) {
      if (detail::pop(s)) return detail::take<F>(s);
      F f(*std::launder(reinterpret_cast<F*>(s->data)));
      return detail::invoke_value(f);
    } else {
      cell* c;
      if (detail::pop(s)) {
        c = detail::take<boxed>(s);
      } else {
        boxed b(*std::launder(reinterpret_cast<boxed*>(s->data)));
        c = b();
      }
      std::unique_ptr<cell> owned(c);
      result r(std::move(c->result.value));
      std::destroy_at(std::addressof(c->result.value));
      return r;
    }
  }
  HOCKET_COLD void abandon() noexcept {
    try {
      join();
    } catch (...) {
    }
  }

  detail::slot* next_;
  std::size_t forked_ = 0;
};

}  // namespace hocket
