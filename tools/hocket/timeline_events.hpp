// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trace file as a sequence of events: what the JSON says, one event at a time, so that a file of any length
// can be read. What the events mean is timeline_trace's.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace hocket::tool {

struct trace_event {
  char phase = 0;  // B, E, i, s, f, M
  std::string name, category, how, on;
  std::optional<double> us;  // "ts"
  std::optional<std::uint64_t> track, flow, task, real, by, from;
};

/// What stands beside the events ("otherData").
struct trace_header {
  std::string program, version;
  std::uint64_t workers = 0;
};

/// Thrown by whoever takes an event that makes no sense: the end of a sentence that begins "event 7 ".
struct event_problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// read_events() hands over each event of the file, in its order. Throws std::runtime_error, with one
/// sentence that names the file and the place, if it cannot be read or is no trace of ours.
trace_header read_events(const std::string& path, const std::function<void(const trace_event&)>& each);

/// The sentence for what is wrong in a file as a whole.
std::runtime_error no_trace(const std::string& path, const std::string& why);

}  // namespace hocket::tool
