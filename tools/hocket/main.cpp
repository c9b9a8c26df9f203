// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `hocket` command: reads the command line and hands over to a subcommand.
#include <hocket/error.hpp>
#include <hocket/version.hpp>

#include <fmt/core.h>

#include <cstdio>

#include "command.hpp"
#include "suggest.hpp"

namespace {

/// unknown_command() answers a first word that is no subcommand, which the parser would only call missing.
bool unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(command->get_name());
    if (command->get_name() == word) return false;
  }
  const std::string guess = hocket::tool::closest(word, known);
  fmt::print(stderr, "hocket: there is no command '{}'; {}\n", word,
             guess.empty() ? "see hocket --help" : fmt::format("did you mean {}?", guess));
  return true;
}

constexpr const char* footer =
    "Exit codes: 0 success; 1 a benchmark failed its check, a trace cannot be read, or output could not be "
    "written; 2 bad usage.\n"
    "Every option of the runtime can be given as --hk-NAME VALUE or HOCKET_NAME; `hocket env` lists them.";

int run_command(int argc, char** argv) {
  using namespace hocket::tool;
  const hocket::options options = hocket::options::from(argc, argv);
  int exit = success;
  CLI::App app{"hocket: looks at and measures the Hocket runtime of lightweight tasks", "hocket"};
  app.footer(footer);
  app.set_version_flag("--version", fmt::format("hocket {}", hocket::version()),
                       "Print the version and exit");
  app.require_subcommand(1);
  add_env_command(app, options, exit);
  add_bench_command(app, exit);
  add_timeline_command(app);
  if (argc < 2) {
    fmt::print(stderr, "{}", app.help());
    return bad_usage;
  }
  if (argv[1][0] != '-' && unknown_command(app, argv[1])) return bad_usage;
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& problem) {
    fmt::print(stderr, "hocket: {}; see hocket --help\n", problem.what());
    return bad_usage;
  }
  return exit;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_command(argc, argv);
  } catch (const hocket::error& problem) {
    fmt::print(stderr, "hocket: {}\n", problem.what());
    return problem.code() == hocket::errc::invalid_option ? hocket::tool::bad_usage
                                                          : hocket::tool::work_failed;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "hocket: {}\n", problem.what());
    return hocket::tool::work_failed;
  }
}
