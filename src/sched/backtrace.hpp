// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a suspended task is: a copy of its stack, and the frames on it. With elfutils' libdw
// (backtrace_libdw.cpp), or without (backtrace_plain.cpp), when only the innermost address is told.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hocket::detail {

struct real_task;

/// What lay on a stack from the saved stack pointer to its top.
struct stack_copy {
  std::uint64_t sp = 0;
  std::vector<unsigned char> bytes;
};
/// False if the task is not suspended any more, or was on its way. Any thread.
bool copy_stack(const real_task*, stack_copy&);

struct stack_frame {
  std::string function;  // for readers; empty if nobody knows
  std::string place;     // "file.cpp:12", or the program and an offset
  bool library = false;  // Hocket's or the standard library's own, not the program's
};

/// A backtracer knows the program's functions as they are when it is made. Not on a task's stack: it needs
/// more than one has.
class backtracer {
 public:
  backtracer();
  ~backtracer();
  backtracer(const backtracer&) = delete;
  backtracer& operator=(const backtracer&) = delete;
  /// The frames, innermost first, at most so many.
  std::vector<stack_frame> walk(const stack_copy&, std::size_t most = 64);
  /// What the function is called that begins there; empty if nobody knows, or if it is the library's.
  std::string function_at(const void* code);
  /// Why there is but one frame of each stack; null if that is not so.
  static const char* lacks();

  struct state;

 private:
  std::unique_ptr<state> state_;
};

/// The innermost frame of the program's own code, in the innermost of the tasks that run on the stack; null
/// if there is none: a task that ends with a wait may have left its frame for it.
const stack_frame* own_frame(const std::vector<stack_frame>&);

/// name_function() says what a function is called in the source, given the linker's name for it, and whether
/// it is the library's.
void name_function(const char* linkage, stack_frame&);

}  // namespace hocket::detail
