// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The benchmark executables, one per runtime: where they lie, and one launch of one of them.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench_catalog.hpp"

namespace hocket::tool {

using json = nlohmann::ordered_json;

/// program_folders() lists where the executables may be: `chosen` alone if it is not empty, else beside this
/// command, in the build tree's bench folder, and in libexec/hocket of an installation.
std::vector<std::filesystem::path> program_folders(const std::string& chosen);

/// find_program() returns the path of hkbench-<variant>, or an empty one.
std::filesystem::path find_program(const std::vector<std::filesystem::path>& folders,
                                   const std::string& variant);

struct outcome {
  enum class kind { measured, wrong, not_offered, broken } what = kind::broken;
  std::vector<json> samples;  // one object per printed line
  std::string problem;        // if not measured: one sentence
};

/// launch() runs a program for one sample and reads what it prints; its stderr stays ours. A program that
/// takes longer than `timeout_s` is killed.
outcome launch(const std::filesystem::path& program, const contestant& asked, double timeout_s);

}  // namespace hocket::tool
