// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is said of those who wait for a semaphore, a latch, a barrier, a condition or a shared mutex: at a
// deadlock, and on SIGUSR1.
#include "context/death_style.hpp"
#include "support/workers.hpp"

#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

namespace {
using namespace hocket;

std::string named(const std::string& name) { return "task '" + name + "' \\(#[0-9]+\\)"; }
std::string awaited(const std::string& what) { return " waits for a " + what + " at 0x[0-9a-f]+"; }

class sync_deadlock : public ::testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override { hocket_test::choose_death_style(); }
  options with_workers() const { return options{.workers = GetParam()}; }
};
HOCKET_ON_ALL_WORKERS(sync_deadlock);

const auto says_deadlock = ::testing::ExitedWithCode(3);
std::string alone(const std::string& what) {
  return "^hocket: deadlock: 1 task waits, .*" + named("main") + awaited(what) + ", for [0-9.]+ m?s";
}

void acquire_what_nobody_releases(const options& o) {
  run(o, [] { semaphore(1).acquire(2); });
}
TEST_P(sync_deadlock, of_a_semaphore) {
  EXPECT_EXIT(acquire_what_nobody_releases(with_workers()), says_deadlock, alone("semaphore"));
}

void wait_for_a_counter(const options& o) {
  run(o, [] { counter(1).wait(); });
}
TEST_P(sync_deadlock, of_a_counter) {
  EXPECT_EXIT(wait_for_a_counter(with_workers()), says_deadlock, alone("counter"));
}

void read_what_nobody_writes(const options& o) {
  run(o, [] {
    static long word = 0;
    empty(word);
    readFF(word);
  });
}
void write_what_nobody_reads(const options& o) {
  run(o, [] { hocket::sync<int>(1).writeEF(2); });
}
TEST_P(sync_deadlock, of_words_and_variables) {
  const std::string begins =
      "^hocket: deadlock: 1 task waits, .*" + named("main") + " waits for the word at 0x[0-9a-f]+ ";
  EXPECT_EXIT(read_what_nobody_writes(with_workers()), says_deadlock,
              begins + "to be full, which nobody fills, for ");
  EXPECT_EXIT(write_what_nobody_reads(with_workers()), says_deadlock,
              begins + "to be empty, which nobody empties, for ");
}

void wait_for_a_latch(const options& o) {
  run(o, [] { latch(2).arrive_and_wait(); });
}
TEST_P(sync_deadlock, of_a_latch) {
  EXPECT_EXIT(wait_for_a_latch(with_workers()), says_deadlock, alone("latch"));
}

void arrive_alone(const options& o) {
  run(o, [] { barrier(2).arrive_and_wait(); });
}
TEST_P(sync_deadlock, of_a_barrier) {
  EXPECT_EXIT(arrive_alone(with_workers()), says_deadlock, alone("barrier"));
}

void wait_for_no_notification(const options& o) {
  run(o, [] {
    mutex m;
    std::unique_lock hold(m);
    condition_variable().wait(hold);
  });
}
TEST_P(sync_deadlock, of_a_condition_variable) {
  EXPECT_EXIT(wait_for_no_notification(with_workers()), says_deadlock, alone("condition"));
}

void write_while_reading(const options& o) {
  run(o, [] {
    hocket::shared_mutex m;
    m.lock_shared();
    m.lock();
  });
}
TEST_P(sync_deadlock, of_one_that_reads_and_wants_to_write) {
  EXPECT_EXIT(write_while_reading(with_workers()), says_deadlock, alone("shared mutex"));
}

/// One writes and wants to read what the other writes, and the other way round.
void lock_crosswise(const options& o) {
  run(o, [] {
    std::array<hocket::shared_mutex, 2> m;
    std::array<event, 2> has_one;
    std::array<task<void>, 2> tasks;
    static const std::array names{"left", "right"};
    for (std::size_t i = 0; i < 2; ++i) {
      tasks[i] = start({.name = names[i]}, [&, i] {
        const std::lock_guard first(m[i]);
        has_one[i].set();
        has_one[1 - i].wait();
        const std::shared_lock second(m[1 - i]);
      });
    }
    wait_all(tasks);
  });
}
TEST_P(sync_deadlock, of_two_shared_mutexes) {
  EXPECT_EXIT(lock_crosswise(with_workers()), says_deadlock,
              "hocket: a circle: " + named("left") + awaited("shared mutex") + " held by " + named("right") +
                  ", which" + awaited("shared mutex") + " held by " + named("left") + "\n");
}

class sync_report : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(sync_report);

/// What SIGUSR1 makes the process say, once n tasks wait.
std::string reported(int n) {
  const std::string wanted = "hocket: " + std::to_string(n) + " tasks wait";
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const int before = dup(2);
  dup2(ends[1], 2);
  const auto read_lines = [&](std::size_t lines) {
    std::string text;
    for (char c; lines != 0 && read(ends[0], &c, 1) == 1;) {
      text += c;
      lines -= c == '\n';
    }
    return text;
  };
  std::string text;
  while (!text.starts_with(wanted)) {
    // The tasks of a report that came too early are passed over.
    if (text.empty() || text.starts_with("hocket: ")) {
      EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
    }
    text = read_lines(1);
  }
  for (int told = 0; told < n;) {
    const std::string line = read_lines(1);
    told += line.starts_with("  task ");
    text += line;
  }
  dup2(before, 2);
  close(before);
  close(ends[0]);
  close(ends[1]);
  return text;
}

bool matches(const std::string& text, const std::string& pattern) {
  regex_t r;
  if (regcomp(&r, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0) return false;
  const bool found = regexec(&r, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&r);
  return found;
}

TEST_P(sync_report, tells_what_each_waits_for) {
  options o = with_workers();
  o.backtrace = false;
  initialize(o);
  semaphore s(0);
  latch l(1);
  barrier b(2);
  mutex m;
  condition_variable c;
  hocket::shared_mutex rw;
  rw.lock();
  bool ready = false;
  auto acquires = start({.name = "acquires"}, [&] { s.acquire(); });
  auto latched = start({.name = "latched"}, [&] { l.wait(); });
  auto arrives = start({.name = "arrives"}, [&] { b.arrive_and_wait(); });
  auto informed = start({.name = "informed"}, [&] {
    std::unique_lock hold(m);
    c.wait(hold, [&] { return ready; });
  });
  auto reads = start({.name = "reads"}, [&] { const std::shared_lock hold(rw); });
  auto writes = start({.name = "writes"}, [&] { const std::lock_guard hold(rw); });
  const std::string text = reported(6);
  const std::string held = " held by a thread that is no task";
  const std::array expected{
      named("acquires") + awaited("semaphore") + ", for", named("latched") + awaited("latch") + ", for",
      named("arrives") + awaited("barrier") + ", for",    named("informed") + awaited("condition") + ", for",
      named("reads") + awaited("shared mutex") + held,    named("writes") + awaited("shared mutex") + held};
  for (const std::string& e : expected) EXPECT_TRUE(matches(text, e)) << text;
  s.release();
  l.count_down();
  b.arrive_and_wait();
  {
    const std::lock_guard hold(m);
    ready = true;
  }
  c.notify_all();
  rw.unlock();
  wait(acquires, latched, arrives, informed, reads, writes);
  finalize();
}

}  // namespace
