// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits, put into words. Nothing that is looked at is held still: all but the control blocks, which are never
// unmapped, is read by careful copies.
#include "sched/wait_snapshot.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <unordered_set>

#include "sched/careful_copy.hpp"
#include "sched/kernel.hpp"
#include "sched/real_task.hpp"
#include "sched/report.hpp"
#include "sched/tasks.hpp"

namespace hocket::detail {
namespace {

constinit atomic<const wait_describer*> describers[wait_kinds] = {};  // release when set, acquire by reports

const wait_describer* describer_of(wait_kind kind) {
  const auto k = static_cast<std::size_t>(kind);
  return k < wait_kinds ? describers[k].load(std::memory_order_acquire) : nullptr;
}

/// False if it does not wait, or changed while it was read.
bool look_at(const real_task* t, waiting_task& w) {
  const wait_kind kind = t->waits.load(std::memory_order_acquire);  // pairs with suspend()'s release
  if (kind == wait_kind::nothing) return false;
  w.task = t;
  w.waits_for = {kind, t->waits_on.load(std::memory_order_relaxed),
                 t->waits_count.load(std::memory_order_relaxed)};
  w.since = t->since.load(std::memory_order_relaxed);
  w.suspensions = t->suspensions.load(std::memory_order_relaxed);
  w.runs = t->runs.load(std::memory_order_relaxed);
  w.level = t->level.load(std::memory_order_relaxed);
  if (!copy_object(w.number, &t->id)) return false;
  std::atomic_thread_fence(std::memory_order_acquire);  // all that, then the look whether it has changed
  return waits_still(w);
}

/// What is known of a task by its descriptor.
struct known_task {
  std::string name = "task";
  const real_task* runner = nullptr;  // null if it has not begun, or has ended
  std::uint64_t number = 0;
};

std::string name_by(const descriptor* d) {
  if (d == nullptr) return "idle";
  if (d == &forked_child) return "child";
  const task_operations* operations = nullptr;
  task_operations copy{};
  kept_attributes attributes{};
  if (!copy_object(operations, &d->operations) || !copy_object(copy, operations)) return "?";
  if (!copy.named || !copy_object(attributes, d->first_data) || attributes.name == nullptr) return "task";
  return copy_text(attributes.name);
}

known_task look_up(const descriptor* d) {
  known_task k;
  std::uint64_t word = 0;
  if (!copy_object(word, &d->word)) return k;
  k.name = name_by(d);
  if ((word & task_word::state_mask) == task_word::claimed && copy_object(k.runner, &d->link) &&
      k.runner != nullptr && !copy_object(k.number, &k.runner->id)) {
    k.runner = nullptr;
  }
  return k;
}

std::string quote(const std::string& name) { return "task '" + name + "'"; }
std::string quote(const std::string& name, std::uint64_t number) {
  return quote(name) + " (#" + std::to_string(number) + ")";
}
std::string quote(const known_task& k) {
  return k.runner != nullptr ? quote(k.name, k.number) : quote(k.name) + " (no stack yet)";
}

std::string hex(const void* p) {
  char text[24];
  std::snprintf(text, sizeof text, "%p", p);
  return text;
}

/// The descriptors that a wait names.
std::vector<descriptor*> descriptors_of(const waiting_task& w, std::size_t most) {
  if (w.waits_for.kind == wait_kind::task) {
    return {static_cast<descriptor*>(const_cast<void*>(w.waits_for.object))};
  }
  if (w.waits_for.kind != wait_kind::any_task) return {};
  std::vector<descriptor*> list(std::min(w.waits_for.count, most));
  if (!copy_memory(list.data(), w.waits_for.object, list.size() * sizeof list[0])) list.clear();
  return list;
}

holder holder_of(const waiting_task& w) {
  const wait_describer* d = describer_of(w.waits_for.kind);
  if (d == nullptr) return {nullptr, 0};
  std::vector<std::uint64_t> copy((d->bytes + 7) / 8);
  return copy_memory(copy.data(), w.waits_for.object, d->bytes) ? d->held_by(copy.data())
                                                                : holder{nullptr, 0};
}

/// "held by ..."; `alive` is the task, if it has not ended.
std::string say_holder(const holder& h, const real_task*& alive) {
  alive = nullptr;
  if (h.number == 0) return {};
  if (h.task == nullptr) return " held by a thread that is no task";
  std::uint64_t number = 0;
  if (!copy_object(number, &h.task->id) || number != h.number) return " held by a task that has ended";
  const descriptor* runs = h.task->runs.load(std::memory_order_relaxed);
  if (runs == nullptr) return " held by a task that has ended";
  alive = h.task;
  return " held by " + quote(name_by(runs), number);
}

const char* lock_named(wait_kind k) {  // null for what nobody holds
  return k == wait_kind::mutex ? "a mutex" : k == wait_kind::shared_mutex ? "a shared mutex" : nullptr;
}

std::string say_lock(const char* what, const waiting_task& w, const real_task*& alive) {
  return what + (" at " + hex(w.waits_for.object)) + say_holder(holder_of(w), alive);
}

std::string say_any(const waiting_task& w) {
  constexpr std::size_t most_named = 4;
  std::string text = "any of " + std::to_string(w.waits_for.count) + " tasks";
  const char* separator = ": ";
  for (const descriptor* d : descriptors_of(w, most_named)) {
    const known_task k = look_up(d);
    text += separator + ("'" + k.name + "'");
    if (k.runner != nullptr) text += " (#" + std::to_string(k.number) + ")";
    separator = ", ";
  }
  return w.waits_for.count > most_named ? text + ", ..." : text;
}

}  // namespace

bool describe_waits(wait_kind kind, const wait_describer* d) {
  describers[static_cast<std::size_t>(kind)].store(d, std::memory_order_release);
  return true;
}

bool waits_still(const waiting_task& w) {
  return w.task->waits.load(std::memory_order_relaxed) == w.waits_for.kind &&
         w.task->suspensions.load(std::memory_order_relaxed) == w.suspensions;
}

std::vector<waiting_task> waiting_tasks(kernel& k) {
  std::vector<waiting_task> list;
  for_each_stack(
      [](char* area, void* argument) {
        waiting_task w;
        if (look_at(task_in(area), w)) static_cast<std::vector<waiting_task>*>(argument)->push_back(w);
      },
      &list);
  // A task that has been woken keeps its note until it runs.
  std::vector<const real_task*> ready;
  for (auto& w : k.workers) {
    if (w->queues.ready_hint() == 0) continue;
    ready.reserve(ready.size() + 2 * w->queues.ready_hint() +
                  64);  // allocates now, rather than under the lock
    w->queues.for_each_ready([&ready](const real_task* t) { ready.push_back(t); });
  }
  const std::unordered_set<const real_task*> woken(ready.begin(), ready.end());
  std::erase_if(list, [&woken](const waiting_task& w) { return woken.count(w.task) != 0; });
  std::sort(list.begin(), list.end(),
            [](const waiting_task& a, const waiting_task& b) { return a.number < b.number; });
  return list;
}

std::string name_of(const waiting_task& w) {
  std::string text = quote(name_by(w.runs), w.number);
  if (w.level != usual) text += w.level < usual ? ", of low priority," : ", of high priority,";
  return text;
}

std::string awaited_by(const waiting_task& w, bool for_good) {
  const real_task* alive;
  switch (w.waits_for.kind) {
    case wait_kind::nothing:
      return "nothing";
    case wait_kind::task:
      return quote(look_up(static_cast<const descriptor*>(w.waits_for.object)));
    case wait_kind::any_task:
      return say_any(w);
    case wait_kind::stolen_child:
      return "a forked child that runs on another stack";
    case wait_kind::event:
      return "an event at " + hex(w.waits_for.object) + (for_good ? " that nobody sets" : "");
    case wait_kind::mutex:
    case wait_kind::shared_mutex:
      return say_lock(lock_named(w.waits_for.kind), w, alive);
    case wait_kind::timer:
      return "a point in time";
    case wait_kind::blocking_call:
      return "a blocking call";
    case wait_kind::full_word:
      return "the word at " + hex(w.waits_for.object) + " to be full" +
             (for_good ? ", which nobody fills" : "");
    case wait_kind::empty_word:
      return "the word at " + hex(w.waits_for.object) + " to be empty" +
             (for_good ? ", which nobody empties" : "");
    case wait_kind::condition:
    case wait_kind::semaphore:
    case wait_kind::barrier:
    case wait_kind::latch:
    case wait_kind::counter:
    case wait_kind::channel:
      return std::string("a ") + text_of(w.waits_for.kind) + " at " + hex(w.waits_for.object);
  }
  return "something of kind " + std::to_string(static_cast<unsigned>(w.waits_for.kind)) + " at " +
         hex(w.waits_for.object);
}

const void* code_of(const waiting_task& w) {
  const task_operations* operations = nullptr;
  task_operations copy{};
  if (w.runs == nullptr || w.runs == &forked_child || !copy_object(operations, &w.runs->operations) ||
      !copy_object(copy, operations)) {
    return nullptr;
  }
  return reinterpret_cast<const void*>(copy.invoke);
}

std::vector<blocker> blockers_of(const waiting_task& w) {
  constexpr std::size_t most = 10'000;
  std::vector<blocker> list;
  for (const descriptor* d : descriptors_of(w, most)) {
    const known_task k = look_up(d);
    if (k.runner != nullptr) list.push_back({k.runner, quote(k)});
  }
  if (const char* lock = lock_named(w.waits_for.kind)) {
    const real_task* alive;
    std::string text = say_lock(lock, w, alive);
    if (alive != nullptr) list.push_back({alive, std::move(text)});
  }
  return list;
}

}  // namespace hocket::detail
