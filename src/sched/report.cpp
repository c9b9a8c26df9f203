// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of reports: a line for each task, its stack or the innermost place in it, and counts.
#include "sched/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "sched/backtrace.hpp"
#include "sched/debug_layout.hpp"
#include "sched/kernel.hpp"
#include "sched/park.hpp"
#include "sched/wait_graph.hpp"
#include "sched/wait_snapshot.hpp"

namespace hocket::detail {
namespace {

constexpr std::size_t most_told = 100;  // tasks with a line of their own
constexpr std::size_t most_groups = 10;
constexpr std::size_t most_circles = 4;

std::mutex one_at_a_time;

void write_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

std::string count(std::size_t n, const char* what, const char* many = "s") {
  return std::to_string(n) + " " + what + (n == 1 ? "" : many);
}

std::string duration(double ns) {
  char text[48];
  const double s = ns / 1e9;
  if (s < 1) {
    std::snprintf(text, sizeof text, "%.0f ms", ns / 1e6);
  } else if (s < 120) {
    std::snprintf(text, sizeof text, "%.1f s", s);
  } else {
    std::snprintf(text, sizeof text, "%.0f min %.0f s", static_cast<double>(static_cast<long>(s) / 60),
                  static_cast<double>(static_cast<long>(s) % 60));
  }
  return text;
}

/// How many nanoseconds ago a count of ticks was.
class tick_clock {
 public:
  explicit tick_clock(const kernel& k) : now_(ticks()) {
    const auto passed = static_cast<double>(now_ - k.first_ticks);
    ns_per_tick_ = passed > 0 ? static_cast<double>(now_ns() - k.first_ns) / passed : 0;
  }
  double since(std::uint64_t then) const {
    return then > now_ ? 0 : static_cast<double>(now_ - then) * ns_per_tick_;
  }

 private:
  std::uint64_t now_;
  double ns_per_tick_;
};

/// One report: what it is about, and its text so far.
struct writing {
  kernel& k;
  bool for_good;
  backtracer& tracer;
  tick_clock clock;
  std::string text{};
};

void add_stack(writing& r, const waiting_task& w) {
  stack_copy copy;
  // One that goes on meanwhile has no place any more.
  if (!copy_stack(w.task, copy) || !waits_still(w)) return;
  const std::vector<stack_frame> frames = r.tracer.walk(copy);
  if (r.k.settings.backtrace) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const stack_frame& f = frames[i];
      r.text += "    #" + std::to_string(i) + " " + (f.function.empty() ? "?" : f.function);
      if (!f.place.empty()) r.text += " at " + f.place;
      r.text += "\n";
    }
  } else if (const stack_frame* own = own_frame(frames)) {
    r.text += "    in " + own->function + (own->place.empty() ? "" : " at " + own->place) + "\n";
  } else if (std::string task = r.tracer.function_at(code_of(w)); !task.empty()) {
    r.text += "    in " + task + "\n";
  } else if (!frames.empty() && backtracer::lacks() != nullptr) {
    r.text += "    goes on at " + frames[0].place + "\n";
  }
}

void add_task(writing& r, const waiting_task& w) {
  r.text += "  " + name_of(w) + " waits for " + awaited_by(w, r.for_good);
  r.text += ", for " + duration(r.clock.since(w.since)) + "\n";
  add_stack(r, w);
}

/// Those that get no line of their own, by what they wait for.
void add_rest(writing& r, const std::vector<waiting_task>& list, std::size_t from) {
  if (from >= list.size()) return;
  std::map<std::pair<wait_kind, const void*>, std::size_t> groups;
  const auto key = [](const waiting_task& w) {
    // Tasks and children each wait for another one; of other things many wait for one.
    const wait_kind k = w.waits_for.kind;
    const bool own = k == wait_kind::any_task || k == wait_kind::stolen_child;
    return std::pair(k, own ? nullptr : w.waits_for.object);
  };
  std::vector<const waiting_task*> first;
  for (std::size_t i = from; i < list.size(); ++i) {
    if (groups[key(list[i])]++ == 0) first.push_back(&list[i]);
  }
  std::sort(first.begin(), first.end(), [&](const waiting_task* a, const waiting_task* b) {
    const std::size_t x = groups[key(*a)], y = groups[key(*b)];
    return x != y ? x > y : a->number < b->number;
  });
  r.text += "  ... and " + std::to_string(list.size() - from) + " more, of which\n";
  std::size_t told = 0;
  for (std::size_t i = 0; i < first.size() && i < most_groups; ++i) {
    const waiting_task& w = *first[i];
    const std::size_t n = groups[key(w)];
    told += n;
    std::string what = awaited_by(w, r.for_good);
    if (w.waits_for.kind == wait_kind::any_task) what = "any of several tasks";
    if (w.waits_for.kind == wait_kind::stolen_child) what = "forked children that run on other stacks";
    r.text += "    " + std::to_string(n) + (n == 1 ? " waits for " : " wait for ") + what + "\n";
  }
  const std::size_t left = list.size() - from - told;
  if (left != 0)
    r.text += "    " + std::to_string(left) + (left == 1 ? " waits" : " wait") + " for other things\n";
}

