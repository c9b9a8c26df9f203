// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the steps of a schedule.
#include "report.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace explorer {
namespace {

const char* name_of(access what) {
  static const char* const names[] = {"load",       "store",     "exchange",    "compare_exchange",
                                      "fetch_add",  "fetch_sub", "fetch_or",    "fetch_and",
                                      "counter",    "pause",     "heavy_fence", "futex_wait",
                                      "futex_wake", "lock",      "make thread", "join",
                                      "begins",     "ends",      "timed out"};
  return names[static_cast<std::size_t>(what)];
}

bool has_value(access what) { return what <= access::fetch_and; }

/// The line of source, without the blanks before it.
std::string text_at(const std::source_location& place) {
  static std::map<std::string, std::vector<std::string>> files;
  auto [f, fresh] = files.try_emplace(place.file_name());
  if (fresh) {
    std::ifstream in(place.file_name());
    for (std::string line; std::getline(in, line);) f->second.push_back(line);
  }
  if (place.line() == 0 || place.line() > f->second.size()) return {};
  const std::string& line = f->second[place.line() - 1];
  const std::size_t from = line.find_first_not_of(' ');
  return from == std::string::npos ? std::string() : line.substr(from);
}

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

void print(const step_record& r, std::size_t number) {
  std::string done = name_of(r.what);
  if (has_value(r.what)) {
    char value[32];
    std::snprintf(value, sizeof value, " %#" PRIx64, r.value);
    done += value;
    if (r.failed) done += " (fails)";
  }
  std::printf("%6zu %c thread %u  %-32s", number, r.preempted ? '*' : ' ', r.thread, done.c_str());
  if (r.what < access::pause) {
    std::printf(" %s:%u  %s", base_name(r.place.file_name()), static_cast<unsigned>(r.place.line()),
                text_at(r.place).c_str());
  }
  std::printf("\n");
}

}  // namespace

void print_steps(const record& r, std::size_t most) {
  std::vector<std::size_t> first;  // of each line: pauses of one thread in a row are one
  for (std::size_t i = 0; i < r.steps; ++i) {
    const bool goes_on = i != 0 && r.list[i].what == access::pause && r.list[i - 1].what == access::pause &&
                         r.list[i].thread == r.list[i - 1].thread;
    if (!goes_on) first.push_back(i);
  }
  const std::size_t from = first.size() > most ? first.size() - most : 0;
  if (from != 0) std::printf("  (%zu lines before; --steps N shows more)\n", from);
  std::printf("  step   thread    operation and value              place   (*: preempted another)\n");
  first.push_back(r.steps);
  for (std::size_t i = from; i + 1 < first.size(); ++i) {
    print(r.list[first[i]], first[i]);
    if (first[i + 1] > first[i] + 1) std::printf("         ... %zu times\n", first[i + 1] - first[i]);
  }
}

}  // namespace explorer
