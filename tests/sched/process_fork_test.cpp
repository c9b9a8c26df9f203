// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fork() of the process while a run goes on: the child may call exec or _exit; of the library, everything is
// refused there; the parent goes on as if nothing had happened.
#include "support/workers.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace {
using namespace hocket;

class process_fork : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(process_fork);

/// Whether f is refused as outside a run, with a sentence that speaks of the fork.
template <class F>
bool refused(F f) {
  try {
    f();
  } catch (const error& e) {
    return e.code() == errc::not_running && std::string(e.what()).find("forked") != std::string::npos;
  } catch (...) {
  }
  return false;
}

/// Forks; the child ends with what f returns. What the child ended with, and what it said on stderr.
template <class F>
std::pair<int, std::string> in_child(F f) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    _exit(f());
  }
  close(ends[1]);
  std::string said;
  char part[256];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) said.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), said};
}

/// What the child may not do, one after the other: the number of the first that is not refused, or 0.
int first_not_refused(event& never, mutex& held, const task<int>& waits) {
  const std::vector<bool> tries{
      !running(),
      this_task::id() == 0,
      refused([] { spawn([] {}); }),
      refused([] { start([] {}); }),
      refused([] { begin([] {}); }),
      refused([] { spawn_after(std::chrono::hours(1), [] {}); }),
      refused([&] { never.wait(); }),
      refused([&] { held.lock(); }),
      refused([&] { waits.wait(); }),
      refused([] { fork_join([] {}, [] {}); }),
      refused([] { stop_scope scope; }),
      refused([] { shepherds(); }),
      refused([] { finalize(); }),
      refused([] { initialize(options{.workers = 1}); }),
      refused([] { hocket::run(options{.workers = 1}, [] {}); }),
  };
  for (std::size_t i = 0; i < tries.size(); ++i) {
    if (!tries[i]) return static_cast<int>(i) + 1;
  }
  this_task::yield();
  return 0;
}

TEST_P(process_fork, by_a_task_everything_is_refused_in_the_child) {
  run([] {
    event never, gate;
    mutex held;
    held.lock();
    auto waits = start([&] { return gate.wait(), 1; });
    const auto [code, said] = in_child([&] { return first_not_refused(never, held, waits); });
    EXPECT_EQ(code, 0) << "number of the first that was not refused";
    EXPECT_EQ(said, "");
    held.unlock();
    gate.set();
    EXPECT_EQ(waits.get(), 1) << "the parent goes on";
  });
}

TEST_P(process_fork, by_a_thread_of_a_session) {
  initialize(with_workers());
  event never, gate;
  mutex held;
  held.lock();
  auto waits = start([&] { return gate.wait(), 1; });
  const auto [code, said] = in_child([&] { return first_not_refused(never, held, waits); });
  EXPECT_EQ(code, 0) << "number of the first that was not refused";
  held.unlock();
  gate.set();
  EXPECT_EQ(waits.get(), 1);
  finalize();
}

TEST_P(process_fork, a_task_that_returns_in_the_child_ends_it_with_a_sentence) {
  run([] {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    std::atomic<pid_t> child{0};
    auto t = start([&] {
      const pid_t forked = fork();
      if (forked == 0) {
        dup2(ends[1], STDERR_FILENO);
        return;  // there is nobody to return to
      }
      child = forked;
    });
    t.wait();
    close(ends[1]);
    std::string said;
    char part[256];
    for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;)
      said.append(part, static_cast<std::size_t>(n));
    close(ends[0]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 1);
    EXPECT_NE(said.find("a task returned in a process that was forked"), std::string::npos) << said;
  });
}

TEST_P(process_fork, before_and_after_a_run_it_is_harmless) {
  if (HOCKET_TSAN)
    GTEST_SKIP() << "ThreadSanitizer starts no threads in a child of a process that had several";
  run([] {});
  const auto [code, said] =
      in_child([this] { return hocket::run(with_workers(), [] { return spawn([] { return 5; }).get(); }); });
  EXPECT_EQ(code, 5) << said;
}

TEST_P(process_fork, the_child_may_run_another_program) {
  run([] {
    for (int i = 0; i < 5; ++i) {
      auto t = spawn([] {});
      const auto [code, said] = in_child([] {
        execl("/bin/true", "true", nullptr);
        return 9;
      });
      EXPECT_EQ(code, 0);
      t.wait();
    }
  });
}

}  // namespace
