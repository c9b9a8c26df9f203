// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Progress threads: they spawn, fill and wait beside the tasks, end when asked to, and count against the
// limit.
#include "support/errors.hpp"
#include "support/workers.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>

namespace {
using namespace hocket;

class progress_thread_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(progress_thread_test);

TEST_P(progress_thread_test, spawns_fills_and_waits) {
  run([] {
    std::uint64_t asked = 0, answered = 0;
    empty(asked);
    empty(answered);
    progress_thread t = start_progress_thread([&](std::stop_token stop) {
      EXPECT_EQ(this_task::id(), 0u);
      while (!stop.stop_requested()) {
        const std::uint64_t n = readFE(asked);
        if (n == 0) break;
        writeEF(answered, spawn([n] { return n + 1; }).get());
      }
    });
    for (std::uint64_t i = 1; i < 100; ++i) {
      writeEF(asked, i);
      EXPECT_EQ(readFE(answered), i + 1);
    }
    writeEF(asked, 0);
    t.stop();
    t.stop();
    fill(asked);
    fill(answered);
  });
}

TEST_P(progress_thread_test, ends_when_asked_to_with_what_it_threw) {
  run([] {
    std::atomic<bool> ended{false};
    {
      const progress_thread t = start_progress_thread([&](std::stop_token stop) {
        event asked;
        const std::stop_callback on_stop(stop, [&] { asked.set(); });
        asked.wait();
        ended = true;
      });
    }
    EXPECT_TRUE(ended);
    progress_thread fails = start_progress_thread([](std::stop_token) { throw std::runtime_error("no"); });
    EXPECT_THROW(fails.stop(), std::runtime_error);
    fails.stop();
    const progress_thread nobody_looks = start_progress_thread([](std::stop_token) { throw 1; });
  });
}

TEST_P(progress_thread_test, of_a_thread_that_is_no_task) {
  initialize(with_workers());
  {
    progress_thread one = start_progress_thread([](std::stop_token) { throw std::runtime_error("no"); });
    EXPECT_THROW(one.stop(), std::runtime_error);
    const progress_thread two = start_progress_thread([](std::stop_token stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
    });
  }
  finalize();
}

TEST_P(progress_thread_test, counts_against_the_limit_and_needs_a_run) {
  EXPECT_EQ(hocket_test::code_of([] { start_progress_thread([](std::stop_token) {}); }), errc::not_running);
  // The workers, the ticker, and one more.
  hocket::run(options{.workers = workers(), .max_threads = workers() + 2}, [] {
    progress_thread one = start_progress_thread([](std::stop_token) {});
    EXPECT_EQ(hocket_test::code_of([] { start_progress_thread([](std::stop_token) {}); }), errc::no_threads);
    one.stop();
    start_progress_thread([](std::stop_token) {}).stop();
  });
}

}  // namespace
