// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records what the scheduler tells.
#include "sched/tracing.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>

#include "sched/real_task.hpp"
#include "sched/tasks.hpp"
#include "sched/trace_json.hpp"
#include "sched/worker.hpp"

namespace hocket::detail {
namespace {

std::unique_ptr<trace_recorder> owned;
unsigned traces_made = 0;  // in this process; the second run's file gets a number

// Real tasks that exist, and the most that did. relaxed: nothing is decided by them.
std::atomic<std::int64_t> real_now{0}, real_most{0}, real_ever{0};

unsigned track_of(const worker* w) { return w != nullptr ? w->number : the_trace->other_threads(); }

/// The number that watch_made() left in the descriptor; 0 if it made none.
std::uint64_t number_in(descriptor* d) {
  const auto word = address(std::atomic_ref(d->link).load(std::memory_order_relaxed));
  return (word & 1) != 0 ? word >> 1 : 0;
}

void count_real(int change) {
  const std::int64_t now = real_now.fetch_add(change, std::memory_order_relaxed) + change;
  for (std::int64_t most = real_most.load(std::memory_order_relaxed);
       now > most && !real_most.compare_exchange_weak(most, now, std::memory_order_relaxed);) {
  }
}

/// Any number but 0 says that it is a real task, where nothing is traced.
void come_to_be(real_task* t, unsigned track) {
  if (t->watched_as == 0) count_real(1);
  real_ever.fetch_add(1, std::memory_order_relaxed);
  t->watched_as = the_trace != nullptr ? the_trace->fresh_number(track) : 1;
}

std::string path_of_this_run(const std::string& path) {
  if (++traces_made == 1) return path;
  const std::size_t slash = path.rfind('/'), dot = path.rfind('.');
  const bool has_ending =
      dot != std::string::npos && dot != 0 && (slash == std::string::npos || dot > slash + 1);
  const std::size_t at = has_ending ? dot : path.size();
  return path.substr(0, at) + "-" + std::to_string(traces_made) + path.substr(at);
}

}  // namespace

void watch_made(worker* w, descriptor* d) {
  if (the_trace == nullptr) return;
  const std::uint64_t number = the_trace->fresh_number(track_of(w));
  std::atomic_ref(d->link).store(reinterpret_cast<descriptor*>(number << 1 | 1), std::memory_order_relaxed);
  the_trace->record(track_of(w), trace_kind::made, number);
}

void watch_realised(worker* w, descriptor* d) {
  if (the_trace != nullptr) the_trace->record(track_of(w), trace_kind::realised, number_in(d));
}

void watch_begin_with(real_task* t, descriptor* d, begun_as how) {
  const worker* w = current_worker();
  come_to_be(t, w != nullptr ? w->number : 0);  // null: run() itself, before there are workers
  t->watched_task = number_in(d);
  t->watched_how = how;
}

void watch_takes_on(real_task* t, worker* w) {
  t->watched_task = 0;
  t->watched_how = t->watched_as == 0 ? begun_as::idle : begun_as::next;
  if (t->watched_as != 0) return;
  come_to_be(t, w->number);
  if (the_trace != nullptr) the_trace->record(w->number, trace_kind::enters, t->watched_as);
}

void watch_steals(real_task* t, worker* w, const real_task* parent) {
  watch_takes_on(t, w);
  if (the_trace == nullptr) return;
  the_trace->record(w->number, trace_kind::steals, parent->watched_as);
  const auto how = static_cast<unsigned>(begun_as::child);
  the_trace->record(w->number, trace_kind::begins, the_trace->fresh_number(w->number),
                    how << 13 | the_trace->name_number(w->number, "child"));
}

void watch_idles(real_task* t, worker* w) {
  if (t->watched_as == 0) return;
  t->watched_as = 0;
  count_real(-1);
  if (the_trace != nullptr) the_trace->record(w->number, trace_kind::enters);
}

void watch_inline(real_task* t) { t->watched_how = begun_as::in_line; }

void watch_begins(real_task* t, descriptor* d) {
  if (the_trace == nullptr) return;
  const std::uint64_t kept = number_in(d);
  const std::uint64_t number = kept != 0 ? kept : t->watched_task;
  const unsigned track = t->on->number;
  const kept_attributes* a = attributes_of(d);
  const unsigned name = a == nullptr || a->name == nullptr ? 0 : the_trace->name_number(track, a->name);
  the_trace->record(track, trace_kind::begins, number, static_cast<unsigned>(t->watched_how) << 13 | name);
}

void watch_ends(real_task* t) {
  if (the_trace != nullptr) the_trace->record(t->on->number, trace_kind::ends);
}

void watch_enters(worker* w, real_task* to) {
  if (the_trace != nullptr) the_trace->record(w->number, trace_kind::enters, to->watched_as);
}

void watch_suspends(worker* w, real_task* t, wait_kind kind) {
  if (the_trace == nullptr) return;
  the_trace->record(w->number, trace_kind::suspends, t->watched_as, static_cast<unsigned>(kind));
}

void watch_ready(worker* w, real_task* t) {
  if (the_trace != nullptr) the_trace->record(track_of(w), trace_kind::ready, t->watched_as);
}

void watch_worker_sleeps(worker* w) {
  if (the_trace != nullptr) the_trace->record(w->number, trace_kind::sleeps);
}
void watch_worker_wakes(worker* w) {
  if (the_trace != nullptr) the_trace->record(w->number, trace_kind::wakes);
}

void begin_watching(const char* trace_path, bool counts, unsigned workers) {
  if (*trace_path != '\0') {
    owned = std::make_unique<trace_recorder>(path_of_this_run(trace_path), workers);
    the_trace = owned.get();
  }
  real_now.store(0, std::memory_order_relaxed);
  watching = counts || the_trace != nullptr;
}

void write_trace() {
  if (owned == nullptr) return;
  owned->close();
  const std::string problem = write_trace_json(*owned);
  if (!problem.empty()) {
    std::fprintf(stderr, "hocket: the trace %s is not complete: %s\n", owned->path().c_str(),
                 problem.c_str());
  }
}

void end_watching() {
  write_trace();
  watching = false;
  the_trace = nullptr;
  owned.reset();
}

std::uint64_t real_tasks() { return static_cast<std::uint64_t>(real_ever.load(std::memory_order_relaxed)); }
std::uint64_t most_real_tasks() {
  return static_cast<std::uint64_t>(real_most.load(std::memory_order_relaxed));
}

}  // namespace hocket::detail
