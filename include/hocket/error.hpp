// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The errors that the library throws.
#pragma once
#include <stdexcept>
#include <string>
#include <system_error>

namespace hocket {

enum class errc {
  not_running = 1,  // used before run() began or after it ended
  not_a_task,       // an operation that only a task may use, called from another thread
  already_running,  // run() inside a run
  invalid_option,   // an option or environment variable with a value that it cannot have
  invalid_handle,   // an empty task<T>
  no_memory,        // stacks or descriptors could not be had
  no_threads,       // a worker thread could not be had
  cancelled,        // the task was asked to stop (see stop.hpp)
  no_shepherd,      // a task named a shepherd that the run does not have
  not_a_thread,     // an operation that only a thread that is no task may use, called by a task
  misuse,           // a synchronisation object used against its rules
  closed,           // a value sent into a channel that is closed
};

const std::error_category& error_category() noexcept;
inline std::error_code make_error_code(errc e) noexcept { return {static_cast<int>(e), error_category()}; }

/// error is what the library throws: an error code and one sentence that says what was wrong and what would
/// be right.
class error : public std::system_error {
 public:
  error(errc code, const std::string& what) : std::system_error(make_error_code(code)), sentence_(what) {}
  const char* what() const noexcept override { return sentence_.what(); }

 private:
  std::runtime_error
      sentence_;  // a text that is copied without throwing; system_error would append the code's
};

}  // namespace hocket

template <>
struct std::is_error_code_enum<hocket::errc> : std::true_type {};
