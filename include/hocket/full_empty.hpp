// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full/empty operations on any aligned word of 8 bytes (Qthreads' readFE and its family; the Qthreads paper,
// §6). Examples: examples/full_empty.cpp.
//
// Every word of memory is full until an operation empties it. Whether it is kept outside of the word, in a
// table that holds an entry only while a word is empty or waited for; so a word needs no construction, and
// must be full, with nobody waiting, when its memory is given back. Letters: FE wait until the word is full
// and leave it empty; EF wait until it is empty and leave it full; FF wait until it is full and leave it so;
// F and XX never wait.
//
// All may be called by tasks and by threads that are none, inside and outside a run. To wait suspends the
// task, or parks the thread. Those who wait go on in their order (FIFO); readFE and writeEF let one go on,
// all of readFF and writeFF go on when the word is filled. What was written before a word was filled
// (emptied) is visible to who finds it full (empty). A wait throws error(cancelled) if the task is asked to
// stop. Cost: docs/results/sync.md.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include <hocket/detail/full_empty.hpp>

namespace hocket {

/// What a full/empty word may be: 8 bytes, aligned so, copied byte by byte (std::uint64_t, double, pointers,
/// ...).
template <class T>
concept full_empty_word =
    sizeof(T) == 8 && alignof(T) == 8 && std::is_trivially_copyable_v<T> && !std::is_const_v<T>;

namespace detail {
template <class T>
std::uint64_t* word_of(T& word) {
  return reinterpret_cast<std::uint64_t*>(&word);
}
template <class T>
T word_as(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
std::uint64_t bits_of(const T& value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

template <class T>
T read_word(full_empty what, T& word) {
  std::uint64_t bits;
  waiter_frame f;
  read(what, word_of(word), &bits, f);
  return word_as<T>(bits);
}
template <class T>
void write_word(full_empty what, T& word, const T& value) {
  std::uint64_t bits = bits_of(value);
  write(what, word_of(word), &bits);
}
template <class T>
std::optional<T> read_until(full_empty what, T& word, deadline until) {
  std::uint64_t bits;
  if (!operate(what, word_of(word), &bits, until)) return {};
  return word_as<T>(bits);
}
template <class T>
bool write_until(full_empty what, T& word, const T& value, deadline until) {
  std::uint64_t bits = bits_of(value);
  return operate(what, word_of(word), &bits, until);
}
}  // namespace detail

/// readFE() waits until the word is full, empties it, and returns its value.
template <full_empty_word T>
T readFE(T& word) {
  return detail::read_word(detail::full_empty::readFE, word);
}
/// readFF() waits until the word is full, and returns its value.
template <full_empty_word T>
T readFF(T& word) {
  return detail::read_word(detail::full_empty::readFF, word);
}
/// readXX() returns what the word holds, full or empty. Never waits.
template <full_empty_word T>
T readXX(const T& word) {
  return detail::word_as<T>(__atomic_load_n(reinterpret_cast<const std::uint64_t*>(&word), __ATOMIC_RELAXED));
}
/// writeEF() waits until the word is empty, writes it, and fills it.
template <full_empty_word T>
void writeEF(T& word, std::type_identity_t<T> value) {
  detail::write_word(detail::full_empty::writeEF, word, value);
}
/// writeFF() waits until the word is full, writes it, and leaves it full.
template <full_empty_word T>
void writeFF(T& word, std::type_identity_t<T> value) {
  detail::write_word(detail::full_empty::writeFF, word, value);
}
/// writeF() writes the word and fills it, whatever it was. Never waits.
template <full_empty_word T>
void writeF(T& word, std::type_identity_t<T> value) {
  detail::write_word(detail::full_empty::writeF, word, value);
}
/// fill() makes the word full with what it holds. Never waits; nothing happens if it is full.
template <full_empty_word T>
void fill(T& word) {
  detail::operate(detail::full_empty::fill, detail::word_of(word), nullptr, detail::never);
}
/// empty() makes the word empty; if a writeEF waits, its value fills it at once. Never waits.
template <full_empty_word T>
void empty(T& word) {
  detail::operate(detail::full_empty::empty, detail::word_of(word), nullptr, detail::never);
}
/// purge() writes zero into the word, and makes it empty as empty() does. Never waits.
template <full_empty_word T>
void purge(T& word) {
  detail::operate(detail::full_empty::purge, detail::word_of(word), nullptr, detail::never);
}
/// is_full() is the word's state a moment ago (Qthreads' status).
template <full_empty_word T>
bool is_full(const T& word) {
  return detail::is_full(reinterpret_cast<const std::uint64_t*>(&word));
}

/// The same without waiting: nothing, or false, where they would have to.
template <full_empty_word T>
std::optional<T> try_readFE(T& word) {
  return detail::read_until(detail::full_empty::readFE, word, detail::at_once);
}
template <full_empty_word T>
std::optional<T> try_readFF(T& word) {
  return detail::read_until(detail::full_empty::readFF, word, detail::at_once);
}
template <full_empty_word T>
bool try_writeEF(T& word, std::type_identity_t<T> value) {
  return detail::write_until(detail::full_empty::writeEF, word, value, detail::at_once);
}
template <full_empty_word T>
bool try_writeFF(T& word, std::type_identity_t<T> value) {
  return detail::write_until(detail::full_empty::writeFF, word, value, detail::at_once);
}

/// The same with a limit: nothing, or false, if it has come before. A value is never lost: it is either
/// written (read) or not. Lateness and cost of the limit: docs/time.md.
template <full_empty_word T, class Rep, class Period>
std::optional<T> readFE_for(T& word, const std::chrono::duration<Rep, Period>& d) {
  return detail::read_until(detail::full_empty::readFE, word, detail::deadline_after(d));
}
template <full_empty_word T, class Clock, class Duration>
std::optional<T> readFE_until(T& word, const std::chrono::time_point<Clock, Duration>& t) {
  return detail::read_until(detail::full_empty::readFE, word, detail::deadline_at(t));
}
template <full_empty_word T, class Rep, class Period>
std::optional<T> readFF_for(T& word, const std::chrono::duration<Rep, Period>& d) {
  return detail::read_until(detail::full_empty::readFF, word, detail::deadline_after(d));
}
template <full_empty_word T, class Clock, class Duration>
std::optional<T> readFF_until(T& word, const std::chrono::time_point<Clock, Duration>& t) {
  return detail::read_until(detail::full_empty::readFF, word, detail::deadline_at(t));
}
template <full_empty_word T, class Rep, class Period>
bool writeEF_for(T& word, std::type_identity_t<T> value, const std::chrono::duration<Rep, Period>& d) {
  return detail::write_until(detail::full_empty::writeEF, word, value, detail::deadline_after(d));
}
template <full_empty_word T, class Clock, class Duration>
bool writeEF_until(T& word, std::type_identity_t<T> value,
                   const std::chrono::time_point<Clock, Duration>& t) {
  return detail::write_until(detail::full_empty::writeEF, word, value, detail::deadline_at(t));
}
template <full_empty_word T, class Rep, class Period>
bool writeFF_for(T& word, std::type_identity_t<T> value, const std::chrono::duration<Rep, Period>& d) {
  return detail::write_until(detail::full_empty::writeFF, word, value, detail::deadline_after(d));
}
template <full_empty_word T, class Clock, class Duration>
bool writeFF_until(T& word, std::type_identity_t<T> value,
                   const std::chrono::time_point<Clock, Duration>& t) {
  return detail::write_until(detail::full_empty::writeFF, word, value, detail::deadline_at(t));
}

/// incr() adds n to an integer word and returns what it was; cas() writes `desired` if the word is
/// `expected`, and returns what it was (qthread_incr, qthread_cas). Atomic (seq_cst); whether the word is
/// full has no part in it. Never wait.
template <full_empty_word T>
  requires std::is_integral_v<T>
T incr(T& word, std::type_identity_t<T> n = 1) {
  return std::atomic_ref<T>(word).fetch_add(n);
}
template <full_empty_word T>
T cas(T& word, std::type_identity_t<T> expected, std::type_identity_t<T> desired) {
  std::atomic_ref<T>(word).compare_exchange_strong(expected, desired);
  return expected;
}

}  // namespace hocket
