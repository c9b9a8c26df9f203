// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// run(): starts the workers, makes the caller's function the main task, and returns when all tasks have
// ended.
// Examples: examples/hello.cpp, initialize.cpp.
#pragma once
#include <type_traits>
#include <utility>

#include <hocket/error.hpp>
#include <hocket/options.hpp>
#include <hocket/task.hpp>

namespace hocket {

namespace detail {
class kernel;

/// The one run of the process: made before the main task, so that a second one is refused before anything
/// exists.
class run_scope {
 public:
  explicit run_scope(const options&);
  ~run_scope();
  run_scope(const run_scope&) = delete;
  run_scope& operator=(const run_scope&) = delete;
  /// Runs d as main task on the calling thread, which becomes worker 0. Returns when d and every other task
  /// has ended. d's exception stays in d; the first exception of a detached task comes out.
  void run(descriptor* d);

 private:
  kernel* kernel_;
};
void report_uncaught(const char* what) noexcept;
}  // namespace detail

/// run(options, f) runs f() as the main task and returns its value (0 if it returns void) when it and every
/// task it made, virtual and detached ones included, has ended. An exception that leaves f comes out of run.
///
/// The calling thread becomes worker 0 meanwhile. Throws error(already_running) inside a run; may be called
/// again after.
template <class F>
int run(const options& o, F&& f) {
  using result = std::invoke_result_t<std::decay_t<F>&>;
  static_assert(std::is_void_v<result> || std::is_convertible_v<result, int>,
                "the main task returns an exit code or nothing");
  detail::run_scope scope(o);
  task<result> main_task(detail::make_descriptor<true>({.name = "main"}, std::forward<F>(f), 2));
  scope.run(*main_task.address());
  if constexpr (std::is_void_v<result>) {
    main_task.get();
    return 0;
  } else {
    return static_cast<int>(main_task.get());
  }
}

/// run(argc, argv, f) is what main() should return: it takes --hk-* options out of argv and HOCKET_* from the
/// environment, and turns errors into exit codes: a bad option prints one sentence and returns 2, an
/// exception that leaves f prints its text and returns 1. A deadlock ends the process with exit code 3
/// (docs/diagnosis.md).
template <class F>
int run(int& argc, char** argv, F&& f) {
  try {
    return run(options::from(argc, argv), std::forward<F>(f));
  } catch (const error& e) {
    detail::report_uncaught(e.what());
    return e.code() == errc::invalid_option ? 2 : 1;
  } catch (const std::exception& e) {
    detail::report_uncaught(e.what());
    return 1;
  }
}

/// initialize(options) starts a run without a main task: the workers are threads of their own, the calling
/// one stays what it is, and may spawn, wait, and call a communication library that wants main's thread. The
/// run goes on until finalize(), which may be called by another thread. Throws error(already_running) while a
/// run goes on, error(no_threads) if no thread can be made. Any thread, but no task.
void initialize(const options& o = options::from_environment());
/// finalize() returns when every task has ended; the first exception of a detached task comes out of it.
/// Nothing may be made after it (error(not_running)), until initialize() or run() is called again. Throws
/// error(not_running) without an initialize() before, error(not_a_thread) if called by a task. Blocks the
/// thread.
void finalize();

/// running() tells whether a run goes on in this process. In a child of fork() it never does, whatever the
/// parent was doing: there every call of the library is error(not_running), and a task that returns ends the
/// child with a sentence and exit code 1.
bool running();

}  // namespace hocket
