// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The atomics of the explored build (HOCKET_ATOMIC_HEADER): each access is a step at which the explorer may
// let another thread go on. All threads but one stand still, so every access is sequentially consistent.
#pragma once
#include <atomic>
#include <source_location>

#include "steps.hpp"

namespace hocket::detail {

template <class T>
class atomic {
 public:
  using order = std::memory_order;
  using place = std::source_location;

  constexpr atomic() noexcept = default;
  constexpr atomic(T value) noexcept : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(order = order::seq_cst, place p = place::current()) const {
    explorer::step(explorer::access::load, this, p);
    return seen(value_.load());
  }
  void store(T value, order = order::seq_cst, place p = place::current()) {
    explorer::step(explorer::access::store, this, p);
    value_.store(seen(value));
  }
  T exchange(T value, order = order::seq_cst, place p = place::current()) {
    explorer::step(explorer::access::exchange, this, p);
    return seen(value_.exchange(value));
  }
  bool compare_exchange_strong(T& expected, T value, order, order, place p = place::current()) {
    explorer::step(explorer::access::compare_exchange, this, p);
    const bool done = value_.compare_exchange_strong(expected, value);
    explorer::note_value(explorer::to_word(done ? value : expected), !done);
    return done;
  }
  bool compare_exchange_strong(T& expected, T value, order o = order::seq_cst, place p = place::current()) {
    return compare_exchange_strong(expected, value, o, o, p);
  }
  // Never fails spuriously here.
  bool compare_exchange_weak(T& expected, T value, order a, order b, place p = place::current()) {
    return compare_exchange_strong(expected, value, a, b, p);
  }
  bool compare_exchange_weak(T& expected, T value, order o = order::seq_cst, place p = place::current()) {
    return compare_exchange_strong(expected, value, o, o, p);
  }
  T fetch_add(T n, order = order::seq_cst, place p = place::current()) {
    explorer::step(explorer::access::fetch_add, this, p);
    return seen(value_.fetch_add(n));
  }
  T fetch_sub(T n, order = order::seq_cst, place p = place::current()) {
    explorer::step(explorer::access::fetch_sub, this, p);
    return seen(value_.fetch_sub(n));
  }
  T fetch_or(T bits, order = order::seq_cst, place p = place::current()) {
    explorer::step(explorer::access::fetch_or, this, p);
    return seen(value_.fetch_or(bits));
  }
  T fetch_and(T bits, order = order::seq_cst, place p = place::current()) {
    explorer::step(explorer::access::fetch_and, this, p);
    return seen(value_.fetch_and(bits));
  }

 private:
  static T seen(T value) {
    explorer::note_value(explorer::to_word(value), false);
    return value;
  }
  std::atomic<T> value_{};
};

/// Steps are sequentially consistent: there is nothing to order.
inline void compiler_fence() {}

/// A step of its own, before a counter that decisions are taken by is read or written.
inline void interleave(const void* word, std::source_location p = std::source_location::current()) {
  explorer::step(explorer::access::counter, word, p);
}

/// Who spins lets others go on.
inline void cpu_pause() { explorer::pause(); }

}  // namespace hocket::detail
