// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ticker's loop, and the handler of SIGUSR1, which does nothing but ring it.
#include "sched/ticker.hpp"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <vector>

#include "base/clock.hpp"
#include "base/futex.hpp"
#include "sched/deque.hpp"
#include "sched/kernel.hpp"
#include "sched/report.hpp"

namespace hocket::detail {
namespace {

// One bell and one count of requests a process, since a signal handler can reach nothing else.
atomic<std::uint32_t> bell{0};  // raised (release) and woken; the ticker reads it (acquire) before it looks
atomic<std::uint64_t> requests{0};  // SIGUSR1s
struct sigaction before;            // the program's own action, put back at the end

void ring_bell() {
  bell.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(bell);
}

void on_request(int) {
  requests.fetch_add(1, std::memory_order_relaxed);
  ring_bell();
}

bool is_ours(const struct sigaction& a) {
  return (a.sa_flags & SA_SIGINFO) == 0 && a.sa_handler == &on_request;
}

void put_back() {
  struct sigaction now;
  if (sigaction(SIGUSR1, nullptr, &now) == 0 && is_ours(now)) sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace

ticker::ticker(kernel& k)
    : kernel_(k),
      slice_ns_(std::int64_t{k.settings.slice} * 1000),
      seen_reports_(requests.load(std::memory_order_relaxed)) {
  if (sigaction(SIGUSR1, nullptr, &before) == 0 && (before.sa_flags & SA_SIGINFO) == 0 &&
      before.sa_handler == SIG_DFL) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_request;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, nullptr);
  }
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (...) {
    put_back();
    throw;
  }
}

ticker::~ticker() {
  ending_.store(1, std::memory_order_relaxed);
  ring();
  thread_.join();
  put_back();
}

void ticker::ring() {
  idle_.store(0, std::memory_order_relaxed);
  ring_bell();
}

void ticker::serve() {
  pthread_setname_np(pthread_self(), "hocket-ticker");
  // Without slices it only keeps the time, and a little longer than anything runs: to start it anew costs a
  // worker.
  constexpr std::int64_t tenth_ns = 100'000'000;
  const timespec period = as_timespec(slice_ns_ != 0 ? slice_ns_ : tenth_ns);
  const unsigned most_quiet = slice_ns_ != 0 ? 0 : 10;
  unsigned quiet = 0;
  for (;;) {
    const std::uint32_t rung = bell.load(std::memory_order_acquire);
    if (ending_.load(std::memory_order_relaxed) != 0) return;
    if (const std::uint64_t n = requests.load(std::memory_order_relaxed); n != seen_reports_) {
      seen_reports_ = n;
      report_suspended(kernel_, STDERR_FILENO);
      continue;
    }
    bool runs = true;
    quiet = kernel_.all_asleep() ? quiet + 1 : 0;
    if (quiet > most_quiet) {
      idle_.store(1, std::memory_order_seq_cst);
      std::atomic_thread_fence(
          std::memory_order_seq_cst);  // a worker that wakes reads idle_ after a full fence
      runs = !kernel_.all_asleep();
      if (runs) idle_.store(0, std::memory_order_relaxed);
    }
    kernel_.coarse_ticks.store(runs ? ticks() : 0, std::memory_order_relaxed);
    futex_wait(bell, rung, runs ? &period : nullptr);
    if (runs && slice_ns_ != 0) end_slices();
  }
}

/// Every worker's task is asked to yield at its next fork or check. One that has just begun is asked too
/// soon; to know better would cost every switch.
void ticker::end_slices() {
  for (auto& w : kernel_.workers) {
    real_task* t = w->current.load(std::memory_order_acquire);
    if (t == nullptr) continue;
    w->slice_over.store(1, std::memory_order_relaxed);
    ask_for_children(t);
  }
}

}  // namespace hocket::detail
