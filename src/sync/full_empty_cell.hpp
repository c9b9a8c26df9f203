// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full/empty semantics, without the question where a word's state is kept: a cell is a word's state while its
// lock is held.
//
// Either readers wait, since the cell is empty, or writers, since it is full; never both. Of the readers
// those that leave it full (FF) come first and all go on when it is filled; then the oldest that empties it
// (FE).
#pragma once
#include <cstring>

#include <hocket/detail/full_empty.hpp>

#include "sync/waiting.hpp"

namespace hocket::detail {

struct full_empty_waiter : list_waiter {
  full_empty wants{};
  void* place = nullptr;  // for the value that it reads, or of the one that it writes
  // Of the first who waits for a word of the table, else indeterminate: which word, and the next of its
  // entry.
  const std::uint64_t* word;
  full_empty_waiter* other_word;
  full_empty_waiter() {}
  explicit full_empty_waiter(held_task* h) : list_waiter(h), wants(full_empty::readFF) {}
};

/// A circular list of waiters by one pointer, so that a cell's state is a word.
class waiter_ring {
 public:
  waiter_ring() = default;
  explicit waiter_ring(list_waiter* first) : first_(first) {}
  full_empty_waiter* first() const { return static_cast<full_empty_waiter*>(first_); }
  bool empty() const { return first_ == nullptr; }
  void push_back(list_waiter* w) {
    if (first_ == nullptr) {
      w->next = w->previous = first_ = w;
    } else {
      w->next = first_;
      w->previous = first_->previous;
      first_->previous->next = w;
      first_->previous = w;
    }
    w->linked = true;
  }
  void push_front(list_waiter* w) {
    push_back(w);
    first_ = w;
  }
  void remove(list_waiter* w) {
    if (w->next == w) {
      first_ = nullptr;
    } else {
      w->next->previous = w->previous;
      w->previous->next = w->next;
      if (first_ == w) first_ = w->next;
    }
    w->linked = false;
  }

 private:
  list_waiter* first_ = nullptr;
};

class full_empty_cell {
 public:
  full_empty_cell(bool full, list_waiter* first, void* value, std::size_t bytes)
      : full_(full), waiters_(first), value_(value), bytes_(bytes) {}

  bool full() const { return full_; }
  full_empty_waiter* first() const { return waiters_.first(); }

  /// Does it now, and lets those go on who waited for that; false if the caller must wait.
  bool try_now(full_empty what, void* value, ready_list& go) {
    switch (what) {
      case full_empty::readFE:
        if (!full_) return false;
        copy_to(value);
        become_empty(go);
        return true;
      case full_empty::readFF:
        if (full_) copy_to(value);
        return full_;
      case full_empty::writeEF:
        if (full_) return false;
        copy_from(value);
        become_full(go);
        return true;
      case full_empty::writeFF:
        if (full_) copy_from(value);
        return full_;
      case full_empty::writeF:
        copy_from(value);
        if (!full_) become_full(go);
        return true;
      case full_empty::fill:
        if (!full_) become_full(go);
        return true;
      case full_empty::empty:
        if (full_) become_empty(go);
        return true;
      case full_empty::purge:
        copy_from(zeros);
        if (full_) become_empty(go);
        return true;
    }
    return true;
  }

  void add(full_empty_waiter& w) {
    if (stays_full(w.wants)) {
      waiters_.push_front(&w);
    } else {
      waiters_.push_back(&w);
    }
  }
  void remove(full_empty_waiter& w) { waiters_.remove(&w); }

 private:
  static constexpr unsigned char zeros[full_empty_state::most_bytes] = {};
  static bool stays_full(full_empty what) {
    return what == full_empty::readFF || what == full_empty::writeFF;
  }
  // A word of 8 bytes may be looked at by readXX, without a lock.
  HOCKET_ALWAYS_INLINE void copy_to(void* to) const {
    if (to == nullptr) return;
    if (HOCKET_LIKELY(bytes_ == 8)) {
      const std::uint64_t v = __atomic_load_n(static_cast<const std::uint64_t*>(value_), __ATOMIC_RELAXED);
      std::memcpy(to, &v, 8);
    } else {
      std::memcpy(to, value_, bytes_);
    }
  }
  HOCKET_ALWAYS_INLINE void copy_from(const void* from) {
    if (HOCKET_LIKELY(bytes_ == 8)) {
      std::uint64_t v;
      std::memcpy(&v, from, 8);
      __atomic_store_n(static_cast<std::uint64_t*>(value_), v, __ATOMIC_RELAXED);
    } else {
      std::memcpy(value_, from, bytes_);
    }
  }

  /// It was empty: readers may wait.
  HOCKET_ALWAYS_INLINE void become_full(ready_list& go) {
    full_ = true;
    if (!waiters_.empty()) serve_readers(go);
  }
  void serve_readers(ready_list& go) {
    if (stays_full(first()->wants)) {
      serve_those_who_leave_it_full(full_empty::readFF, go);
      serve_those_who_leave_it_full(full_empty::writeFF, go);
    }
    while (full_ && !waiters_.empty()) {
      full_empty_waiter* w = waiters_.first();
      waiters_.remove(w);
      copy_to(w->place);
      if (let_go(w, go)) full_ = false;
    }
  }
  /// They lie at the front, the newest first.
  HOCKET_NOINLINE void serve_those_who_leave_it_full(full_empty wants, ready_list& go) {
    full_empty_waiter* w = first();
    full_empty_waiter* oldest = nullptr;
    for (; w != nullptr && stays_full(w->wants); w = after(w)) oldest = w;
    for (full_empty_waiter* next; (w = oldest) != nullptr; oldest = next) {
      next = w != first() ? static_cast<full_empty_waiter*>(w->previous) : nullptr;
      if (w->wants != wants) continue;
      waiters_.remove(w);
      if (wants == full_empty::readFF) {
        copy_to(w->place);
        let_go(w, go);
      } else {
        write_of(w, go);
      }
    }
  }
  full_empty_waiter* after(const full_empty_waiter* w) const {
    return w->next != first() ? static_cast<full_empty_waiter*>(w->next) : nullptr;
  }
  /// It was full: writers may wait.
  HOCKET_ALWAYS_INLINE void become_empty(ready_list& go) {
    full_ = false;
    while (HOCKET_UNLIKELY(!waiters_.empty()) && !full_) {
      full_empty_waiter* w = waiters_.first();
      waiters_.remove(w);
      full_ = write_of(w, go);
    }
  }
  /// Its value counts only if its time was not over; then it may be gone at once, with the value.
  bool write_of(full_empty_waiter* w, ready_list& go) {
    alignas(std::max_align_t) unsigned char written[full_empty_state::most_bytes];
    std::memcpy(written, w->place, bytes_);
    if (!let_go(w, go)) return false;
    copy_from(written);
    return true;
  }

  bool full_;
  waiter_ring waiters_;
  void* value_;
  std::size_t bytes_;
};

constexpr wait_kind wait_kind_of(full_empty what) {
  return what == full_empty::writeEF ? wait_kind::empty_word : wait_kind::full_word;
}

/// For futures; false if the word (the variable) is full.
bool enlist(std::uint64_t* word, full_empty_waiter&);
bool enlist(full_empty_state&, full_empty_waiter&);

/// Whether the caller is a task that nothing but the value can let go on, and had better wait at once.
bool waits_plainly(real_task*);

}  // namespace hocket::detail
