// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that are to start at a time: on the timer wheel until then.
#include <optional>
#include <stop_token>
#include <utility>

#include <hocket/error.hpp>

#include "sched/kernel.hpp"
#include "sched/scheduler.hpp"
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

void start_due(descriptor* d) {
  d->word.fetch_sub(claimed, std::memory_order_release);  // virtual from now on
  if (worker* w = current_worker()) {
    queue_virtual(w, d);
  } else if (const kernel_visit k; k) {
    k->inject(d);
  }
}

void start_timer::start_now::operator()() const noexcept {
  const kernel_visit k;
  if (!k || !k->timers.remove(of)) return;  // it starts already
  start_due(of->starts);
  release(of);
}

}  // namespace

void start_expired(timer* list) {
  while (list != nullptr) {
    timer* t = std::exchange(list, list->next);
    start_due(t->starts);
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
  d->word.store(d->word.load(std::memory_order_relaxed) | claimed, std::memory_order_relaxed);
  std::optional<kernel_visit> k(std::in_place);
  bool admitted = static_cast<bool>(*k);
  if (worker* w = current_worker()) {
    count_made(w, d, w->counts.spawned);
    w->kernel_->spread(d);
  } else {
    admitted = admitted && (*k)->admit_foreign(d);
  }
  if (!admitted) {
    delete s;
    k.reset();  // the closure's destructor may wait for the end of the visits
    throw_not_running(d);
  }
  if (HOCKET_UNLIKELY(watching)) watch_made(current_worker(), d);
  // The timer first: a callback that came before it would find nothing to take off. One that comes after it
  // has expired finds it gone; `holders` keeps the memory until both are through.
  std::stop_token token;
  if ((d->word.load(std::memory_order_relaxed) & scoped) != 0) token = token_of(d);
  (*k)->set_timer(s);
  if (token.stop_possible()) {
    s->on_stop.emplace(token, start_timer::start_now{s});
  }
  release(s);
}

}  // namespace hocket::detail
