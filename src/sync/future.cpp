// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Futures: a record that hangs in the lists of all that a task waits for, and lets it begin when all have let
// go.
#include <hocket/future.hpp>

#include <memory>
#include <new>
#include <variant>

#include <hocket/error.hpp>

#include "sched/held_task.hpp"
#include "sched/tasks.hpp"
#include "sched/waiters.hpp"
#include "sync/event_waiter.hpp"
#include "sync/full_empty_cell.hpp"

namespace hocket::detail {
namespace {

/// In the list of a task.
struct task_waiter {
  parked who;
  waiter link;
  explicit task_waiter(held_task* h) : who(h) { link.who = &who; }
};

using node = std::variant<std::monostate, task_waiter, event_waiter, list_waiter, full_empty_waiter>;

struct held_future final : held_task {
  std::unique_ptr<node[]> nodes;
};

/// Hangs the node where it is let go; false if the requirement holds.
bool enlist(const requirement& r, node& at, held_task* h) {
  switch (r.what) {
    case requirement::kind::full_word:
      return enlist(static_cast<std::uint64_t*>(r.of), at.emplace<full_empty_waiter>(h));
    case requirement::kind::full_state:
      return enlist(*static_cast<full_empty_state*>(r.of), at.emplace<full_empty_waiter>(h));
    case requirement::kind::event:
      return enlist(*static_cast<event*>(r.of), at.emplace<event_waiter>(h));
    case requirement::kind::counter:
      return enlist(*static_cast<counter*>(r.of), at.emplace<list_waiter>(h));
    case requirement::kind::task:
      return enlist(static_cast<descriptor*>(r.of), at.emplace<task_waiter>(h).link);
  }
  return false;
}

}  // namespace

void submit_held(descriptor* d, const requirement* all, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (all[i].of == nullptr) {
      refuse(d);
      throw error(errc::invalid_handle,
                  "a future requires an empty task handle (made by default, or moved from)");
    }
  }
  if ((d->word.load(std::memory_order_relaxed) & task_word::daemon) != 0) {
    refuse(d);
    throw error(errc::misuse,
                "a future was made with .daemon, but what it requires may never hold, and the run would "
                "not end; start a daemon that waits");
  }
  std::unique_ptr<held_future> record;
  try {
    record = std::make_unique<held_future>();
    record->nodes = std::make_unique<node[]>(n);
  } catch (const std::bad_alloc&) {
    refuse(d);
    throw error(errc::no_memory, "no memory for a future");
  }
  record->begins = d;
  record->left.store(static_cast<std::uint32_t>(n) + 1, std::memory_order_relaxed);  // this function is one
  hold(d);
  held_future* r = record.release();
  for (std::size_t i = 0; i < n; ++i) {
    if (!enlist(all[i], r->nodes[i], r)) let_begin(r);
  }
  let_begin(r);
}

}  // namespace hocket::detail
