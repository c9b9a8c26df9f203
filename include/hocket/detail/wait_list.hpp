// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of those who wait for one thing, the oldest first, and its lock. How it is used:
// src/sync/waiting.hpp.
#pragma once
#include <cstdint>

#include <hocket/detail/atomic.hpp>
#include <hocket/detail/deadline.hpp>

namespace hocket::detail {

class ready_list;
struct list_waiter;
struct wait_note;
enum class wake : std::uint32_t;

class wait_list {
 public:
  wait_list() = default;
  wait_list(const wait_list&) = delete;
  wait_list& operator=(const wait_list&) = delete;

  // The lock guards the list and whatever its owner puts under it. Never held over anything that blocks;
  // works with std::lock_guard.
  void lock();
  void unlock();

  // The rest: with the lock held.
  list_waiter* first() const { return first_; }
  bool empty() const { return first_ == nullptr; }
  void push_back(list_waiter*);
  void push_front(list_waiter*);
  void remove(list_waiter*);

  /// wait() blocks the caller, whose waiter has been put on the list, and unlocks. If it returns anything but
  /// wake::done, the waiter has been taken off. A thread that is no task is parked.
  wake wait(list_waiter&, const wait_note&, deadline until, bool stoppable);
  /// let_go() takes a waiter off and lets it go on, once `go` ends: after the unlock. False if its time was
  /// over, or it was asked to stop, before: it does not count then. What the caller has written into the
  /// waiter before is visible to it.
  bool let_go(list_waiter*, ready_list& go);

 private:
  atomic<std::uint32_t> locked_{0};  // exchange(acquire); release
  list_waiter* first_ = nullptr;
  list_waiter* last_ = nullptr;
};

/// Ends the program: `what` at `at` was destroyed while tasks or threads wait for it. For destructors.
[[noreturn]] void refuse_end(const char* what, const void* at);

}  // namespace hocket::detail
