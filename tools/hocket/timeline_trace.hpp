// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run as its trace tells it, with only what the pictures need: the states of each real task, the counts,
// and, for the tree, which task made which. It takes about a tenth of the file's size in memory.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "timeline_events.hpp"

namespace hocket::tool {

enum class task_state : std::uint8_t { running, ready, blocked, gone };

/// From this time on, a real task is in this state.
struct state_change {
  std::int64_t ns;
  std::uint32_t real;  // index
  task_state state;
};

struct traced_real {
  std::uint64_t id;  // its number in the trace
  std::int64_t begin, end;
  std::uint32_t name;   // of its first task
  std::uint32_t tasks;  // that ran in it
};

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

struct traced_task {
  std::uint64_t id;
  std::int64_t begin, end;  // -1: it never ran
  std::uint32_t parent;     // index, below its own; none: made by no task
  std::uint32_t real;       // index; none: it never ran
  std::uint32_t name, how;  // indices of texts
};

/// Of what lies in the chosen range of time.
struct trace_counts {
  std::uint64_t events = 0, made = 0, tasks = 0, started = 0, realised = 0, inlined = 0, taken_by_idle = 0,
                next = 0, stolen = 0, suspended = 0, woken = 0, real_tasks = 0, blocked_at_end = 0;
  std::uint64_t most_real_at_once = 0, most_running = 0, most_ready = 0, most_blocked = 0;
  std::int64_t running_ns = 0, ready_ns = 0, blocked_ns = 0, asleep_ns = 0;
};

/// What to read: a range of time, from the first event on, and whether the tree is wanted.
struct trace_request {
  double from_ms = 0;
  double to_ms = std::numeric_limits<double>::infinity();
  bool tree = false;
};

struct trace {
  trace_header header;
  std::int64_t from = 0, to = 0;  // the range, in ns since the first event
  std::int64_t length = 0;        // of the whole trace
  std::vector<std::string> texts;
  std::vector<traced_real> reals;     // in the order in which they began
  std::vector<state_change> changes;  // in the order of time
  std::vector<traced_task> tasks;     // in the order in which they were made; empty unless wanted
  trace_counts counts;

  double seconds() const { return static_cast<double>(to - from) * 1e-9; }
};

/// Reads a trace file. Throws std::runtime_error (the file) or hocket::error(invalid_option) (the range).
trace read_trace(const std::string& path, const trace_request&);

}  // namespace hocket::tool
