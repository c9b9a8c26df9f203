// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process that a task forks: nothing of the run is there, and what it calls says so.
#include "support/workers.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace {
using namespace hocket;

class forked : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(forked);

int exit_code_of(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "status " << status;
  return WEXITSTATUS(status);
}

/// 0 if f() throws error(not_running) with a sentence about the fork.
template <class F>
int refused(F f) {
  try {
    f();
  } catch (const error& e) {
    const std::string_view text = e.what();
    return e.code() == errc::not_running && text.find("forked from one in which a run goes on") != text.npos
               ? 0
               : 20;
  }
  return 21;
}

TEST_P(forked, child_can_make_no_task) {
  run([] {
    const pid_t child = fork();
    if (child == 0) _exit(running() ? 22 : refused([] { spawn([] {}); }));
    EXPECT_EQ(exit_code_of(child), 0);
  });
}

TEST_P(forked, child_can_begin_no_run) {
  run([] {
    const pid_t child = fork();
    if (child == 0) _exit(refused([] { hocket::run(options{.workers = 1}, [] {}); }));
    EXPECT_EQ(exit_code_of(child), 0);
  });
}

TEST_P(forked, child_can_wait_for_nothing) {
  run([] {
    event never_set;
    const pid_t child = fork();
    if (child == 0) _exit(refused([&] { never_set.wait(); }));
    EXPECT_EQ(exit_code_of(child), 0);
  });
}

TEST_P(forked, child_whose_task_returns_ends_with_1_and_a_sentence) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  run([&] {
    pid_t child = -1;
    const auto t = start([&] {
      const pid_t id = fork();
      if (id == 0) {
        dup2(ends[1], 2);
      } else {
        child = id;
      }
    });
    t.wait();
    EXPECT_EQ(exit_code_of(child), 1);
  });
  close(ends[1]);
  std::string said;
  for (char c; read(ends[0], &c, 1) == 1;) said += c;
  close(ends[0]);
  EXPECT_EQ(
      said.rfind("hocket: a task returned in a process that was forked from one in which a run goes on", 0),
      0u)
      << said;
}

TEST_P(forked, child_may_exec) {
  run([] {
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", "exit 9", nullptr);
      _exit(23);
    }
    EXPECT_EQ(exit_code_of(child), 9);
  });
}

TEST_P(forked, before_a_run_a_process_has_runs_of_its_own) {
  if (HOCKET_TSAN)
    GTEST_SKIP() << "ThreadSanitizer allows no thread after a fork of a process that had several";
  const pid_t child = fork();
  if (child == 0) _exit(hocket::run(with_workers(), [] { return spawn([] { return 4; }).get(); }));
  EXPECT_EQ(exit_code_of(child), 4);
}

}  // namespace
