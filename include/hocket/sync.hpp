// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full/empty variables: Chapel's sync and single, with their state inside (no table, no mutex).
// Examples: examples/sync.cpp, single.cpp.
//
// Letters, order and visibility are those of full_empty.hpp. Cost: a locked instruction where nobody waits.
#pragma once
#include <cstring>
#include <optional>
#include <type_traits>

#include <hocket/detail/full_empty.hpp>

namespace hocket {

namespace detail {

/// A value that knows whether it is full.
template <class T>
class full_empty_variable {
  static_assert(
      std::is_trivially_copyable_v<T> && sizeof(T) <= full_empty_state::most_bytes,
      "a sync or single variable holds what is copied byte by byte, at most 64 bytes: let it hold a pointer "
      "to anything else");

 public:
  full_empty_variable() : state_(false), value_{} {}
  explicit full_empty_variable(const T& v) : state_(true), value_(v) {}

  full_empty_state& state() { return state_; }
  const full_empty_state& state() const { return state_; }

  T read(full_empty what, const void* object) {
    T v;
    if (HOCKET_LIKELY(state_.lock_full())) {
      v = value_;
      state_.unlock(what == full_empty::readFF);
    } else {
      waiter_frame f;
      state_.read(what, &value_, sizeof value_, &v, object, f);
    }
    return v;
  }
  void write(full_empty what, T v, const void* object) {
    if (HOCKET_LIKELY(what == full_empty::writeEF ? state_.lock_empty() : state_.lock_full())) {
      value_ = v;
      state_.unlock(true);
    } else {
      state_.write(what, &value_, sizeof value_, &v, object);
    }
  }
  std::optional<T> read_until(full_empty what, deadline until, const void* object) {
    T v;
    if (!state_.operate(what, &value_, sizeof value_, &v, until, object)) return {};
    return v;
  }
  bool write_until(full_empty what, T v, deadline until, const void* object) {
    return state_.operate(what, &value_, sizeof value_, &v, until, object);
  }
  /// What never waits.
  void change(full_empty what, T* v, const void* object) {
    state_.operate(what, &value_, sizeof value_, v, never, object);
  }
  T look() {
    T v;
    state_.look(&value_, sizeof value_, &v);
    return v;
  }
  /// The value, of one that has become full for ever.
  T written() const { return value_; }

 private:
  full_empty_state state_;
  alignas(sizeof(T) == 8 ? 8 : alignof(T)) T value_;  // guarded by state_'s lock
};

/// For futures.
template <class V>
full_empty_state& state_of(V& v) {
  return v.variable_.state();
}

}  // namespace detail

/// sync<T> is full or empty; it begins empty, or full with a value. T: copied byte by byte, at most 64 bytes.
/// To destroy it while somebody waits ends the program with a sentence.
template <class T>
class sync {
  using op = detail::full_empty;

 public:
  sync() = default;
  explicit sync(const T& v) : variable_(v) {}
  ~sync() {
    if (HOCKET_UNLIKELY(variable_.state().waited_for())) detail::refuse_end("a sync variable", this);
  }
  /// sync(sync&&) takes the other's state and value, and leaves it empty. Throws error(misuse) if somebody
  /// waits for the other. There is no copy: what waits for one would not wait for the other.
  sync(sync&& other) {
    if (other.variable_.state().waited_for())
      detail::throw_misuse(
          "a sync variable was moved while tasks or threads wait for it; move it before or after");
    if (const std::optional<T> v = other.try_readFE()) variable_.write(op::writeEF, *v, this);
  }
  sync& operator=(sync&&) = delete;

  /// readFE() waits until it is full, empties it, and returns its value. One of those who wait goes on at
  /// each fill.
  T readFE() { return variable_.read(op::readFE, this); }
  /// readFF() waits until it is full, and returns its value. All who wait go on.
  T readFF() { return variable_.read(op::readFF, this); }
  /// readXX() returns what it holds, full or empty. Never waits.
  T readXX() const { return const_cast<sync*>(this)->variable_.look(); }
  /// writeEF() waits until it is empty, writes it, and fills it.
  void writeEF(const T& v) { variable_.write(op::writeEF, v, this); }
  /// writeFF() waits until it is full, writes it, and leaves it full.
  void writeFF(const T& v) { variable_.write(op::writeFF, v, this); }
  /// writeXF() writes it and fills it, whatever it was. Never waits.
  void writeXF(T v) { variable_.change(op::writeF, &v, this); }
  /// reset() makes it empty, with a value of zero. Never waits; if a writeEF waits, its value fills it at
  /// once.
  void reset() { variable_.change(op::purge, nullptr, this); }
  /// isFull() is its state a moment ago.
  bool isFull() const { return variable_.state().is_full(); }