void add_tasks(writing& r, const std::vector<waiting_task>& list) {
  const std::size_t own_lines = std::min(list.size(), most_told);
  for (std::size_t i = 0; i < own_lines; ++i) add_task(r, list[i]);
  add_rest(r, list, own_lines);
  if (own_lines != 0 && backtracer::lacks() != nullptr) {
    r.text += std::string("  (") + backtracer::lacks() + ")\n";
  }
}

/// ", 3 held back": futures whose requirements do not hold yet, and tasks that are to start at a time.
std::string held_back(const writing& r) {
  const std::size_t n = r.k.held_tasks.load(std::memory_order_relaxed);
  return n == 0 ? std::string() : ", " + std::to_string(n) + " held back";
}

void add_counts(writing& r, std::size_t waiting) {
  std::size_t ready = 0, unbegun = 0, asleep = 0;
  for (auto& w : r.k.workers) {
    ready += w->queues.ready_hint();
    unbegun += w->queues.virtual_hint();
    asleep += w->asleep.load(std::memory_order_relaxed) != worker::is_awake;
  }
  const std::size_t n = r.k.workers.size();
  r.text += "hocket: " + std::to_string(waiting) + (waiting == 1 ? " task waits, " : " tasks wait, ") +
            std::to_string(ready) + " ready, " + std::to_string(unbegun) + " queued without a stack" +
            held_back(r) + "; of " + count(n, "worker") + " " + std::to_string(n - asleep) + " awake, " +
            std::to_string(asleep) + " asleep\n";
}

void suspended_text(writing& r) {
  const std::vector<waiting_task> list = waiting_tasks(r.k);
  add_counts(r, list.size());
  add_tasks(r, list);
}

void deadlock_text(writing& r) {
  const std::vector<waiting_task> list = waiting_tasks(r.k);
  const std::size_t n = list.size();
  const auto threads = static_cast<std::uint32_t>(parked_threads.load(std::memory_order_relaxed));
  r.text += "hocket: deadlock: " + std::to_string(n) + (n == 1 ? " task waits" : " tasks wait") +
            held_back(r) + ", and nothing is left that could wake " + (n == 1 ? "it" : "them");
  if (threads != 0)
    r.text += "; " + count(threads, threads == 1 ? "other thread waits" : "other threads wait", "") + " too";
  r.text += "\n";
  add_tasks(r, list);
  const std::vector<std::string> circles = circles_among(list, most_circles + 1);
  for (std::size_t i = 0; i < circles.size() && i < most_circles; ++i) {
    r.text += "hocket: a circle: " + circles[i] + "\n";
  }
  if (circles.size() > most_circles) r.text += "hocket: and more circles\n";
}

void write_report(kernel& k, int fd, bool for_good) {
  const std::lock_guard lock(one_at_a_time);
  asm volatile("" : : "r"(&hocket_debug_layout));  // a static library's user links it because of this
  try {
    backtracer tracer;
    writing r{k, for_good, tracer, tick_clock(k)};
    (for_good ? deadlock_text : suspended_text)(r);
    write_all(fd, r.text);
  } catch (const std::exception& e) {
    write_all(fd, std::string(for_good ? "hocket: deadlock" : "hocket: report") +
                      ": it cannot be told more: " + e.what() + "\n");
  }
}

}  // namespace

void report_suspended(kernel& k, int fd) { write_report(k, fd, false); }

void report_deadlock(kernel& k, int fd) {
  // The caller is an idle stack, which is too small for it.
  try {
    std::thread([&k, fd] { write_report(k, fd, true); }).join();
  } catch (const std::system_error&) {
    write_all(
        fd,
        "hocket: deadlock: all tasks wait, and nothing is left that could wake them (no thread could be "
        "made that would tell more)\n");
  }
}

}  // namespace hocket::detail
