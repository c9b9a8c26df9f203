// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// initialize() and finalize(): a run without a main task, begun and ended by threads, again and again, and
// what is refused before, in and after it.
#include "support/errors.hpp"
#include "support/threads.hpp"
#include "support/workers.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {
using namespace hocket;
using hocket_test::code_of;

class session_test : public hocket_test::on_workers {
 protected:
  void TearDown() override {
    EXPECT_FALSE(running());
    on_workers::TearDown();
  }
  void begin_session() { initialize(with_workers()); }
};
HOCKET_ON_ALL_WORKERS(session_test);

TEST_P(session_test, the_thread_makes_tasks_and_waits_for_them) {
  EXPECT_FALSE(running());
  begin_session();
  EXPECT_TRUE(running());
  EXPECT_EQ(this_task::id(), 0u) << "it stays a thread";
  EXPECT_EQ(hocket::workers(), workers());
  std::vector<task<int>> all;
  for (int i = 0; i < 100; ++i)
    all.push_back(i % 2 == 0 ? spawn([i] { return i; }) : start([i] { return i; }));
  int sum = 0;
  for (auto& t : all) sum += t.get();
  EXPECT_EQ(sum, 4950);
  EXPECT_LT(spawn([] { return this_task::worker(); }).get(), workers());
  EXPECT_LT(wait_any(all), all.size());
  finalize();
}

TEST_P(session_test, nothing_to_do) {
  begin_session();
  finalize();
}

TEST_P(session_test, finalize_waits_for_all_that_was_made) {
  std::atomic<int> ended{0};
  begin_session();
  std::function<void(int)> grow = [&](int depth) {
    this_task::yield();
    if (depth > 0) {
      begin([&, depth] { grow(depth - 1); });
      spawn([&, depth] { grow(depth - 1); });
    }
    ++ended;
  };
  start([&] { grow(5); });
  spawn_after(std::chrono::milliseconds(2), [&] { ++ended; });
  finalize();
  EXPECT_EQ(ended, 64);
}

TEST_P(session_test, finalize_waits_for_what_a_thread_wakes) {
  event gate;
  std::atomic<int> ended{0};
  begin_session();
  for (int i = 0; i < 20; ++i) begin([&] { gate.wait(), ++ended; });
  std::thread other([&] { gate.set(); });
  finalize();
  EXPECT_EQ(ended, 20);
  other.join();
}

TEST_P(session_test, another_thread_may_finalize) {
  begin_session();
  std::atomic<int> ran{0};
  begin([&] { ++ran; });
  std::thread([] { finalize(); }).join();
  EXPECT_EQ(ran, 1);
}

TEST_P(session_test, an_exception_of_a_begun_task_comes_out_of_finalize) {
  begin_session();
  begin([] { throw std::runtime_error("begun"); });
  EXPECT_EQ(hocket_test::thrown_by([] { finalize(); }), "begun");
  EXPECT_FALSE(running()) << "it is over all the same";
}

TEST_P(session_test, an_exception_of_a_spawned_task_stays_in_its_handle) {
  begin_session();
  auto t = spawn([]() -> int { throw std::runtime_error("spawned"); });
  finalize();
  EXPECT_EQ(hocket_test::thrown_by([&] { t.get(); }), "spawned") << "a result outlives the run";
}

TEST_P(session_test, a_hundred_times_from_different_threads_and_nothing_is_left) {
  const auto cycle = [this] {
    std::atomic<int> ran{0};
    begin_session();
    for (int i = 0; i < 10; ++i) begin([&] { this_task::yield(), ++ran; });
    spawn([&] { blocking([&] { ++ran; }); }).wait();
    std::thread([] { finalize(); }).join();
    EXPECT_EQ(ran, 11);
  };
  const auto cycles = [&](long n) {
    for (long i = 0; i < n; ++i) {
      if (i % 2 == 0) {
        cycle();
      } else {
        std::thread(cycle).join();
      }
    }
  };
  cycles(10);  // pools have grown
  const long files = hocket_test::files_now(), pages = hocket_test::pages_now();
  const std::uint64_t stacks = stats().stacks_made, descriptors = stats().descriptors_made;
  cycles(hocket_test::sized(100, 20));
  EXPECT_LE(hocket_test::threads_now(), 1 + HOCKET_TSAN + 2)
      << "but for those that the system is about to forget";
  EXPECT_EQ(hocket_test::files_now(), files);
  // The C library keeps thread stacks, and gives an arena to each of the first threads.
  if (!HOCKET_TSAN && !HOCKET_ASAN) {
    EXPECT_LE(hocket_test::pages_now(), pages + 100'000)
        << "400 MB of address space; a leak of a stack area a cycle is more";
  }
  EXPECT_LE(stats().stacks_made, stacks + 80 * workers())
      << "each worker may take a batch of 64 from the pool";
  EXPECT_LE(stats().descriptors_made, descriptors + 64 * 512);
}

TEST_P(session_test, runs_and_sessions_in_turn) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(run([i] { return i; }), i);
    begin_session();
    EXPECT_EQ(spawn([i] { return i; }).get(), i);
    finalize();
  }
}