  /// The same without waiting, or with a limit: nothing, or false, where they would have to wait (for
  /// longer).
  std::optional<T> try_readFE() { return variable_.read_until(op::readFE, detail::at_once, this); }
  std::optional<T> try_readFF() { return variable_.read_until(op::readFF, detail::at_once, this); }
  bool try_writeEF(const T& v) { return variable_.write_until(op::writeEF, v, detail::at_once, this); }
  bool try_writeFF(const T& v) { return variable_.write_until(op::writeFF, v, detail::at_once, this); }
  template <class Rep, class Period>
  std::optional<T> readFE_for(const std::chrono::duration<Rep, Period>& d) {
    return variable_.read_until(op::readFE, detail::deadline_after(d), this);
  }
  template <class Clock, class Duration>
  std::optional<T> readFE_until(const std::chrono::time_point<Clock, Duration>& t) {
    return variable_.read_until(op::readFE, detail::deadline_at(t), this);
  }
  template <class Rep, class Period>
  std::optional<T> readFF_for(const std::chrono::duration<Rep, Period>& d) {
    return variable_.read_until(op::readFF, detail::deadline_after(d), this);
  }
  template <class Clock, class Duration>
  std::optional<T> readFF_until(const std::chrono::time_point<Clock, Duration>& t) {
    return variable_.read_until(op::readFF, detail::deadline_at(t), this);
  }
  template <class Rep, class Period>
  bool writeEF_for(const T& v, const std::chrono::duration<Rep, Period>& d) {
    return variable_.write_until(op::writeEF, v, detail::deadline_after(d), this);
  }
  template <class Clock, class Duration>
  bool writeEF_until(const T& v, const std::chrono::time_point<Clock, Duration>& t) {
    return variable_.write_until(op::writeEF, v, detail::deadline_at(t), this);
  }
  template <class Rep, class Period>
  bool writeFF_for(const T& v, const std::chrono::duration<Rep, Period>& d) {
    return variable_.write_until(op::writeFF, v, detail::deadline_after(d), this);
  }
  template <class Clock, class Duration>
  bool writeFF_until(const T& v, const std::chrono::time_point<Clock, Duration>& t) {
    return variable_.write_until(op::writeFF, v, detail::deadline_at(t), this);
  }

 private:
  friend detail::full_empty_state& detail::state_of<sync>(sync&);
  detail::full_empty_variable<T> variable_;
};

/// single<T> is written once, and then full for ever. T: as for sync.
template <class T>
class single {
  using op = detail::full_empty;

 public:
  single() = default;
  explicit single(const T& v) : variable_(v) {}
  ~single() {
    if (HOCKET_UNLIKELY(variable_.state().waited_for())) detail::refuse_end("a single variable", this);
  }
  single(const single&) = delete;
  single& operator=(const single&) = delete;

  /// readFF() waits until it is full, and returns its value. Cost when full: a plain load.
  T readFF() {
    if (HOCKET_LIKELY(variable_.state().is_full())) return variable_.written();
    return variable_.read(op::readFF, this);
  }
  std::optional<T> try_readFF() { return readFF_before(detail::at_once); }
  template <class Rep, class Period>
  std::optional<T> readFF_for(const std::chrono::duration<Rep, Period>& d) {
    return readFF_before(detail::deadline_after(d));
  }
  template <class Clock, class Duration>
  std::optional<T> readFF_until(const std::chrono::time_point<Clock, Duration>& t) {
    return readFF_before(detail::deadline_at(t));
  }
  /// readXX() returns what it holds, full or empty. Never waits.
  T readXX() const { return const_cast<single*>(this)->variable_.look(); }
  /// writeEF() writes it, and all who wait go on. Never waits: throws error(misuse) if it has been written.
  void writeEF(const T& v) {
    if (!variable_.write_until(op::writeEF, v, detail::at_once, this))
      detail::throw_misuse("a single variable was written a second time; use sync for more than one value");
  }
  /// isFull() tells whether it has been written.
  bool isFull() const { return variable_.state().is_full(); }

 private:
  std::optional<T> readFF_before(detail::deadline until) {
    if (variable_.state().is_full()) return variable_.written();
    return variable_.read_until(op::readFF, until, this);
  }
  friend detail::full_empty_state& detail::state_of<single>(single&);
  detail::full_empty_variable<T> variable_;
};

}  // namespace hocket
