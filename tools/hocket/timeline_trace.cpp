// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows the events of a trace: which slices are open on each track, and in which state each real task is.
#include "timeline_trace.hpp"

#include <fmt/core.h>
#include <hocket/error.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "timeline_curves.hpp"

namespace hocket::tool {
namespace {

/// A real task whose outermost slice has ended, and of which it is not yet known whether it had yielded, or
/// has found its next task, or is over.
constexpr auto left_worker = static_cast<task_state>(4);

struct open_slice {
  std::uint32_t real;  // index; none: the worker sleeps
  std::uint64_t task;
  std::int64_t begin;
};

struct real_progress {
  std::uint32_t open = 0;       // slices
  bool waits = false;           // between its "block" and its "wake"
  std::size_t last_change;      // index
  std::uint64_t innermost = 0;  // task, that runs or ran last
};

std::uint64_t needed(const std::optional<std::uint64_t>& value, const char* what) {
  if (!value) throw event_problem(fmt::format("has no \"{}\"", what));
  return *value;
}

class builder {
 public:
  builder(trace& to, const trace_request& wanted) : trace_(to), wanted_(wanted) {}
  void take(const trace_event&);
  /// After the last event.
  void finish(const std::string& path);

 private:
  struct track_state {
    std::vector<open_slice> open;
    std::uint32_t stolen_from = none;  // the task (index) under which the next stolen child belongs
  };

  void advance(const trace_event&);
  void begin(track_state&, const trace_event&);
  void begin_task(track_state&, const trace_event&);
  void end(track_state&);
  void instant(track_state&, const trace_event&);
  void made(track_state&, const trace_event&);
  void began(const trace_event&, std::uint32_t real, track_state&);
  void ended(const open_slice&);
  void change(std::uint32_t real, task_state state) {
    progress_[real].last_change = trace_.changes.size();
    trace_.changes.push_back({now_, real, state});
  }
  task_state& last_state(std::uint32_t real) { return trace_.changes[progress_[real].last_change].state; }
  std::uint32_t real_of(std::uint64_t id, const std::string& name);
  std::uint32_t task_of(std::uint64_t id) {
    const auto known = tasks_.find(id);
    return known == tasks_.end() ? none : known->second;
  }
  std::uint32_t new_task(std::uint64_t id, std::uint32_t parent) {
    const auto index = static_cast<std::uint32_t>(trace_.tasks.size());
    trace_.tasks.push_back({id, -1, -1, parent, none, text(""), text("")});
    tasks_[id] = index;
    return index;
  }
  std::uint32_t text(const std::string& s) {
    const auto [known, fresh] = texts_.try_emplace(s, static_cast<std::uint32_t>(trace_.texts.size()));
    if (fresh) trace_.texts.push_back(s);
    return known->second;
  }
  bool in_range() const {
    const double ms = static_cast<double>(now_) * 1e-6;
    return ms >= wanted_.from_ms && ms <= wanted_.to_ms;
  }
  void set_range();

