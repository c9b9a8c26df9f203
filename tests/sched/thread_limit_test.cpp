// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// max_threads: no run uses more OS threads, the caller's included; and no thread is made in vain.
#include "support/at_once.hpp"
#include "support/threads.hpp"
#include "support/workers.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {
using namespace hocket;
using hocket_test::threads_now;

/// Returns when this process has one thread again (and its checker, which has one): those that have been
/// joined may be listed for a moment more.
long alone() {
  static std::once_flag once;
  std::call_once(once, [] { std::thread([] {}).join(); });  // the checker's is made with the first
  while (threads_now() > 1 + HOCKET_TSAN) std::this_thread::yield();
  return threads_now();
}

/// The most threads that a busy run had, its caller included.
long threads_of_run(const options& o, unsigned& workers_made) {
  const long before = alone() - 1;
  long most = 0;
  hocket::run(o, [&] {
    workers_made = workers();
    std::vector<task<void>> all;
    for (int i = 0; i < 50; ++i) {
      all.push_back(start([] {
        blocking([] { std::this_thread::yield(); });
        this_task::yield();
      }));
    }
    while (!wait_all_for(all, std::chrono::microseconds(100))) most = std::max(most, threads_now());
    most = std::max(most, threads_now());
  });
  return most - before;
}

TEST(thread_limit, workers_by_default_are_fewer) {
  for (const unsigned limit : {1u, 2u, 3u, 10u}) {
    unsigned workers = 0;
    EXPECT_LE(threads_of_run(options{.max_threads = limit}, workers), limit);
    EXPECT_LE(workers, limit);
    EXPECT_EQ(workers, std::min(limit, available_cores()));
  }
}

TEST(thread_limit, workers_asked_for_fit_or_are_refused) {
  for (const unsigned n : {1u, 2u, 7u}) {
    for (const unsigned room : {0u, 1u, 2u, 5u}) {
      unsigned workers = 0;
      EXPECT_LE(threads_of_run(options{.workers = n, .max_threads = n + room}, workers), n + room);
      EXPECT_EQ(workers, n);
    }
    if (n == 1) continue;
    const long before = alone();
    bool ran = false;
    try {
      hocket::run(options{.workers = n, .max_threads = n - 1}, [&] { ran = true; });
      ADD_FAILURE() << "accepted";
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::invalid_option);
      EXPECT_EQ(std::string(e.what()), "workers=" + std::to_string(n) + " is more than max_threads=" +
                                           std::to_string(n - 1) + " allows; raise one or lower the other");
    }
    EXPECT_FALSE(ran);
    EXPECT_FALSE(running());
    EXPECT_EQ(threads_now(), before) << "refused before any thread was made";
  }
}

TEST(thread_limit, with_one_thread_a_blocking_call_runs_in_place) {
  const auto me = std::this_thread::get_id();
  hocket::run(options{.max_threads = 1}, [&] {
    EXPECT_EQ(workers(), 1u);
    EXPECT_EQ(blocking([] { return std::this_thread::get_id(); }), me);
    EXPECT_THROW(blocking([] { throw 1; }), int);
  });
}

TEST(thread_limit, blocking_calls_share_the_threads_that_are_left) {
  hocket_test::at_once calls;
  std::atomic<int> done{0};
  hocket::run(options{.workers = 2, .max_threads = 5}, [&] {  // two workers, the ticker, two for calls
    for (int i = 0; i < 200; ++i) {
      start([&] {
        blocking([&] { calls.visit(); });
        ++done;
      });
    }
  });
  EXPECT_EQ(done, 200);
  EXPECT_GE(calls.most(), 1);
  EXPECT_LE(calls.most(), 2);
}

}  // namespace
