// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cancellation: a task that runs under a stop token, and whose waits end when it is asked to stop.
// Examples: examples/stop_scope.cpp, stop_shield.cpp.
#pragma once
#include <stop_token>

#include <hocket/error.hpp>

namespace hocket {

/// cancelled comes out of a wait, or of this_task::check(), of a task that is asked to stop. Its code is
/// errc::cancelled.
class cancelled : public error {
 public:
  cancelled();
};

namespace detail {
struct real_task;
struct segment;
struct slot;

/// One scope of a task: what its waits look at. `floor` is the place in the deque above which children belong
/// to it.
struct stop_link {
  std::stop_token token;
  bool shielded = false;
  stop_link* outer = nullptr;
  slot* floor = nullptr;
  real_task* task = nullptr;
  void enter();
  void leave();
};
}  // namespace detail

/// stop_scope: from here to the end of the block the calling task runs under a stop token of its own. When
/// request_stop() has been called, by anybody,
///  - a wait of the task throws cancelled, the one that it is in as well as each later one, and so does
///    this_task::check();
///  - so it is for all that is made within the scope, at any depth: children of fork_join, cobegin and
///    fork_scope, and tasks made by spawn, start and begin, unless their attributes name another token. A
///    task that has not begun by then never runs: its handle holds `cancelled`.
/// Scopes nest: to stop an outer one stops the inner ones, not the other way round. A fork_join within the
/// scope still waits for its children (which are asked to stop, too) before the exception leaves it. Nothing
/// stops by itself that neither waits nor checks.
/// Callers: tasks only (else error(not_a_task)). Cost: some 100 ns and an allocation; each wait within it
/// some 20 ns more.
class stop_scope {
 public:
  stop_scope();
  /// Stops when `token` does, too.
  explicit stop_scope(std::stop_token token);
  ~stop_scope();
  stop_scope(const stop_scope&) = delete;
  stop_scope& operator=(const stop_scope&) = delete;

  /// request_stop() asks all to stop. Any thread; does not block. False if that has been done before.
  bool request_stop() { return source_.request_stop(); }
  bool stop_requested() const { return source_.stop_requested(); }
  std::stop_token token() const { return source_.get_token(); }

 private:
  struct pass_on {
    std::stop_source to;
    void operator()() const noexcept { std::stop_source(to).request_stop(); }
  };
  std::stop_source source_;
  detail::stop_link link_;
  std::stop_callback<pass_on> from_outer_, from_given_;
};

/// stop_shield: from here to the end of the block no wait of the calling task throws cancelled, whatever is
/// asked; the first wait after it does. For the time in which something is lent that must come back first: a
/// buffer that another thread still fills, a half-made change. What is made within it is not shielded.
/// Callers: tasks only. Cost: some 20 ns.
class stop_shield {
 public:
  stop_shield();
  ~stop_shield() { link_.leave(); }
  stop_shield(const stop_shield&) = delete;
  stop_shield& operator=(const stop_shield&) = delete;

 private:
  detail::stop_link link_;
};

namespace this_task {
/// stop_token() is the token under which the task runs; one without a state if there is none.
std::stop_token stop_token();
}  // namespace this_task

}  // namespace hocket
