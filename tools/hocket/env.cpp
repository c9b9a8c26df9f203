// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `hocket env`: version, build, machine, kernel features, and every setting with its value and origin.
#include <hocket/topology.hpp>
#include <hocket/version.hpp>

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "kernel_features.hpp"

#ifndef HOCKET_TOOL_BUILD_TYPE
#error "the build must define HOCKET_TOOL_BUILD_TYPE, _FLAGS, _SWITCH and _SANITIZE"
#endif

namespace hocket::tool {
namespace {

using json = nlohmann::ordered_json;

#if defined(__clang__)
constexpr const char* compiler = "clang++ " __clang_version__;
#else
constexpr const char* compiler = "g++ " __VERSION__;
#endif

std::string or_none(std::string text) { return text.empty() ? "none" : text; }

struct fact {
  std::string name;
  std::string value;
};

std::vector<fact> build_facts() {
  return {
      {"library", hocket::build_description()},        {"compiler", compiler},
      {"build_type", or_none(HOCKET_TOOL_BUILD_TYPE)}, {"flags", or_none(HOCKET_TOOL_FLAGS)},
      {"switch", or_none(HOCKET_TOOL_SWITCH)},         {"sanitizer", or_none(HOCKET_TOOL_SANITIZE)},
  };
}

json as_json(const std::vector<fact>& facts) {
  json object = json::object();
  for (const fact& f : facts) object[f.name] = f.value;
  return object;
}

json machine_as_json() {
  const hocket::machine& m = hocket::this_machine();
  return {{"processor", m.processor},
          {"cores", m.cores},
          {"allowed", m.allowed},
          {"quota", m.quota},
          {"available", hocket::available_cores()},
          {"processors", m.processors},
          {"kernel", m.kernel}};
}

void print_json(const hocket::options& options) {
  json features = json::object();
  for (const feature& f : kernel_features()) features[f.name] = f.value;
  json settings = json::array();
  for (const setting& s : hocket::settings(options)) {
    settings.push_back({{"name", s.name}, {"value", s.value}, {"origin", s.origin}, {"help", s.help}});
  }
  const json all = {{"version", hocket::version()},
                    {"build", as_json(build_facts())},
                    {"machine", machine_as_json()},
                    {"kernel_features", features},
                    {"settings", settings}};
  fmt::print("{}\n", all.dump(2));
}

void print_indented(const std::string& text) {
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    fmt::print("  {}\n", text.substr(start, end - start));
    start = end + 1;
  }
}

void print_text(const hocket::options& options) {
  fmt::print("hocket {}\n\nbuild\n", hocket::version());
  for (const fact& f : build_facts()) fmt::print("  {:<18}{}\n", f.name, f.value);
  fmt::print("\nmachine\n");
  print_indented(hocket::describe_machine());
  fmt::print("\nkernel features\n");
  for (const feature& f : kernel_features()) fmt::print("  {:<18}{:<28}{}\n", f.name, f.value, f.help);
  fmt::print("\nsettings (--hk-NAME, HOCKET_NAME)\n");
  fmt::print("  {:<18}{:<16}{:<22}{}\n", "name", "value", "origin", "meaning");
  for (const setting& s : hocket::settings(options)) {
    fmt::print("  {:<18}{:<16}{:<22}{}\n", s.name, s.value, s.origin, s.help);
  }
}

}  // namespace

void add_env_command(CLI::App& app, const hocket::options& options, int&) {
  auto json_wanted = std::make_shared<bool>(false);
  CLI::App* env =
      app.add_subcommand("env", "Show version, build, machine, and every setting with its origin");
  env->add_flag("--json", *json_wanted, "Print one JSON object");
  env->callback([&options, json_wanted] {
    if (*json_wanted)
      print_json(options);
    else
      print_text(options);
  });
}

}  // namespace hocket::tool
