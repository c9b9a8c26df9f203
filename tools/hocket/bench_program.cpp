// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starting a benchmark executable and reading its lines.
#include "bench_program.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <optional>
#include <sstream>

extern char** environ;

namespace hocket::tool {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

struct child {
  pid_t pid = -1;
  int output = -1;
};

std::optional<child> start_child(const fs::path& program, const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  child started;
  started.output = ends[0];
  const int error = posix_spawn(&started.pid, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    return std::nullopt;
  }
  return started;
}

/// read_until() collects the child's output up to its end; false if the time ran out first.
bool read_until(int output, clock::time_point deadline, std::string& text) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{output, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min<long long>(left, 1000)));
    if (ready <= 0) continue;  // a signal or a slice of the time: look at the clock again
    char buffer[4096];
    const ssize_t count = read(output, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace

std::vector<fs::path> program_folders(const std::string& chosen) {
  if (!chosen.empty()) return {chosen};
  std::error_code none;
  const fs::path here = fs::read_symlink("/proc/self/exe", none).parent_path();
  return {here, here.parent_path() / "bench", here.parent_path() / "libexec" / "hocket"};
}

fs::path find_program(const std::vector<fs::path>& folders, const std::string& variant) {
  for (const fs::path& folder : folders) {
    const fs::path program = folder / ("hkbench-" + variant);
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

outcome launch(const fs::path& program, const contestant& asked, double timeout_s) {
  std::vector<std::string> arguments = {
      program.string(), asked.bench, "--threads", std::to_string(asked.threads), "--samples", "1"};
  for (const auto& [key, value] : asked.params) {
    arguments.push_back("--param");
    arguments.push_back(key + "=" + value);
  }
  const std::string what =
      fmt::format("{} {} --threads {}", program.filename().string(), asked.bench, asked.threads);
  outcome result;
  const auto started = start_child(program, arguments);
  if (!started) {
    result.problem = fmt::format("{} could not be started: {}", program.string(), std::strerror(errno));
    return result;
  }
  const auto deadline =
      clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(timeout_s));
  std::string text;
  const bool in_time = read_until(started->output, deadline, text);
  if (!in_time) kill(started->pid, SIGKILL);
  close(started->output);
  int status = 0;
  while (waitpid(started->pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    result.problem = fmt::format("{} took longer than {} s and was ended; see --timeout", what, timeout_s);
    return result;
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    result.what = code == 2   ? outcome::kind::not_offered
                  : code == 1 ? outcome::kind::wrong
                              : outcome::kind::broken;
    result.problem = fmt::format("{} {}", what, describe_status(status));
    return result;
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    json sample = json::parse(line, nullptr, false);
    if (sample.is_discarded() || !sample.contains("value")) {
      result.problem = fmt::format("{} printed a line that is no sample: {}", what, line);
      return result;
    }
    result.samples.push_back(std::move(sample));
  }
  result.what = outcome::kind::measured;
  return result;
}

}  // namespace hocket::tool
