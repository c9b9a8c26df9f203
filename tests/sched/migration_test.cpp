// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that resumes on another worker sees that worker's thread, and the library sees it too: no cached addresses.
// In the LTO tree this is what proves that nothing was kept in a register across a switch.
#include "support/workers.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <vector>

namespace {
using namespace hocket;

thread_local long mark_of_thread = 0;

/// Out of line, as docs and DESIGN ask: only such a function may be trusted after a call that may switch.
[[gnu::noinline]] long& mark() {
  asm volatile("" ::: "memory");
  return mark_of_thread;
}
[[gnu::noinline]] int& error_number() {
  asm volatile("" ::: "memory");
  return errno;
}
long thread_id() { return syscall(SYS_gettid); }

/// Moves the calling task to another worker's thread, if it can: it blocks on an event that a task elsewhere sets, and
/// whoever sets it gets it into its queue. Returns whether the thread has changed.
bool move() {
  const long before = thread_id();
  event e;
  std::atomic<bool> waits{false};
  auto setter = start([&] {
    while (!waits) this_task::yield();
    for (int i = 0; i < 3; ++i) this_task::yield();
    e.set();
  });
  waits = true;
  e.wait();
  setter.wait();
  return thread_id() != before;
}

TEST(migration, every_view_of_the_thread_moves_along) {
  int moves = 0;
  run(options{.workers = 4}, [&moves] {
    std::atomic<int> moved{0};
    std::vector<task<void>> all;
    for (int i = 0; i < 16; ++i) {
      all.push_back(start([&] {
        for (int k = 0; k < 200; ++k) {
          mark() = thread_id();
          error_number() = static_cast<int>(thread_id());
          const unsigned worker_before = this_task::worker();
          const bool has_moved = move();
          moved += has_moved;
          ASSERT_EQ(this_task::worker() != worker_before, has_moved);
          mark() = thread_id();
          ASSERT_EQ(mark(), thread_id());
          // Forks use the thread's own word in line, before and after the move in this one function.
          const long here = thread_id();
          auto [a, b] = fork_join([] { return thread_id(); }, [] { return thread_id(); });
          ASSERT_EQ(a, here) << "f runs where its parent does";
          ASSERT_GT(b, 0);
        }
      }));
    }
    wait_all(all);
    moves = moved;
  });
  EXPECT_GT(moves, 0) << "no task moved, so nothing was tested";
}

/// errno is the thread's: a value that a task sets is left on the worker that it leaves.
TEST(migration, errno_stays_with_the_thread) {
  std::atomic<int> moves{0};
  run(options{.workers = 4}, [&moves] {
    std::vector<task<void>> all;
    for (int i = 0; i < 16; ++i) {
      all.push_back(start([&] {
        for (int k = 0; k < 200; ++k) {
          error_number() = 0;
          const long before = thread_id();
          move();
          if (thread_id() == before) continue;
          ++moves;
          int* here = &error_number();
          error_number() = 77;
          ASSERT_EQ(*here, 77);
          ASSERT_EQ(thread_id(), syscall(SYS_gettid));
        }
      }));
    }
    wait_all(all);
  });
  EXPECT_GT(moves, 0);
}

/// Forks around a wait in one frame: each must land in the deque of the task, wherever it runs then.
TEST(migration, forks_before_and_after_a_move_are_all_joined) {
  const auto before = stats();
  run(options{.workers = 4}, [] {
    std::vector<task<long>> all;
    for (int i = 0; i < 16; ++i) {
      all.push_back(start([] {
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
        return sum;
      }));
    }
    for (auto& t : all) EXPECT_EQ(t.get(), 11100);
  });
  hocket_test::expect_all_ended(before, stats());
}

}  // namespace
