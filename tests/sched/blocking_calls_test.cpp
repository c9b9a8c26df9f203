// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// blocking(f): what it returns and throws, where it runs, and that the worker runs others meanwhile.
#include "support/at_once.hpp"
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include <sched.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {
using namespace hocket;
using namespace std::chrono_literals;

class blocking_calls : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(blocking_calls);

TEST_P(blocking_calls, values_of_every_kind) {
  run([] {
    hocket_test::everywhere([] {
      EXPECT_EQ(blocking([] { return 42; }), 42);
      EXPECT_EQ(blocking([] { return std::string(1000, 'x'); }).size(), 1000u);
      EXPECT_EQ(*blocking([] { return std::make_unique<int>(7); }), 7) << "one that can only be moved";
      int changed = 0;
      blocking([&] { changed = 5; });
      EXPECT_EQ(changed, 5);
      struct no_default {
        explicit no_default(int n) : value(n) {}
        int value;
      };
      EXPECT_EQ(blocking([] { return no_default(3); }).value, 3);
      auto counts = [n = 0]() mutable { return ++n; };
      EXPECT_EQ(blocking(counts), 1);
      EXPECT_EQ(blocking(counts), 2) << "f itself is called, not a copy";
    });
  });
}

TEST_P(blocking_calls, exceptions_come_out) {
  run([] {
    hocket_test::everywhere([] {
      EXPECT_THROW(blocking([]() -> int { throw 3; }), int);
      EXPECT_EQ(hocket_test::thrown_by([] { blocking([] { throw std::runtime_error("from there"); }); }),
                "from there");
      EXPECT_EQ(blocking([] { return 1; }), 1);
    });
  });
}

TEST_P(blocking_calls, on_a_thread_of_its_own_kind) {
  run([] {
    const auto here = std::this_thread::get_id();
    start([] {
      blocking([] {
        EXPECT_EQ(this_task::id(), 0u) << "f is on no task";
        EXPECT_EQ(this_task::worker(), ~0u);
        EXPECT_TRUE(running());
      });
    }).wait();
    hocket_test::on_a_thread([here] {
      const auto me = std::this_thread::get_id();
      EXPECT_NE(me, here);
      EXPECT_EQ(blocking([] { return std::this_thread::get_id(); }), me) << "on a thread it runs in place";
    });
  });
  EXPECT_EQ(blocking([] { return std::this_thread::get_id(); }), std::this_thread::get_id())
      << "outside a run, too";
}

TEST_P(blocking_calls, its_worker_runs_others) {
  run([] {
    // With one worker: f can only return if the other task runs while it waits.
    std::latch released{1};
    auto other = start([&] { released.count_down(); });
    blocking([&] { released.wait(); });
    other.wait();
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    auto writer = start([&] { EXPECT_EQ(write(ends[1], "x", 1), 1); });
    char got = 0;
    EXPECT_EQ(blocking([&] { return read(ends[0], &got, 1); }), 1);
    EXPECT_EQ(got, 'x');
    writer.wait();
    close(ends[0]);
    close(ends[1]);
  });
}

TEST_P(blocking_calls, f_may_wait_spawn_and_set_as_any_thread) {
  run([] {
    event asked, answered;
    auto other = start([&] { asked.wait(), answered.set(); });
    EXPECT_EQ(blocking([&] {
                asked.set();
                answered.wait();
                this_task::sleep_for(10us);
                return spawn([] { return 6; }).get() + blocking([] { return 1; });
              }),
              7);
    other.wait();
    try {
      blocking([] { fork_join([] {}, [] {}); });
      ADD_FAILURE() << "forked on a thread";
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::not_a_task);
    }
  });
}

TEST_P(blocking_calls, as_many_at_once_as_there_may_be_threads) {
  run([] {
    // 64 calls that can only return together.
    std::latch all_there{64};
    std::vector<task<void>> calls;
    for (int i = 0; i < 64; ++i) {
      calls.push_back(start([&] { blocking([&] { all_there.arrive_and_wait(); }); }));
    }
    for (auto& t : calls) t.get();
  });
}

TEST_P(blocking_calls, more_than_there_may_be_threads_take_turns) {
  hocket_test::at_once calls;
  std::atomic<int> done{0};
  run([&] {
    for (int i = 0; i < 200; ++i) {
      begin([&] {
        blocking([&] { calls.visit(); });
        ++done;
      });
    }
  });
  EXPECT_EQ(done, 200);
  EXPECT_LE(calls.most(), 64);
}

TEST_P(blocking_calls, thousands_of_short_ones) {
  std::atomic<long> sum{0};
  const long n = hocket_test::sized(3000, 300);
  run([&] {
    for (long i = 0; i < n; ++i) begin([&, i] { sum += blocking([i] { return i; }); });
  });
  EXPECT_EQ(sum, n * (n - 1) / 2);
}

TEST_P(blocking_calls, no_stop_comes_out_of_one) {
  run([] {
    stop_scope scope;
    std::latch released{1};
    auto other = start({.stop = std::stop_source().get_token()}, [&] {
      scope.request_stop();
      released.count_down();
    });
    EXPECT_EQ(blocking([&] { return released.wait(), 4; }), 4);
    EXPECT_EQ(blocking([&] { return 5; }), 5) << "nor out of one begun afterwards";
    EXPECT_THROW(this_task::check(), cancelled);
    const stop_shield shield;
    other.wait();
  });
}

TEST_P(blocking_calls, a_long_call_is_no_deadlock) {
  // All tasks wait, and all workers sleep, for longer than it takes until the library looks for a deadlock.
  run([] {
    event answered;
    begin([&] {
      EXPECT_EQ(blocking([] { return std::this_thread::sleep_for(200ms), 1; }), 1);
      answered.set();
    });
    answered.wait();
  });
}

/// How many processors the calling thread may use.
int processors_allowed() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

TEST_P(blocking_calls, run_on_any_core_although_workers_are_pinned) {
  const int before = processors_allowed();
  run([before] {
    EXPECT_EQ(hocket::blocking([] { return processors_allowed(); }), before);
    int of_thread = 0;
    hocket::start_progress_thread([&](std::stop_token) { of_thread = processors_allowed(); }).stop();
    EXPECT_EQ(of_thread, before);
  });
  EXPECT_EQ(processors_allowed(), before);
}

}  // namespace
