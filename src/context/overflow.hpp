// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns the fault of a stack that ran into its guard into one clear sentence.
#pragma once
#include <cstddef>

namespace hocket::detail {

/// Fills in what the report says of the stack below `area`. Must be async-signal-safe.
struct overflow_report {
  const char* task_name;
  std::size_t stack_bytes;
};
using describe_stack = overflow_report (*)(char* area);

/// Installs the handler of SIGSEGV and SIGBUS for the process, once; any other fault goes to the handler
/// before it.
void install_overflow_handler(describe_stack);

/// The alternate stack on which a thread runs the handler; one a thread that runs tasks, while the object
/// lives.
class signal_stack {
 public:
  signal_stack();
  ~signal_stack();
  signal_stack(const signal_stack&) = delete;
  signal_stack& operator=(const signal_stack&) = delete;

 private:
  void* memory_ = nullptr;
};

}  // namespace hocket::detail
