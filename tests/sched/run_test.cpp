// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// run(): values and exceptions of the main task, run after run, nothing left behind, misuse.
#include "support/workers.hpp"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {
using namespace hocket;

class run_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(run_test);

TEST_P(run_test, returns_what_main_returns) {
  EXPECT_EQ(run([] { return 42; }), 42);
  EXPECT_EQ(run([] {}), 0);
  EXPECT_EQ(run([] { return true; }), 1);
  EXPECT_EQ(run([p = std::make_shared<int>(5)] { return *p; }), 5);
}

TEST_P(run_test, main_is_a_task_on_a_worker) {
  EXPECT_FALSE(running());
  run([this] {
    EXPECT_TRUE(running());
    EXPECT_NE(this_task::id(), 0u);
    EXPECT_LT(this_task::worker(), workers());
    EXPECT_STREQ(this_task::name(), "main");
    EXPECT_GT(this_task::stack_left(), 0u);
    EXPECT_LE(this_task::stack_left(), this_task::stack_size());
  });
  EXPECT_FALSE(running());
  EXPECT_EQ(this_task::id(), 0u);
}

TEST_P(run_test, an_exception_of_main_comes_out) {
  try {
    run([]() -> int {
      spawn([] {});
      throw std::runtime_error("main");
    });
    ADD_FAILURE() << "no exception";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "main");
  }
  EXPECT_FALSE(running());
}

TEST_P(run_test, again_and_again) {
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> ran{0};
    EXPECT_EQ(run([&] {
                for (int k = 0; k < 50; ++k) begin([&] { ++ran; });
                fork_join([&] { ++ran; }, [&] { ++ran; });
                return i;
              }),
              i);
    EXPECT_EQ(ran, 52);
  }
}

TEST_P(run_test, waits_for_all_that_was_made) {
  std::atomic<int> ended{0};
  run([&] {
    begin([&] {
      for (int i = 0; i < 10; ++i) {
        begin([&] {
          this_task::yield();
          spawn([&] {
            this_task::yield();
            ++ended;
          });
          ++ended;
        });
      }
    });
    for (int i = 0; i < 10; ++i) start([&] { this_task::yield(), ++ended; });
  });
  EXPECT_EQ(ended, 30);
}

TEST_P(run_test, waits_for_blocked_tasks_that_a_thread_will_wake) {
  event go;
  std::atomic<int> ended{0};
  std::thread foreign;
  run([&] {
    for (int i = 0; i < 20; ++i) begin([&] { go.wait(), ++ended; });
    foreign = std::thread([&] { go.set(); });
  });
  EXPECT_EQ(ended, 20);
  foreign.join();
}

/// The text and code of the error that f throws.
template <class F>
std::pair<std::error_code, std::string> error_of(F f) {
  try {
    f();
  } catch (const error& e) {
    return {e.code(), e.what()};
  }
  return {};
}

struct counted {
  static inline std::atomic<int> live{0};
  char bytes[500] = {};
  counted() { ++live; }
  counted(const counted&) { ++live; }
  ~counted() { --live; }
};

TEST_P(run_test, a_run_inside_a_run_is_refused) {
  EXPECT_EQ(run([] {
              for (int i = 0; i < 20; ++i) {
                const auto [code, text] =
                    error_of([] { hocket::run(options{.workers = 1}, [c = counted()] {}); });
                EXPECT_EQ(code, errc::already_running);
                EXPECT_NE(text.find("while a run goes on"), std::string::npos) << text;
              }
              std::thread foreign([] {
                EXPECT_EQ(error_of([] { hocket::run(options{.workers = 1}, [c = counted()] {}); }).first,
                          errc::already_running);
              });
              foreign.join();
              return 7;
            }),
            7);
  EXPECT_EQ(counted::live, 0);
}

TEST_P(run_test, a_stack_that_cannot_be_is_refused) {
  run([] {
    const task_attributes huge{.name = "huge", .stack_size = SIZE_MAX};
    EXPECT_EQ(error_of([&] { spawn(huge, [c = counted()] {}); }).first, errc::no_memory);
    EXPECT_EQ(error_of([&] { start(huge, [c = counted()] {}); }).first, errc::no_memory);
    EXPECT_EQ(error_of([&] { begin(huge, [c = counted()] {}); }).first, errc::no_memory);
  });
  options o;
  o.stack_size = SIZE_MAX;
  EXPECT_EQ(error_of([&] { run([c = counted()] {}, o); }).first, errc::no_memory);
  EXPECT_EQ(counted::live, 0);
  EXPECT_FALSE(running());
}

TEST_P(run_test, stack_size_of_the_run_is_that_of_its_tasks) {
  options o;
  o.stack_size = 200'000;
  run(
      [] {
        EXPECT_GE(this_task::stack_size(), 200'000u);
        EXPECT_GE(start([] { return this_task::stack_size(); }).get(), 200'000u);
      },
      o);
}

TEST_P(run_test, odd_options) {
  options o;
  o.spin = 1;
  o.pin = false;
  o.stack_keep = 1;
  for (int i = 0; i < 3; ++i) {
    run(
        [] {
          std::vector<task<int>> many;
          event gate;
          for (int k = 0; k < 300; ++k) many.push_back(start([&] { return gate.wait(), 1; }));
          this_task::yield();
          gate.set();
          int sum = 0;
          for (auto& t : many) sum += t.get();
          EXPECT_EQ(sum, 300);
        },
        o);
  }
}

TEST_P(run_test, a_foreign_thread_may_run_it) {
  std::thread other([this] { EXPECT_EQ(run([] { return 9; }), 9); });
  other.join();
}

TEST_P(run_test, the_counters_are_printed_if_asked_for) {
  options o;
  o.stats = true;
  ::testing::internal::CaptureStderr();
  run([] { spawn([] {}).wait(); }, o);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("hocket: spawned"), std::string::npos) << text;
  EXPECT_NE(text.find("hocket: finished"), std::string::npos) << text;
}

TEST(run_from_arguments, turns_errors_into_exit_codes) {
  const auto with = [](std::vector<std::string> words, auto f) {
    std::vector<char*> argv;
    for (auto& w : words) argv.push_back(w.data());
    int argc = static_cast<int>(argv.size());
    argv.push_back(nullptr);
    return hocket::run(argc, argv.data(), f);
  };
  EXPECT_EQ(with({"program", "--hk-workers", "2"}, [] { return 5; }), 5);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(with({"program", "--hk-workers", "none"}, [] { return 5; }), 2);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "hocket: --hk-workers=none is not a whole number from 1 to 1024\n");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(with({"program"}, []() -> int { throw std::runtime_error("the work failed"); }), 1);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "hocket: the work failed\n");
}

}  // namespace
