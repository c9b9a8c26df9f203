// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that are to start at a time: on the timer wheel until then.
#include <optional>
#include <stop_token>
#include <utility>

#include <hocket/error.hpp>

#include "sched/held_task.hpp"
#include "sched/kernel.hpp"
#include "sched/tasks.hpp"
#include "sched/timers.hpp"

namespace hocket::detail {
using namespace task_word;

namespace {

/// A task that is to start at a time, until then: it is claimed, so that nobody else runs it. Whoever takes
/// it from the wheel, the timer or the stop callback, starts it.
struct start_timer : timer {
  struct start_now {
    start_timer* of;
    void operator()() const noexcept;
  };
  // The wheel (or who took it from there), and submit_timed until the callback is set: acq_rel, the last
  // deletes.
  atomic<std::uint32_t> holders{2};
  std::optional<std::stop_callback<start_now>> on_stop;
};

void release(start_timer* s) {
  if (s->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete s;
}

void start_timer::start_now::operator()() const noexcept {
  const kernel_visit k;
  if (!k || !k->timers.remove(of)) return;  // it starts already
  begin_held(of->starts);
  release(of);
}

}  // namespace

void start_expired(timer* list) {
  while (list != nullptr) {
    timer* t = std::exchange(list, list->next);
    begin_held(t->starts);
    release(static_cast<start_timer*>(t));
  }
}

void submit_timed(descriptor* d, deadline due) {
  start_timer* s;
  try {
    s = new start_timer;
  } catch (...) {
    refuse(d);
    throw error(errc::no_memory, "no memory for a timer");
  }
  s->due = due;
  s->starts = d;
  try {
    hold(d);
  } catch (...) {
    delete s;
    throw;
  }
  const kernel_visit k;  // the task keeps the run from ending
  // The timer first: a callback that came before it would find nothing to take off. One that comes after it
  // has expired finds it gone; `holders` keeps the memory until both are through.
  std::stop_token token;
  if ((d->word.load(std::memory_order_relaxed) & scoped) != 0) token = token_of(d);
  k->set_timer(s);
  if (token.stop_possible()) {
    s->on_stop.emplace(token, start_timer::start_now{s});
  }
  release(s);
}

}  // namespace hocket::detail
