// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a task costs in memory: blocked on an event three calls deep, or spawned and never run so far. Each
// state is measured twice in one process: on memory never used before (reuse 0), and on what the first round
// gave back.
#include <string>
#include <vector>

#include "common/resident.hpp"
#include "hocket_benches.hpp"

namespace hkbench {
namespace {

/// round holds what the tasks of one round share. One worker: plain counters.
struct round {
  hocket::event gate;
  long arrived = 0;
  long passed = 0;
};

// Three real calls: each does something after the inner one, so that none becomes a jump.
[[gnu::noinline]] void pass_gate(round& r) {
  ++r.arrived;
  r.gate.wait();
  ++r.passed;
}
[[gnu::noinline]] void call_2(round& r) {
  pass_gate(r);
  asm volatile("");
}
[[gnu::noinline]] void call_3(round& r) {
  call_2(r);
  asm volatile("");
}

struct figures {
  double create = 0;
  double resident = 0;
  double resume = 0;
};

using handles = std::vector<hocket::task<void>>;

figures block(handles& tasks, long count, bool started) {
  figures result;
  round r;
  const auto before = hocket::stats();
  result.create = seconds_of([&] {
    for (long i = 0; i < count; ++i) {
      if (started)
        tasks.push_back(hocket::start([&r] { call_3(r); }));
      else
        tasks.push_back(hocket::spawn([&r] { call_3(r); }));
    }
    while (r.arrived < count) hocket::this_task::yield();
  });
  result.resident = resident_bytes();
  const auto now = hocket::stats();
  check_at_least("the counter `suspended`", static_cast<long long>(now.suspended - before.suspended), count);
  check_equal("the number of tasks past the gate", r.passed, 0);
  result.resume = seconds_of([&] {
    r.gate.set();
    hocket::wait_all(tasks);
  });
  check_equal("the number of tasks past the gate", r.passed, count);
  return result;
}

figures leave_virtual(handles& tasks, long count) {
  figures result;
  long ran = 0;
  result.create = seconds_of([&] {
    for (long i = 0; i < count; ++i) tasks.push_back(hocket::spawn([&ran] { ++ran; }));
  });
  result.resident = resident_bytes();
  check_equal("the number of tasks that ran", ran, 0);
  result.resume = seconds_of([&] { hocket::wait_all(tasks); });
  check_equal("the number of tasks that ran", ran, count);
  return result;
}

}  // namespace

void hocket_memory(request& rq) {
  const bool blocked = rq.choice("state", {"blocked", "virtual"}) == "blocked";
  const bool started = rq.choice("made_by", {"start", "spawn"}) == "start";
  const long count = rq.number("tasks", blocked ? 1000000 : 10000000, 1, 1000000000);
  rq.check_all_read();
  if (rq.threads() != 1) throw bad_usage("memory is measured on one worker");
  if (rq.samples() != 1) throw bad_usage("memory gives one sample a process: its memory is new only once");
  hocket::options defaults;
  defaults.stack_keep =
      static_cast<std::size_t>(count);  // or the second round would not find what the first used
  const double at_start = resident_bytes();
  const auto body = [&] {
    handles tasks;  // 8 bytes a task that count as the tasks' memory
    tasks.reserve(static_cast<std::size_t>(count));
    for (const char* reuse : {"0", "1"}) {
      const figures found = blocked ? block(tasks, count, started) : leave_virtual(tasks, count);
      tasks.clear();
      const param_list more = {{"reuse", reuse}};
      rq.row("bytes_per_task", "B", (found.resident - at_start) / static_cast<double>(count), more);
      rq.row("create_s", "s", found.create, more);
      rq.row("resume_s", "s", found.resume, more);
    }
  };
  in_run(rq, body, defaults);
}

}  // namespace hkbench
