// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Idle workers sleep: a run in which nothing can run costs next to no processor time, and every wake-up
// arrives.
#include "support/workers.hpp"

#include <sys/resource.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {
using namespace hocket;

class idle : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(idle);

double cpu_seconds() {
  rusage u;
  getrusage(RUSAGE_SELF, &u);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(u.ru_utime) + seconds(u.ru_stime);
}

// The sleep is the subject here: what do the workers burn meanwhile? Half of one core is far above what they
// should, and far below what one that spins would.
TEST_P(idle, workers_with_nothing_to_do_sleep) {
  constexpr auto pause = std::chrono::milliseconds(300);
  double burnt = 0;
  run([&] {
    event set;
    std::thread foreign([&] {
      std::this_thread::sleep_for(pause / 3);  // all have gone to sleep by now
      const double before = cpu_seconds();
      std::this_thread::sleep_for(pause);
      burnt = cpu_seconds() - before;
      set.set();
    });
    set.wait();
    foreign.join();
  });
  EXPECT_LT(burnt, 0.5 * std::chrono::duration<double>(pause).count());
  EXPECT_GT(since(&statistics::sleeps), 0u);
}

TEST_P(idle, no_wake_up_from_a_thread_is_lost) {
  run([] {
    constexpr int n = 300;
    std::vector<event> there(n), back(n);
    std::thread foreign([&] {
      for (int i = 0; i < n; ++i) {
        there[static_cast<std::size_t>(i)].wait();
        if (i % 3 == 0) std::this_thread::yield();
        back[static_cast<std::size_t>(i)].set();
      }
    });
    for (int i = 0; i < n; ++i) {
      there[static_cast<std::size_t>(i)].set();
      back[static_cast<std::size_t>(i)]
          .wait();  // with nothing else to run: the workers go to sleep now and then
    }
    foreign.join();
  });
}

TEST_P(idle, sleepers_wake_for_all_kinds_of_work) {
  options o;
  o.spin = 1;  // asleep almost at once
  run(
      [] {
        for (int i = 0; i < 200; ++i) {
          event a, b, c, d;
          begin([&] { a.set(); });
          a.wait();
          auto t = start([&] { b.set(); });
          b.wait();
          fork_join([&] { c.wait(); }, [&] { c.set(); });
          std::thread foreign([&] { spawn([&] { d.set(); }); });
          d.wait();
          foreign.join();
          t.wait();
        }
      },
      o);
  EXPECT_GT(since(&statistics::sleeps), 0u);
}

/// A worker that burns its core without a fork, a wait or a yield does not keep others from its children and
/// tasks.
TEST_P(idle, work_behind_a_busy_task_is_found) {
  if (workers() == 1) return;  // one worker has nobody else to find it
  run([] {
    std::atomic<bool> child{false}, spawned{false};
    spawn([&] { spawned = true; });
    fork_join(
        [&] {
          while (!child || !spawned) {
          }
        },
        [&] { child = true; });
    EXPECT_TRUE(child && spawned);
  });
}

}  // namespace
