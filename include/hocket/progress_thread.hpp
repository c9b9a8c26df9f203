// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread beside the workers, for work that must go on whatever the tasks do, such as a communication
// library's (the Qthreads paper, section 5.1: Chapel's communication task). Examples:
// examples/progress_thread.cpp.
#pragma once
#include <functional>
#include <memory>
#include <stop_token>

namespace hocket {

/// progress_thread is the handle of one: to destroy it stops the thread and waits for its end; what came out
/// of it is lost then.
class progress_thread {
 public:
  progress_thread() = default;
  progress_thread(progress_thread&&) noexcept = default;
  progress_thread& operator=(progress_thread&&) noexcept = default;
  ~progress_thread() = default;

  /// stop() asks it to stop by its stop token, waits until it has ended, and throws what came out of it.
  /// Suspends the task, or blocks the thread, that calls. Does nothing if it has been called before.
  void stop();

 private:
  friend progress_thread start_progress_thread(std::function<void(std::stop_token)>);
  struct state;
  struct end {
    void operator()(state*) const;
  };
  std::unique_ptr<state, end> state_;
};

/// start_progress_thread(f) runs f on an OS thread that is no worker. f may do what threads may: spawn, fill,
/// set, wait, which parks it; it ends when it likes, or soon after the token asks it to. Call it while a run
/// goes on; the thread must end before the run does, so let the handle live inside run(). While it runs, a
/// standstill of all tasks is no certain deadlock, since it might wake one. Throws error(not_running);
/// error(no_threads) if the system, or the option max_threads, gives none.
progress_thread start_progress_thread(std::function<void(std::stop_token)> f);

}  // namespace hocket
