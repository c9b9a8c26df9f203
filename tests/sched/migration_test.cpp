// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that resumes on another worker sees that worker's thread, and the library sees it too: no cached
// addresses. In the LTO tree this is what proves that nothing was kept in a register across a switch.
#include "support/workers.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <memory>

namespace {
using namespace hocket;

thread_local long mark_of_thread = 0;

/// Out of line: only such a function may be trusted after a call that may switch.
[[gnu::noinline]] long& mark() {
  asm volatile("" ::: "memory");
  return mark_of_thread;
}
[[gnu::noinline]] int& error_number() {
  asm volatile("" ::: "memory");
  return errno;
}
long thread_id() { return syscall(SYS_gettid); }

/// Moves the calling task to another worker. It blocks; the task that wakes it, most likely on the worker
/// that it left, then holds that worker until the woken one runs - which can only be elsewhere. Needs one
/// worker more than tasks that move at a time.
void move() {
  const long before = thread_id();
  while (thread_id() == before) {
    event wake;
    const auto awake = std::make_shared<std::atomic<bool>>(false);
    start([&wake, awake] {
      wake.set();
      while (!*awake) {
      }
    });
    wake.wait();
    *awake = true;
  }
}

TEST(migration, every_view_of_the_thread_moves_along) {
  run(options{.workers = 2}, [] {
    for (int k = 0; k < 200; ++k) {
      mark() = thread_id();
      const unsigned worker_before = this_task::worker();
      move();
      ASSERT_NE(this_task::worker(), worker_before);
      const long seen = mark();
      ASSERT_TRUE(seen == 0 || seen == thread_id()) << "the mark of another thread";
      // Forks use the thread's own word in line, before and after the move in this one function.
      const long here = thread_id();
      auto [a, b] = fork_join([] { return thread_id(); }, [] { return thread_id(); });
      ASSERT_EQ(a, here) << "f runs where its parent does";
      ASSERT_GT(b, 0);
      mark() = thread_id();
    }
  });
}

/// errno is the thread's: what a task sets stays behind when it moves.
TEST(migration, errno_stays_with_the_thread) {
  run(options{.workers = 2}, [] {
    for (int k = 0; k < 200; ++k) {
      int* const there = &error_number();
      move();
      int* const here = &error_number();
      ASSERT_NE(here, there);
      *here = 77;
      ASSERT_EQ(error_number(), 77);
    }
  });
}

/// Forks around a wait in one frame: each must land in the deque of the task, wherever it runs then.
TEST(migration, forks_before_and_after_a_move_are_all_joined) {
  const auto before = stats();
  run(options{.workers = 4}, [] {
    long sum = 0;
    for (int k = 0; k < 100; ++k) {
      auto [a, b] = fork_join(
          [] {
            move();
            auto [c, d] = fork_join([] { return 1L; }, [] { return 10L; });
            return c + d;
          },
          [] {
            move();
            return 100L;
          });
      sum += a + b;
    }
    EXPECT_EQ(sum, 11100);
  });
  const auto after = stats();
  hocket_test::expect_all_ended(before, after);
  EXPECT_EQ(after.forked - before.forked, 200u);
}

}  // namespace
