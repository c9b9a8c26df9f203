// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Standstill: all workers sleep, and tasks have not ended. A deadlock for certain, if nothing is left that
// could wake one of them; else at most a suspicion.
//
// Certain means: no timer is set, no blocking call goes on, no work lies anywhere, and every thread of the
// process is one of ours that sleeps, or a thread that waits in a wait of ours without a limit. A thread that
// wakes another takes it off the count of those itself (fire), so a thread counted as waiting wakes nobody.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "sched/kernel.hpp"
#include "sched/park.hpp"
#include "sched/report.hpp"
#include "sched/tracing.hpp"

namespace hocket::detail {
namespace {

constexpr deadline ms = 1'000'000, s = 1'000 * ms;
/// How long all must have slept before anybody looks, so that programs that only pause pay nothing.
constexpr deadline settled = 50 * ms;
constexpr int exit_code = 3;

/// ThreadSanitizer's runtime has a thread of its own.
constexpr long threads_of_checkers = HOCKET_TSAN ? 1 : 0;

/// The number of threads of this process; 0 if the system does not tell.
long threads_of_process() {
  std::FILE* f = std::fopen("/proc/self/stat", "r");
  if (f == nullptr) return 0;
  char text[1024];
  const std::size_t n = std::fread(text, 1, sizeof text - 1, f);
  std::fclose(f);
  text[n] = '\0';
  // pid (name) state ppid ...: the number of threads is the 18th word after the name, which may hold
  // anything.
  const char* p = std::strrchr(text, ')');
  for (int word = 0; p != nullptr && word < 18; ++word) p = std::strchr(p + 1, ' ');
  return p == nullptr ? 0 : std::strtol(p, nullptr, 10);
}

/// Two workers may have found it out: the second waits here for the end.
[[noreturn]] void end_deadlocked(kernel& k) {
  static std::mutex only_one;
  only_one.lock();
  // What the program has printed so far comes first; if a suspended task holds stdout's lock, it is lost.
  if (ftrylockfile(stdout) == 0) {
    std::fflush(stdout);
    funlockfile(stdout);
  }
  report_deadlock(k, STDERR_FILENO);
  write_trace();  // the trace of a run that hangs is worth most
  _exit(exit_code);
}

}  // namespace

kernel::unended_tasks kernel::unended() const {
  const std::uint64_t daemons_over = daemons_ended.load(std::memory_order_acquire);
  const std::uint64_t foreign_daemons = foreign_daemons_.load(std::memory_order_acquire);
  std::uint64_t made = foreign_made_.load(std::memory_order_acquire) / foreign_one - foreign_daemons,
                ended = 0;
  for (auto& v : workers) ended += v->counts.finished.observe();
  for (auto& v : workers) {
    made += v->counts.spawned.observe() + v->counts.begun.observe() + v->counts.started.observe();
  }
  const std::uint64_t daemons = daemons_made.load(std::memory_order_acquire);
  return {made > ended ? made - ended : 0, daemons > daemons_over ? daemons - daemons_over : 0};
}

deadline kernel::look_at_standstill(deadline began) {
  // Whoever ends one of these conditions wakes a worker; the last one to sleep again looks again.
  if (stopping() || !all_asleep()) return never;
  if (timers.next() != never) return never;
  const unended_tasks left = unended();
  const bool only_daemons = left.usual == 0;
  if (left.usual + left.daemons == 0) return never;
  // Daemons that wait are no deadlock, unless they have been asked to stop and wait on.
  if (only_daemons && !(main_is_done() && daemon_stop_.stop_requested())) return never;
  const deadline now = now_ns();
  if (now < began + settled) return began + settled;
  if (blocking.under_way() != 0) return now + s;  // its count goes down after its task has been made ready

  const auto falls = [this] {
    std::uint64_t sum = 0;
    for (auto& w : workers) sum += w->falls.observe();
    return sum;
  };
  const std::uint64_t falls_before = falls();
  const std::uint64_t parked = parked_threads.load(std::memory_order_seq_cst);
  const long threads = threads_of_process();
  const long ours = static_cast<long>(own_threads.load(std::memory_order_seq_cst)) +
                    static_cast<long>(blocking.threads()) + static_cast<std::int32_t>(parked & 0xffffffff) +
                    threads_of_checkers;
  if (threads != 0 && threads <= ours) {
    // The same threads have waited, and no worker has fallen asleep anew, from before the threads were
    // counted until now: so there was no other thread, and all slept, when they were counted. What others,
    // who are gone, have left behind is seen now.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const bool still = all_asleep() && !stopping() && timers.next() == never && blocking.under_way() == 0 &&
                       std::none_of(workers.begin(), workers.end(),
                                    [this](const auto& w) { return anything_to_do(w.get()); }) &&
                       parked_threads.load(std::memory_order_seq_cst) == parked && falls() == falls_before;
    if (still) end_deadlocked(*this);
    return now + settled;
  }
  // Another thread may be about to wake somebody, or may never: look again, ever more rarely.
  const deadline suspect = settings.suspect_after == 0 ? never : began + settings.suspect_after * s;
  if (now >= suspect && !suspicion_said_.exchange(true, std::memory_order_relaxed)) {
    std::fprintf(
        stderr,
        "hocket: nothing has run for %u s: %llu tasks wait, and only threads that are not hocket's could "
        "wake them; kill -USR1 %d shows who waits for what (said once; HOCKET_SUSPECT_AFTER=0 turns it "
        "off)\n",
        settings.suspect_after, static_cast<unsigned long long>(left.usual + left.daemons), getpid());
  }
  const deadline next = now + std::clamp((now - began) / 2, settled, 5 * s);
  return suspicion_said_.load(std::memory_order_relaxed) ? next
                                                         : std::min(next, std::max(suspect, now + settled));
}

}  // namespace hocket::detail
