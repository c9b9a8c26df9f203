// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every example program's main does alike: options, version, error sentences, exit codes, time, and the
// refusal of what does not fit into memory.
#pragma once

#include <hocket/hocket.hpp>

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/median.hpp"

namespace hocket::apps {

// Exit codes, the same for all programs and listed in each --help.
inline constexpr int exit_success = 0;
inline constexpr int exit_failed = 1;     // the work failed, or a check of its result did not hold
inline constexpr int exit_bad_input = 2;  // bad usage, or files that cannot be read or written

// The user's input is at fault; what() is one sentence that says what, where, and what would be right.
class input_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class stopwatch {
 public:
  // seconds() since construction or the last restart().
  double seconds() const { return std::chrono::duration<double>(clock::now() - begin_).count(); }
  void restart() { begin_ = clock::now(); }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point begin_ = clock::now();
};

// check_failed() ends the program, by program(), with the sentence and exit_failed.
[[noreturn]] inline void check_failed(std::string_view what) {
  throw std::runtime_error(fmt::format("check failed: {}", what));
}

// exit_request leaves program() early with a code after --help or --version have printed.
struct exit_request {
  int code;
};

// add_repeat_option() gives `app` its --repeat; median_of_repeats() does what it says.
inline void add_repeat_option(CLI::App& app, int& repeat) {
  app.add_option("--repeat", repeat, "run so often and print the median time")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
}

// median_of_repeats() calls seconds() so often (>= 1), which returns what it has measured.
template <class Seconds>
double median_of_repeats(int repeat, Seconds seconds) {
  std::vector<double> all;
  for (int i = 0; i < repeat; ++i) all.push_back(seconds());
  return median(std::move(all));
}

// parse() gives `app` its --json, its --version and the part of --help that is the same everywhere, and reads
// the command line; wrong usage becomes an input_error, --help and --version an exit_request.
inline void parse(CLI::App& app, int argc, char** argv, bool& json) {
  app.add_flag("--json", json, "print one JSON object");
  app.set_version_flag("--version", fmt::format("{} (Hocket {})", app.get_name(), hocket::version()));
  const std::string own = app.get_footer();
  app.footer(
      own + (own.empty() ? "" : "\n\n") +
      "Runtime: --hk-workers N, --hk-stack-size BYTES and the other --hk-* options or HOCKET_* variables\n"
      "         (`hocket env` lists them); HOCKET_STATS=1 prints the runtime's counters at the end.\n\n"
      "Exit status: 0 success; 1 the work failed or a check of the result did not hold;\n"
      "             2 bad usage, or input that cannot be read or output that cannot be written;\n"
      "             3 a deadlock, which the runtime reports.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    throw exit_request{app.exit(asked)};
  } catch (const CLI::ParseError& wrong) {
    std::string what = wrong.what();
    while (!what.empty() && (what.back() == '\n' || what.back() == '.')) what.pop_back();
    throw input_error(what + " (see --help)");
  }
}

// physical_pages(), physical_bytes(): how much memory this machine has.
inline std::uint64_t physical_pages() { return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)); }
inline std::uint64_t physical_bytes() {
  return physical_pages() * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// refuse_too_many_stacks() throws an input_error if so many real tasks cannot exist at one time: each touches
// a page of its stack at least. `asked` names the options that ask for them.
inline void refuse_too_many_stacks(std::string_view asked, std::uint64_t tasks) {
  if (tasks > physical_pages())
    throw input_error(
        fmt::format("{} needs more memory than this machine has: {} tasks, each with a stack, and {} pages",
                    asked, tasks, physical_pages()));
}

// worker_count() is the number of workers that a run with these options has.
inline unsigned worker_count(const hocket::options& runtime) {
  return runtime.workers != 0 ? runtime.workers : hocket::available_cores();
}

// program() runs `body`, an int(), and turns whatever it throws into one sentence on stderr and an exit code.
template <class Body>
int program(std::string_view name, Body body) {
  const auto complain = [name](std::string_view what, int code) {
    fmt::print(stderr, "{}: {}\n", name, what);
    return code;
  };
  try {
    const int code = body();
    if (std::fflush(stdout) != 0) return complain("cannot write to standard output", exit_bad_input);
    return code;
  } catch (const exit_request& request) {
    return request.code;
  } catch (const input_error& wrong) {
    return complain(wrong.what(), exit_bad_input);
  } catch (const hocket::error& wrong) {
    return complain(wrong.what(),
                    wrong.code() == hocket::errc::invalid_option ? exit_bad_input : exit_failed);
  } catch (const std::bad_alloc&) {
    return complain("out of memory: try a smaller problem", exit_bad_input);
  } catch (const std::exception& wrong) {
    return complain(wrong.what(), exit_failed);
  }
}

}  // namespace hocket::apps
