// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of a model: chooses sizes, memory order and a planted bug, runs the search, prints what it
// found. Exit codes: 0 the expected outcome, 1 another outcome, 2 bad usage.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include "explore.h"
#include "store_buffers.h"

namespace models {

// A change of the protocol: a planted bug, or one that must do no harm.
template <class Variant>
struct change {
  const char* name;
  void (*set)(Variant&);
  const char* what;
};

// --name N sets a size of the search, --name alone sets a flag to 1 (then `most` is 0).
template <class Variant>
struct setting {
  const char* name;
  int Variant::* value;
  int least, most;
  const char* what;
};

template <class Variant>
struct description {
  const char* program;
  const char* what;
  std::span<const setting<Variant>> settings;
  std::span<const change<Variant>> bugs, allowed;
};

template <class Variant>
void print_usage(const description<Variant>& d, std::FILE* out) {
  std::fprintf(out, "usage: %s [SIZES] [--weak] [--bug NAME | --allow NAME] [--quiet]\n%s\n", d.program,
               d.what);
  const Variant standard;
  for (const auto& s : d.settings) {
    if (s.most == 0)
      std::fprintf(out, "  %-22s %s\n", s.name, s.what);
    else
      std::fprintf(out, "  %s %d..%d%*s %s (default %d)\n", s.name, s.least, s.most,
                   22 - 5 - static_cast<int>(std::strlen(s.name)), "", s.what, standard.*s.value);
  }
  std::fputs(
      "  --weak                 stores overtake each other (default: x86-TSO)\n"
      "  --bug NAME             plants a bug; success means that it was found\n"
      "  --allow NAME           makes a change that must do no harm\n"
      "  --quiet                no trace\n"
      "Exit code: 0 as expected, 1 not as expected, 2 bad usage.\nBugs:\n",
      out);
  for (const auto& c : d.bugs) std::fprintf(out, "  %-30s %s\n", c.name, c.what);
  if (!d.allowed.empty()) std::fputs("Harmless changes:\n", out);
  for (const auto& c : d.allowed) std::fprintf(out, "  %-30s %s\n", c.name, c.what);
}

// Model is made from (variant, memory order).
template <class Model, class Variant>
int model_main(const description<Variant>& d, int argc, char** argv) {
  Variant how;
  auto order = memory_order_model::tso;
  const change<Variant>* changed = nullptr;
  bool expect_violation = false, quiet = false;
  std::string sizes;
  const auto bad = [&](const std::string& sentence) {
    std::fprintf(stderr, "%s: %s; see %s --help.\n", d.program, sentence.c_str(), d.program);
    std::exit(2);
  };
  for (int k = 1; k < argc; ++k) {
    const std::string option = argv[k];
    const auto value = [&]() -> std::string {
      if (k + 1 >= argc) bad(option + " needs a value after it");
      return argv[++k];
    };
    const setting<Variant>* found = nullptr;
    for (const auto& s : d.settings)
      if (option == s.name) found = &s;
    if (option == "--help") {
      print_usage(d, stdout);
      return 0;
    } else if (option == "--weak") {
      order = memory_order_model::weak;
    } else if (option == "--quiet") {
      quiet = true;
    } else if (option == "--bug" || option == "--allow") {
      if (changed) bad("--bug and --allow take one change a run");
      expect_violation = option == "--bug";
      const std::string name = value();
      for (const auto& c : expect_violation ? d.bugs : d.allowed)
        if (name == c.name) changed = &c;
      if (!changed) bad(option + " '" + name + "' is not a name in the list");
    } else if (found && found->most == 0) {
      how.*found->value = 1;
      sizes += " " + option;
    } else if (found) {
      const std::string text = value();
      char* end = nullptr;
      const long n = std::strtol(text.c_str(), &end, 10);
      if (text.empty() || *end != '\0' || n < found->least || n > found->most)
        bad(option + " is '" + text + "'; it must be a number from " + std::to_string(found->least) + " to " +
            std::to_string(found->most));
      how.*found->value = static_cast<int>(n);
      sizes += " " + option + " " + text;
    } else {
      bad("unknown argument '" + option + "'");
    }
  }
  if (changed) changed->set(how);

  const Model model(how, order);
  const outcome result = explorer(model, limits{}).run();
  std::printf("%s%s%s%s: %s order, %zu states, %zu steps, %zu deep\n", d.program, sizes.c_str(),
              changed ? ", " : "", changed ? changed->name : "",
              order == memory_order_model::tso ? "x86-TSO" : "weak", result.states, result.steps,
              result.depth);
  if (result.violation.empty() && !result.complete) {
    std::printf("NOT FINISHED: more states than this program may keep, so nothing is proved.\n");
    return 1;
  }
  if (result.violation.empty())
    std::printf("%s: no violation in any state.\n", expect_violation ? "BUG NOT FOUND" : "holds");
  else
    std::printf("%s: %s\n%s", expect_violation ? "bug found" : "VIOLATION", result.violation.c_str(),
                quiet ? "" : result.trace.c_str());
  return result.violation.empty() == expect_violation ? 1 : 0;
}

}  // namespace models
