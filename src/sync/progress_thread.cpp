// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Progress threads: an OS thread, counted against the limit of threads, whose end a task can wait for.
#include <hocket/progress_thread.hpp>

#include <pthread.h>

#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include <hocket/error.hpp>
#include <hocket/event.hpp>
#include <hocket/stop.hpp>

#include "sched/kernel.hpp"
#include "sched/real_task.hpp"
#include "sched/scheduler.hpp"

namespace hocket {
using namespace detail;

struct progress_thread::state {
  std::function<void(std::stop_token)> f;
  std::stop_source stop;
  std::exception_ptr failure;  // before `over` is set
  event over;
  std::thread thread;

  void run() {
    pthread_setname_np(pthread_self(), "hocket-progress");
    try {
      f(stop.get_token());
    } catch (...) {
      failure = std::current_exception();
    }
    over.set();
  }
  void end() {
    stop.request_stop();
    if (current_task() != nullptr) {
      const stop_shield shield;  // the thread uses this state
      over.wait();
    }
    thread.join();  // a thread that is no task waits here; a task does not any more
    if (const kernel_visit k; k) k->blocking.give_back();
  }
};

void progress_thread::end::operator()(state* s) const {
  s->end();
  delete s;
}

void progress_thread::stop() {
  if (state_ == nullptr) return;
  state_->end();
  const std::unique_ptr<state> ended(state_.release());
  if (ended->failure != nullptr) std::rethrow_exception(ended->failure);
}

progress_thread start_progress_thread(std::function<void(std::stop_token)> f) {
  const kernel_visit k;
  if (!k) throw_outside_run("a progress thread was started");
  auto s = std::make_unique<progress_thread::state>();
  s->f = std::move(f);
  if (!k->blocking.take_out())
    throw error(errc::no_threads,
                "a progress thread was started, for which max_threads leaves no thread; raise it, or use "
                "fewer workers");
  try {
    s->thread = std::thread([state = s.get()] {
      if (const kernel_visit run; run) run->unpin();
      state->run();
    });
  } catch (const std::system_error& e) {
    k->blocking.give_back();
    throw error(errc::no_threads, std::string("no progress thread could be made: ") + e.what());
  } catch (...) {
    k->blocking.give_back();
    throw;
  }
  progress_thread handle;
  handle.state_.reset(s.release());
  return handle;
}

}  // namespace hocket
