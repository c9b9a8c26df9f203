// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels: values handed from task to task, with a bound on how many lie in between; and select.
// Examples: examples/channel.cpp, select.cpp.
#pragma once
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <hocket/detail/channel_core.hpp>

namespace hocket {

template <class T>
class channel;

namespace detail {

template <class T>
inline constexpr element_operations operations_of{
    sizeof(T), alignof(T),
    [](void* to, void* from) noexcept { new (to) T(std::move(*static_cast<T*>(from))); },
    [](void* p) noexcept { std::destroy_at(static_cast<T*>(p)); }};

/// Raw memory for one value on its way out of a channel.
template <class T>
union arrival {
  T value;
  arrival() {}
  ~arrival() {}
  std::optional<T> take() {
    std::optional<T> r(std::move(value));
    std::destroy_at(std::addressof(value));
    return r;
  }
};

struct nothing {
  void operator()() const {}
};

template <class T, class F>
class receive_case;
template <class T, class Held, class F>
class send_case;

}  // namespace detail

/// channel carries values of one type, in order, each to one receiver. It holds up to `capacity` of them;
/// with capacity 0 a value goes straight from sender to receiver, and each waits for the other (a
/// rendezvous).
///
/// Those who wait are served in their order (FIFO); a value is handed to the oldest receiver that waits. What
/// a sender did before send() is visible to who receives the value; what a receiver did before receive() is
/// visible to the sender that gets its place. No value is lost or doubled when a time limit or a request to
/// stop meets a hand-over. Any number of senders and receivers, tasks and threads alike, in a run or outside.
/// A channel must outlive its users; who has received the last value, or been let go by close(), may destroy
/// it if no one else comes, though the sender is still on its way out. It ends with the values that it holds.
/// To destroy it while somebody waits ends the program with a sentence.
///
/// T is any object type whose move constructor and destructor do not throw; they run under the channel's
/// lock, so they must not wait, nor use the channel. Cost of an operation that need not wait: one locked
/// instruction, and the move.
template <class T>
class channel {
  static_assert(std::is_object_v<T> && std::is_same_v<T, std::remove_cv_t<T>>,
                "a channel carries objects, neither references nor const");
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
                "a channel moves its values under a lock: T's move constructor and destructor must be "
                "noexcept; carry a std::unique_ptr<T> else");

 public:
  using value_type = T;

  /// Throws std::bad_alloc if there is no memory for `capacity` values.
  explicit channel(std::size_t capacity) : core_(capacity, detail::operations_of<T>) {}

  /// send() puts the value in, or hands it over; blocks while the channel is full. Throws error(closed) if
  /// the channel is closed, also while it waits, and cancelled if the task is asked to stop while it would
  /// wait. An rvalue is moved from only on success, here and below.
  void send(T&& value) { core_.send(std::addressof(value), detail::never); }
  void send(const T& value) { send(T(value)); }

  /// try_send() never blocks: false if it would. send_for(), send_until(): as send(), but at most so long;
  /// false if the time is over; a time that has passed makes them a try. All throw error(closed) as send()
  /// does.
  bool try_send(T&& value) { return core_.send(std::addressof(value), detail::at_once); }
  bool try_send(const T& value) { return try_send(T(value)); }
  template <class Rep, class Period>
  bool send_for(T&& value, const std::chrono::duration<Rep, Period>& d) {
    return core_.send(std::addressof(value), detail::deadline_after(d));
  }
  template <class Rep, class Period>
  bool send_for(const T& value, const std::chrono::duration<Rep, Period>& d) {
    return send_for(T(value), d);
  }
  template <class Clock, class Duration>
  bool send_until(T&& value, const std::chrono::time_point<Clock, Duration>& t) {
    return core_.send(std::addressof(value), detail::deadline_at(t));
  }
  template <class Clock, class Duration>
  bool send_until(const T& value, const std::chrono::time_point<Clock, Duration>& t) {
    return send_until(T(value), t);
  }

  /// receive() takes the oldest value; blocks while there is none. Empty once the channel is closed and all
  /// its values have been taken. Throws cancelled if the task is asked to stop while it would wait.
  std::optional<T> receive() { return receive_until_deadline(detail::never); }

  /// try_receive() never blocks. receive_for(), receive_until(): as receive(), but at most so long. Empty
  /// also if there is nothing yet: only if closed() was true before is that for good.
  std::optional<T> try_receive() { return receive_until_deadline(detail::at_once); }
  template <class Rep, class Period>
  std::optional<T> receive_for(const std::chrono::duration<Rep, Period>& d) {
    return receive_until_deadline(detail::deadline_after(d));
  }
  template <class Clock, class Duration>
  std::optional<T> receive_until(const std::chrono::time_point<Clock, Duration>& t) {
    return receive_until_deadline(detail::deadline_at(t));
  }

  /// close() ends the sending: those who wait to send get error(closed), and so does who sends later;
  /// receivers get what lies in the channel, then come back empty. Closing it again does nothing. Never
  /// blocks.
  void close() { core_.close(); }
  bool closed() const { return core_.closed(); }

  /// size() is how many values lie in it now: those of waiting senders do not count.
  std::size_t size() const { return core_.size(); }
  std::size_t capacity() const { return core_.capacity(); }

  /// For range-for: receives one value after the other until the channel is closed and empty. Several loops
  /// may share a channel.
  class iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    explicit iterator(channel& from) : from_(&from) { ++*this; }
    T& operator*() const { return *value_; }
    T* operator->() const { return std::addressof(*value_); }
    iterator& operator++() {
      value_.reset();
      if (std::optional<T> next = from_->receive()) value_.emplace(std::move(*next));
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& i, std::default_sentinel_t) { return !i.value_; }