  trace& trace_;
  const trace_request& wanted_;
  std::int64_t first_ns_ = -1, now_ = 0;
  std::unordered_map<std::uint64_t, track_state> tracks_;
  std::unordered_map<std::uint64_t, std::uint32_t> reals_, tasks_;  // index by number in the trace
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::vector<real_progress> progress_;  // by index of the real task
};

void builder::advance(const trace_event& e) {
  if (!e.us) throw event_problem("has no time, \"ts\"");
  if (!std::isfinite(*e.us) || *e.us < 0 || *e.us > 1e15)
    throw event_problem(fmt::format("has an impossible time, \"ts\" {}", *e.us));
  const std::int64_t ns = std::llround(*e.us * 1000);
  if (first_ns_ < 0) first_ns_ = ns;
  if (ns - first_ns_ < now_) {
    throw event_problem(fmt::format("is earlier, at {} us, than the one before it, at {} us", *e.us,
                                    static_cast<double>(now_ + first_ns_) / 1000));
  }
  now_ = ns - first_ns_;
}

void builder::take(const trace_event& e) {
  if (e.phase == 'M') return;
  if (e.phase == 0) throw event_problem("has no phase, \"ph\"");
  if (std::string_view("BEisf").find(e.phase) == std::string_view::npos) return;  // what we do not write
  advance(e);
  trace_.counts.events += in_range();
  track_state& track = tracks_[needed(e.track, "tid")];
  switch (e.phase) {
    case 'B':
      return begin(track, e);
    case 'E':
      if (track.open.empty())
        throw event_problem(fmt::format("ends a slice on track {}, where none is open", *e.track));
      return end(track);
    case 'i':
      return instant(track, e);
    case 's':
      if (e.category == "made") made(track, e);
      return;
    default:
      return;
  }
}

void builder::begin(track_state& track, const trace_event& e) {
  if (e.category == "task") return begin_task(track, e);
  if (e.category != "worker")
    throw event_problem("begins a slice that is neither a task nor a worker's sleep");
  track.open.push_back({none, 0, now_});
}

std::uint32_t builder::real_of(std::uint64_t id, const std::string& name) {
  if (id == 0) throw event_problem("names real task 0; their numbers begin with 1");
  const auto [known, fresh] = reals_.try_emplace(id, static_cast<std::uint32_t>(trace_.reals.size()));
  if (!fresh) return known->second;
  trace_.reals.push_back({id, now_, now_, text(name), 0});
  progress_.emplace_back();
  change(known->second, task_state::running);
  return known->second;
}

void builder::begin_task(track_state& track, const trace_event& e) {
  const std::uint64_t task = needed(e.task, "task");
  if (e.how.empty()) throw event_problem("does not tell \"how\" its task came to run");
  const std::uint32_t real = real_of(needed(e.real, "real"), e.name);
  real_progress& r = progress_[real];
  const bool again = e.how == "again";
  if (r.open++ == 0) {
    // It had left its worker: either it yielded, and was ready, or its stack took on the next task at once.
    if (last_state(real) == left_worker) last_state(real) = again ? task_state::ready : task_state::running;
    if (last_state(real) != task_state::running) change(real, task_state::running);
    r.waits = false;
  }
  r.innermost = task;
  if (!again) began(e, real, track);
  track.open.push_back({real, task, now_});
}

/// A task runs for the first time.
void builder::began(const trace_event& e, std::uint32_t real, track_state& track) {
  ++trace_.reals[real].tasks;
  if (in_range()) {
    trace_counts& c = trace_.counts;
    ++c.tasks;
    c.started += e.how == "start";
    c.realised += e.how == "realise";
    c.inlined += e.how == "inline";
    c.taken_by_idle += e.how == "idle";
    c.next += e.how == "next";
    c.stolen += e.how == "child";
  }
  // Only the main task has the number 0; any other with it was made before the trace began.
  if (!wanted_.tree || (*e.task == 0 && e.how != "main")) return;
  std::uint32_t index = task_of(*e.task);
  if (index == none) index = new_task(*e.task, e.how == "child" ? track.stolen_from : none);
  traced_task& t = trace_.tasks[index];
  t.begin = t.end = now_;
  t.real = real;
  t.name = text(e.name);
  t.how = text(e.how);
}

void builder::end(track_state& track) {
  const open_slice slice = track.open.back();
  track.open.pop_back();
  if (slice.real == none) {
    const double from = wanted_.from_ms * 1e6, to = wanted_.to_ms * 1e6;
    const double asleep =
        std::min(static_cast<double>(now_), to) - std::max(static_cast<double>(slice.begin), from);
    trace_.counts.asleep_ns += asleep > 0 ? static_cast<std::int64_t>(asleep) : 0;
    return;
  }
  real_progress& r = progress_[slice.real];
  if (!track.open.empty() && track.open.back().real == slice.real) r.innermost = track.open.back().task;
  if (--r.open == 0) change(slice.real, r.waits ? task_state::blocked : left_worker);
  trace_.reals[slice.real].end = now_;
  ended(slice);
}

void builder::ended(const open_slice& slice) {
  if (!wanted_.tree) return;
  if (const std::uint32_t task = task_of(slice.task); task != none) trace_.tasks[task].end = now_;
}

void builder::instant(track_state& track, const trace_event& e) {
  if (e.name == "block") {
    const auto known = reals_.find(needed(e.real, "real"));
    if (known == reals_.end())
      throw event_problem(fmt::format("blocks real task {}, which never began", *e.real));
    trace_.counts.suspended += in_range();
    progress_[known->second].waits = true;
    if (last_state(known->second) == left_worker) last_state(known->second) = task_state::blocked;
  } else if (e.name == "wake") {
    trace_.counts.woken += in_range();
    const auto known = reals_.find(needed(e.real, "real"));
    if (known == reals_.end()) return;  // made ready before it ever ran
    progress_[known->second].waits = false;
    if (last_state(known->second) == task_state::blocked) change(known->second, task_state::ready);
  } else if (e.name == "steal" && wanted_.tree) {
    const auto parent = reals_.find(e.from.value_or(0));
    track.stolen_from = parent == reals_.end() ? none : task_of(progress_[parent->second].innermost);
  }
}

void builder::made(track_state& track, const trace_event& e) {
  const std::uint64_t id = needed(e.flow, "id");
  trace_.counts.made += in_range();
  if (!wanted_.tree) return;
  // Task 0 is the main task where a slice of it is open, and no task elsewhere.
  const std::uint64_t by = e.by.value_or(0);
  const bool by_a_task =
      by != 0 || (!track.open.empty() && track.open.back().real != none && track.open.back().task == 0);
  if (task_of(id) != none) throw event_problem(fmt::format("makes task {} a second time", id));
  new_task(id, by_a_task ? task_of(by) : none);
}

void builder::set_range() {
  const auto length_ms = static_cast<double>(trace_.length) * 1e-6;
  if (wanted_.from_ms > 0 && wanted_.from_ms >= length_ms) {
    throw hocket::error(hocket::errc::invalid_option,
                        fmt::format("--from {} lies after the end of the trace, which is {:.6g} ms long",
                                    wanted_.from_ms, length_ms));
  }
  trace_.from = std::llround(wanted_.from_ms * 1e6);
  trace_.to = wanted_.to_ms < length_ms ? std::llround(wanted_.to_ms * 1e6) : trace_.length;
  trace_.to = std::max(trace_.to, trace_.from + 1);
}

void builder::finish(const std::string& path) {
  for (const auto& [number, track] : tracks_) {
    if (!track.open.empty())
      throw no_trace(path, fmt::format("it has {} slice{} on track {} without an end", track.open.size(),
                                       track.open.size() == 1 ? "" : "s", number));
  }
  if (trace_.reals.empty())
    throw std::runtime_error(path + " is a trace in which no task ran; there is nothing to draw");
  trace_.length = std::max<std::int64_t>(now_, 1);
  set_range();
  for (std::uint32_t i = 0; i < trace_.reals.size(); ++i) {
    traced_real& real = trace_.reals[i];
    // What is still blocked when the trace ends waits for ever, or its event came too late.
    if (last_state(i) == left_worker)
      last_state(i) = task_state::gone;
    else
      real.end = trace_.length;
    trace_.counts.blocked_at_end += last_state(i) == task_state::blocked;
    trace_.counts.real_tasks += real.begin <= trace_.to && real.end >= trace_.from;
  }
  count_states(trace_);
}

}  // namespace

trace read_trace(const std::string& path, const trace_request& wanted) {
  trace result;
  builder b(result, wanted);
  result.header = read_events(path, [&](const trace_event& e) { b.take(e); });
  b.finish(path);
  return result;
}

}  // namespace hocket::tool
