// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every tunable of a run, under one name: --hk-stack-size, HOCKET_STACK_SIZE, options::stack_size.
// Examples: examples/options.cpp.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace hocket {

/// The floating-point environment (mxcsr and x87 control word) at a task switch.
enum class fp_environment {
  per_task,  // saved and restored, as the ABI asks of a call
  shared,    // left alone: a switch is some 1.5 ns faster; tasks must not change rounding or exception masks
};

/// From whom an idle worker takes work: from all; from its own shepherd's workers; from none, and each task
/// stays with the shepherd that it was made for, in turn (Qthreads' regime of one worker a shepherd).
enum class stealing { all, inside, none };

/// options of a run. A zero means the default, which settings() shows.
/// Precedence: what the program sets before from() < environment < command line.
struct options {
  unsigned workers = 0;        // OS threads that run tasks; 0: one per core that this process may use
  std::size_t stack_size = 0;  // bytes of stack of a task; 0: 48 KiB
  bool pin = true;             // bind each worker to a core, unless there are more workers than cores
  unsigned spin = 0;           // microseconds that an idle worker looks for work before it sleeps; 0: 50
  fp_environment fp_env = fp_environment::per_task;
  bool stats = false;          // print the counters to stderr at the end of run
  std::size_t stack_keep = 0;  // free stacks whose memory is kept for reuse; 0: 65,536
  unsigned shepherds = 0;      // groups of workers; 0: one per last-level cache or NUMA node
  stealing steal = stealing::all;
  unsigned max_threads = 0;  // OS threads that the run may use, the caller's included; 0: no limit
  unsigned slice = 0;        // microseconds after which a task yields at its next fork or check(); 0: never
  std::string trace{};       // the file that a trace of the run is written to; empty: none (docs/tracing.md)
  bool backtrace = false;    // reports show where each task waits
  unsigned suspect_after = 60;  // seconds of standstill after which a suspicion of deadlock is said; 0: never

  /// from() reads HOCKET_* and then --hk-name VALUE or --hk-name=VALUE, removes the latter from argv, and
  /// stops at "--". Throws error(invalid_option) with a sentence that names the option, the value, and what
  /// would be right.
  static options from(int& argc, char** argv, options defaults);
  static options from(int& argc, char** argv) { return from(argc, argv, options{}); }
  /// from_environment() reads HOCKET_* only.
  static options from_environment(options defaults);
  static options from_environment() { return from_environment(options{}); }

  /// Where each value came from, in the order of settings(); filled in by from().
  std::vector<std::string> origins{};
};

/// setting is one line of `hocket env`.
struct setting {
  std::string name;    // "stack_size"
  std::string value;   // "49152"
  std::string origin;  // "default", "program", "HOCKET_STACK_SIZE" or "--hk-stack-size"
  std::string help;
};
/// settings() lists every option with the value that a run would use.
std::vector<setting> settings(const options&);

}  // namespace hocket