   private:
    channel* from_;
    mutable std::optional<T> value_;
  };
  iterator begin() { return iterator(*this); }
  std::default_sentinel_t end() { return {}; }

 private:
  template <class U, class F>
  friend class detail::receive_case;
  template <class U, class Held, class F>
  friend class detail::send_case;

  std::optional<T> receive_until_deadline(detail::deadline until) {
    detail::arrival<T> a;
    return core_.receive(std::addressof(a.value), until) ? a.take() : std::nullopt;
  }

  detail::channel_core core_;  // first: its address is the channel's, which reports name
};

namespace detail {

/// The cases of a select. `asks`: something of a channel; else it is a time limit, at_once for otherwise().
template <class T, class F>
class receive_case {
 public:
  static constexpr bool asks = true;
  template <class G>
  receive_case(channel<T>& c, G&& f) : channel_(c), f_(std::forward<G>(f)) {}
  receive_case(const receive_case&) = delete;
  receive_case& operator=(const receive_case&) = delete;
  channel_case question() {
    return {&channel_.core_, std::addressof(arrived_.value), false, transfer::would_block, nullptr};
  }
  void run(transfer outcome) { f_(outcome == transfer::done ? arrived_.take() : std::optional<T>()); }

 private:
  channel<T>& channel_;
  arrival<T> arrived_;
  F f_;
};

template <class T, class Held, class F>
class send_case {
 public:
  static constexpr bool asks = true;
  template <class U, class G>
  send_case(channel<T>& c, U&& value, G&& f)
      : channel_(c), value_(std::forward<U>(value)), f_(std::forward<G>(f)) {}
  send_case(const send_case&) = delete;
  send_case& operator=(const send_case&) = delete;
  channel_case question() {
    return {&channel_.core_, std::addressof(value_), true, transfer::would_block, nullptr};
  }
  void run(transfer outcome) {
    if (outcome == transfer::closed) throw_closed();
    f_();
  }

 private:
  channel<T>& channel_;
  Held value_;  // T, or T&& of an rvalue, which is moved from only if it is sent
  F f_;
};

template <class F>
class other_case {
 public:
  static constexpr bool asks = false;
  template <class G>
  other_case(deadline limit, G&& f) : until(limit), f_(std::forward<G>(f)) {}
  other_case(const other_case&) = delete;
  other_case& operator=(const other_case&) = delete;
  void run(transfer) { f_(); }
  const deadline until;

 private:
  F f_;
};

}  // namespace detail

/// The cases of select(): to receive, f(std::optional<T>) being called with the value, or empty if the
/// channel is closed and has no more; to send, f() being called when the value has been taken (an rvalue is
/// moved from only then); a time limit; and what to do if nothing else can be done at once. Write them in the
/// call of select().
template <class T, class F>
auto receive_from(channel<T>& c, F&& f) {
  return detail::receive_case<T, std::decay_t<F>>(c, std::forward<F>(f));
}
template <class T, class U, class F = detail::nothing>
  requires std::is_constructible_v<T, U>
auto send_to(channel<T>& c, U&& value, F&& f = {}) {
  using held = std::conditional_t<std::is_same_v<U, T>, T&&, T>;
  return detail::send_case<T, held, std::decay_t<F>>(c, std::forward<U>(value), std::forward<F>(f));
}
template <class Rep, class Period, class F = detail::nothing>
auto after(const std::chrono::duration<Rep, Period>& d, F&& f = {}) {
  return detail::other_case<std::decay_t<F>>(detail::deadline_after(d), std::forward<F>(f));
}
template <class F = detail::nothing>
auto otherwise(F&& f = {}) {
  return detail::other_case<std::decay_t<F>>(detail::at_once, std::forward<F>(f));
}

/// select(case...) does one of several sends and receives: one that can be done at once, chosen at random if
/// there are several, else the first that can be, and none after the time limit. It then calls the case's
/// function, and returns the case's place among its arguments, from 0. All channels are looked at as of one
/// moment.
///
///   select(receive_from(orders, [&](std::optional<order> o) { ... }),
///          send_to(results, result, [&] { ... }),
///          after(10ms, [&] { ... }));
///
/// A receive from a closed, empty channel can be done at once; so can a send to a closed one: it throws
/// error(closed). Throws cancelled if the task is asked to stop while it would wait. A waiting select has its
/// turn in each of its channels as receive() and send() have. Cost: one locked instruction a channel, and a
/// second one when it waits. Callers: tasks and threads.
template <class... Cases>
std::size_t select(Cases&&... cases) {
  using namespace detail;
  static_assert(sizeof...(Cases) != 0, "a select without a case would wait for ever");
  static_assert((!std::is_lvalue_reference_v<Cases> && ...), "write the cases of a select in its call");
  constexpr std::size_t n = (std::size_t{Cases::asks} + ...);
  static_assert(sizeof...(Cases) - n <= 1, "a select has one after() or one otherwise(), not several");

  channel_case asked[n + 1];
  std::size_t places[n + 1];
  places[n] = 0;
  deadline until = never;
  std::size_t place = 0, k = 0;
  const auto note = [&](auto& c) {
    if constexpr (std::remove_reference_t<decltype(c)>::asks) {
      asked[k] = c.question();
      places[k++] = place++;
    } else {
      until = c.until;
      places[n] = place++;
    }
  };
  (note(cases), ...);
  const std::size_t chosen = select_channels(asked, n, until);
  const transfer outcome = chosen == n ? transfer::would_block : asked[chosen].outcome;
  std::size_t i = 0;
  ((i++ == places[chosen] ? cases.run(outcome) : void()), ...);
  return places[chosen];
}

}  // namespace hocket
