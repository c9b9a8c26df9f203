// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the process and its runtime have used: memory, page faults, real tasks, stacks.
#pragma once

#include <hocket/hocket.hpp>

#include <sys/resource.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "common/median.hpp"

namespace hocket::apps {

// The most memory that the process has had, in bytes; 0 where /proc does not say.
struct memory_peaks {
  std::uint64_t resident = 0;       // since it began, or since the last restart_resident_peak()
  std::uint64_t address_space = 0;  // since it began
};

// Not getrusage(): its maximum begins with that of the program that started us.
inline memory_peaks peaks_of_memory() {
  memory_peaks peaks;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) peaks.resident = std::stoull(line.substr(6)) * 1024;
    if (line.starts_with("VmPeak:")) peaks.address_space = std::stoull(line.substr(7)) * 1024;
  }
  return peaks;
}

// restart_resident_peak() makes the present resident size the peak; false where the system does not let us.
inline bool restart_resident_peak() {
  std::ofstream clear("/proc/self/clear_refs");
  clear << "5" << std::flush;
  return clear.good();
}

// page_faults() is how often a page was touched for the first time and needed no disk.
inline std::uint64_t page_faults() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  return static_cast<std::uint64_t>(use.ru_minflt);
}

// A span of the main task's life, and what the runtime counted in it.
class counted_span {
 public:
  std::uint64_t count(std::uint64_t hocket::statistics::* counter) const {
    return hocket::stats().*counter - before_.*counter;
  }
  // reals() is how many real tasks came to be; nothing in runs that do not count them (option stats).
  std::optional<std::uint64_t> reals() const {
    if (!counts_reals()) return std::nullopt;
    return count(&hocket::statistics::reals);
  }
  // reals_at_once() is the most real tasks that existed at one time since the run began, the main task
  // included.
  std::optional<std::uint64_t> reals_at_once() const {
    if (!counts_reals()) return std::nullopt;
    return hocket::stats().reals_at_once;
  }

 private:
  // The main task is one: where it has not been counted, none is.
  bool counts_reals() const { return before_.reals != 0; }

  hocket::statistics before_ = hocket::stats();
};

// json_or_null() is the number, or null for one that is not known.
template <class T>
nlohmann::ordered_json json_or_null(const std::optional<T>& number) {
  return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json(nullptr);
}

}  // namespace hocket::apps
