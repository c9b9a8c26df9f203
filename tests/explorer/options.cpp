// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the command line of `explore`.
#include "options.hpp"

#include <charconv>
#include <string_view>

namespace explorer {
namespace {

std::uint64_t number(std::string_view option, std::string_view text, std::uint64_t least,
                     std::uint64_t most) {
  std::uint64_t n = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (problem != std::errc{} || end != text.data() + text.size() || n < least || n > most) {
    throw usage_error(std::string(option) + " is '" + std::string(text) + "'; it must be a number from " +
                      std::to_string(least) + " to " + std::to_string(most) + ".");
  }
  return n;
}

}  // namespace

const char* const help_text =
    "usage: explore SCENARIO [--schedules N] [--seed S] [--preemptions K] [--steps N] [--bug NAME]\n"
    "       explore --list\n"
    "  SCENARIO         a name from --list, or `all`\n"
    "  --schedules N    how many schedules; default 5000\n"
    "  --seed S         the first schedule's seed, default 1; alone: that schedule only\n"
    "  --preemptions K  most switches in a schedule away from a thread that could go on, 0 to 16; default 2\n"
    "  --steps N        how many of the last steps of a failed schedule are printed; default 200\n"
    "  --bug NAME       plants a bug\n"
    "exit code: 0 no schedule failed, 1 one failed, 2 bad usage\n";

options read_options(int argc, char** argv) {
  options o;
  bool has_seed = false, has_schedules = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view a = argv[i];
    const auto value = [&] {
      if (++i == argc) throw usage_error(std::string(a) + " lacks its value; see --help.");
      return std::string_view(argv[i]);
    };
    if (a == "--list") {
      o.list = true;
    } else if (a == "--help") {
      o.help = true;
    } else if (a == "--schedules") {
      o.schedules = number(a, value(), 1, 1'000'000'000);
      has_schedules = true;
    } else if (a == "--seed") {
      o.first_seed = number(a, value(), 0, UINT64_MAX / 2);
      has_seed = true;
    } else if (a == "--preemptions") {
      o.preemptions = static_cast<unsigned>(number(a, value(), 0, 16));
    } else if (a == "--steps") {
      o.steps_shown = number(a, value(), 0, 1'000'000);
    } else if (a == "--bug") {
      o.bug = value();
    } else if (a.starts_with("-") || !o.scenario.empty()) {
      throw usage_error("'" + std::string(a) + "' is not understood; see --help.");
    } else {
      o.scenario = a;
    }
  }
  if (has_seed && !has_schedules) o.schedules = 1;
  if (o.scenario.empty() && !o.list && !o.help) {
    throw usage_error("no scenario is named; give one from --list, or `all`.");
  }
  return o;
}

}  // namespace explorer
