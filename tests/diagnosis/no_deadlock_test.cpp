// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs in which all workers sleep for longer than it takes to look for a deadlock, but in which something is
// left that wakes them: nothing is said, and they end as they should. A report would end this process with
// exit code 3.
#include "support/workers.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace {
using namespace hocket;
using namespace std::chrono_literals;

constexpr auto long_enough = 200ms;  // four times the 50 ms after which is looked; not what is checked

class no_deadlock : public hocket_test::on_workers {
 protected:
  void SetUp() override {
    on_workers::SetUp();
    ::testing::internal::CaptureStderr();
  }
  void TearDown() override {
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    on_workers::TearDown();
  }
};
HOCKET_ON_ALL_WORKERS(no_deadlock);

TEST_P(no_deadlock, while_another_thread_may_set_the_event) {
  event set;
  std::thread foreign;
  EXPECT_EQ(run([&] {
              foreign = std::thread([&] {
                std::this_thread::sleep_for(long_enough);
                set.set();
              });
              set.wait();
              return 5;
            }),
            5);
  foreign.join();
}

TEST_P(no_deadlock, while_another_thread_waits_in_the_system_and_then_spawns) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  event set;
  std::thread foreign([&] {
    char c;
    if (read(pipe_ends[0], &c, 1) == 1) spawn([&] { set.set(); }).wait();
  });
  std::thread writer;
  run([&] {
    writer = std::thread([&] {
      std::this_thread::sleep_for(long_enough);
      EXPECT_EQ(write(pipe_ends[1], "x", 1), 1);
    });
    set.wait();
  });
  foreign.join();
  writer.join();
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST_P(no_deadlock, while_a_task_sleeps) {
  int woken = 0;
  run([&] {
    this_task::sleep_for(long_enough);
    ++woken;
  });
  EXPECT_EQ(woken, 1);
}

TEST_P(no_deadlock, while_a_wait_has_a_limit) {
  run([&] {
    event never_set;
    EXPECT_FALSE(never_set.wait_for(long_enough));
  });
}

TEST_P(no_deadlock, while_a_task_blocks_in_the_system) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  std::thread foreign([&] {
    char c = 0;
    EXPECT_EQ(read(ends[1], &c, 1), 1);
    std::this_thread::sleep_for(long_enough);
    EXPECT_EQ(write(ends[1], &c, 1), 1);
  });
  char answer = 0;
  run([&] {
    EXPECT_EQ(write(ends[0], "y", 1), 1);
    EXPECT_EQ(read(ends[0], &answer, 1), 1);
  });
  EXPECT_EQ(answer, 'y');
  foreign.join();
  close(ends[0]);
  close(ends[1]);
}

TEST_P(no_deadlock, while_a_blocking_call_goes_on) {
  run([&] {
    EXPECT_EQ(blocking([] {
                std::this_thread::sleep_for(long_enough);
                return 7;
              }),
              7);
  });
}

TEST_P(no_deadlock, while_a_task_computes) {
  run([&] {
    event set;
    const auto slow = start([&] {
      const auto until = std::chrono::steady_clock::now() + long_enough;
      while (std::chrono::steady_clock::now() < until) {
      }
      set.set();
    });
    set.wait();
  });
}

TEST_P(no_deadlock, while_a_daemon_waits_for_ever) {
  event never_set, begun;
  int cancelled_waits = 0;
  EXPECT_EQ(run([&] {
              begin({.name = "servant", .daemon = true}, [&] {
                begun.set();
                try {
                  never_set.wait();
                } catch (const cancelled&) {
                  ++cancelled_waits;
                  throw;
                }
              });
              begun.wait();
              this_task::sleep_for(long_enough);
              return 0;
            }),
            0);
  EXPECT_EQ(cancelled_waits, 1);
}

TEST_P(no_deadlock, while_nothing_has_been_asked_of_an_initialized_run) {
  initialize(with_workers());
  std::this_thread::sleep_for(long_enough);
  EXPECT_EQ(spawn([] { return 3; }).get(), 3);
  std::this_thread::sleep_for(long_enough);
  finalize();
}

TEST_P(no_deadlock, while_mains_thread_is_free_to_wake) {
  initialize(with_workers());
  event set;
  const auto waiting = spawn([&] { set.wait(); });
  std::this_thread::sleep_for(long_enough);
  set.set();
  waiting.wait();
  finalize();
}

/// Two threads that are parked, and one that is not and wakes them both.
TEST_P(no_deadlock, while_one_of_several_threads_does_not_wait) {
  initialize(with_workers());
  event set;
  const auto waiting = spawn([&] { set.wait(); });
  std::thread a([&] { waiting.wait(); }), b([&] { set.wait(); });
  std::this_thread::sleep_for(long_enough);
  set.set();
  a.join();
  b.join();
  finalize();
}

class suspicion : public hocket_test::on_workers {};
INSTANTIATE_TEST_SUITE_P(workers, suspicion, ::testing::Values(2u), ::testing::PrintToStringParamName());

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::string said_while_a_thread_sleeps(const options& o, std::chrono::milliseconds time) {
  ::testing::internal::CaptureStderr();
  event set;
  std::thread foreign;
  run(o, [&] {
    foreign = std::thread([&] {
      std::this_thread::sleep_for(time);
      set.set();
    });
    set.wait();
  });
  foreign.join();
  return ::testing::internal::GetCapturedStderr();
}

TEST_P(suspicion, is_said_once_when_only_other_threads_could_wake) {
  const std::string said = said_while_a_thread_sleeps(with_workers({.suspect_after = 1}), 2500ms);
  EXPECT_EQ(count(said, "hocket: nothing has run for 1 s: 1 tasks wait"), 1u) << said;
  EXPECT_EQ(count(said, "\n"), 1u) << said;
  EXPECT_EQ(count(said, "kill -USR1 " + std::to_string(getpid())), 1u) << said;
}

TEST_P(suspicion, is_not_said_if_turned_off) {
  EXPECT_EQ(said_while_a_thread_sleeps(with_workers({.suspect_after = 0}), 1200ms), "");
}

TEST_P(suspicion, is_not_said_before_its_time) {
  EXPECT_EQ(said_while_a_thread_sleeps(with_workers({.suspect_after = 60}), 1200ms), "");
}

}  // namespace
