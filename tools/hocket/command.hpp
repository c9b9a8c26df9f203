// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the subcommands of `hocket` share: how they join the command line, and the exit codes.
#pragma once

#include <hocket/options.hpp>

#include <CLI/CLI.hpp>

namespace hocket::tool {

/// The documented exit codes of the command.
enum exit_code : int {
  success = 0,
  work_failed = 1,  // a benchmark failed its check, a trace cannot be read, or output could not be written
  bad_usage = 2,    // the command line, an option or the environment is wrong
};

/// Each of these adds a subcommand; its callback stores the exit code. `options` and `exit` outlive the app.
void add_env_command(CLI::App& app, const hocket::options& options, int& exit);
void add_bench_command(CLI::App& app, int& exit);
void add_timeline_command(CLI::App& app);  // what fails, throws

}  // namespace hocket::tool