TEST_P(session_test, a_second_one_is_refused) {
  begin_session();
  EXPECT_EQ(code_of([this] { begin_session(); }), errc::already_running);
  EXPECT_EQ(code_of([this] { run([] {}); }), errc::already_running);
  start([this] {
    EXPECT_EQ(code_of([this] { begin_session(); }), errc::already_running);
    EXPECT_EQ(code_of([this] { run([] {}); }), errc::already_running);
  }).wait();
  EXPECT_EQ(spawn([] { return 1; }).get(), 1) << "the first goes on";
  finalize();
  EXPECT_EQ(run([this] {
              EXPECT_EQ(code_of([this] { begin_session(); }), errc::already_running);
              return 2;
            }),
            2);
}

TEST_P(session_test, a_task_may_not_finalize) {
  begin_session();
  start([] { EXPECT_EQ(code_of([] { finalize(); }), errc::not_a_thread); }).wait();
  EXPECT_TRUE(running());
  finalize();
  run([] { EXPECT_EQ(code_of([] { finalize(); }), errc::not_a_thread); });
}

TEST_P(session_test, finalize_without_initialize_is_refused) {
  EXPECT_EQ(code_of([] { finalize(); }), errc::not_running);
  begin_session();
  finalize();
  EXPECT_EQ(code_of([] { finalize(); }), errc::not_running);
  run([] {
    std::error_code seen;
    std::thread([&] { seen = code_of([] { finalize(); }); }).join();
    EXPECT_EQ(seen, errc::not_running) << "run() is not ended by it";
  });
}

TEST_P(session_test, before_and_after_nothing_can_be_made) {
  const auto kept = std::make_shared<int>(1);
  const auto refused = [&] {
    EXPECT_EQ(code_of([&] { spawn([kept] {}); }), errc::not_running);
    EXPECT_EQ(code_of([&] { start([kept] {}); }), errc::not_running);
    EXPECT_EQ(code_of([&] { begin([kept] {}); }), errc::not_running);
    EXPECT_EQ(code_of([&] { spawn({.name = "n"}, [kept] {}); }), errc::not_running);
    EXPECT_EQ(code_of([&] { begin({.daemon = true}, [kept] {}); }), errc::not_running);
    EXPECT_EQ(kept.use_count(), 1) << "the closures are destroyed";
  };
  refused();
  begin_session();
  auto t = spawn([] { return 3; });
  finalize();
  refused();
  EXPECT_EQ(t.get(), 3);
  EXPECT_TRUE(t.done());
}

TEST_P(session_test, options_that_cannot_be_are_refused_and_leave_nothing) {
  options o = with_workers();
  o.stack_size = SIZE_MAX;
  EXPECT_EQ(code_of([&] { initialize(o); }), errc::no_memory);
  EXPECT_FALSE(running());
  EXPECT_EQ(code_of([] { finalize(); }), errc::not_running);
  begin_session();
  finalize();
}

TEST_P(session_test, daemons_are_asked_to_stop_by_finalize) {
  std::atomic<bool> stopped{false};
  event begun;  // one that has not begun by then ends without having run
  begin_session();
  begin({.daemon = true}, [&] {
    begun.set();
    try {
      this_task::sleep_for(std::chrono::hours(24));
    } catch (const cancelled&) {
      stopped = true;
      throw;
    }
  });
  begun.wait();
  finalize();
  EXPECT_TRUE(stopped);
}

TEST(session_alone, run_a_hundred_times_leaves_nothing) {
  const auto cycles = [](int n) {
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(hocket::run(options{.workers = 3}, [i] { return spawn([i] { return i; }).get(); }), i);
    }
  };
  cycles(10);
  const long files = hocket_test::files_now();
  const std::uint64_t stacks = stats().stacks_made;
  cycles(300);
  EXPECT_EQ(hocket_test::files_now(), files);
  EXPECT_LE(stats().stacks_made, stacks + 3 * 80) << "each worker may take a batch of 64 from the pool";
}

}  // namespace
