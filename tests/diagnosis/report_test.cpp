// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SIGUSR1: every suspended task is told, with what it waits for; the program goes on.
#include "support/workers.hpp"

#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {
using namespace hocket;

/// stderr, as a pipe that is read by the test, for as long as it lives.
class heard_stderr {
 public:
  heard_stderr() {
    EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0);
    before_ = dup(2);
    dup2(ends_[1], 2);
  }
  ~heard_stderr() {
    dup2(before_, 2);
    close(before_);
    close(ends_[0]);
    close(ends_[1]);
  }
  /// What is said from now on, up to and with the n-th line.
  std::string lines(std::size_t n) {
    std::string text;
    for (char c; n != 0 && read(ends_[0], &c, 1) == 1;) {
      text += c;
      n -= c == '\n';
    }
    return text;
  }
  /// All that has been said up to now, of which there must be something.
  std::string all() {
    char piece[4096];
    std::string text;
    ssize_t n = read(ends_[0], piece, sizeof piece);
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    for (; n > 0; n = read(ends_[0], piece, sizeof piece)) text.append(piece, static_cast<std::size_t>(n));
    fcntl(ends_[0], F_SETFL, 0);
    return text;
  }

 private:
  int ends_[2] = {-1, -1};
  int before_ = -1;
};

bool matches(const std::string& text, const std::string& pattern) {
  regex_t r;
  if (regcomp(&r, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0) return false;
  const bool found = regexec(&r, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&r);
  return found;
}
std::string named(const std::string& name) { return "task '" + name + "' \\(#[0-9]+\\)"; }

class report : public hocket_test::on_workers {
 protected:
  /// Until so many tasks have been suspended, and not resumed, since the test began.
  void await_suspended(std::uint64_t n) {
    while (since(&statistics::suspended) < since(&statistics::resumed) + n) std::this_thread::yield();
  }
};
HOCKET_ON_ALL_WORKERS(report);

void ask() { ASSERT_EQ(kill(getpid(), SIGUSR1), 0); }

/// Asks until a report begins with n waiting tasks: one that is counted as suspended may be a few
/// instructions from it. That report's first line, and so many more.
std::string report_of(heard_stderr& heard, int n, std::size_t more) {
  const std::string wanted = "hocket: " + std::to_string(n) + (n == 1 ? " task waits" : " tasks wait");
  ask();
  for (;;) {
    const std::string line = heard.lines(1);
    if (line.starts_with(wanted)) return line + heard.lines(more);
    if (line.starts_with("hocket: ")) ask();
  }
}

TEST_P(report, tells_what_each_task_waits_for) {
  options o = with_workers();
  o.backtrace = false;
  initialize(o);
  {
    event set;
    mutex m;
    m.lock();
    const auto reader = start({.name = "reader", .priority = priority::high}, [&] { set.wait(); });
    const auto follower = start({.name = "follower"}, [&] { reader.wait(); });
    const auto writer = start({.name = "writer"}, [&] { const std::lock_guard lock(m); });
    await_suspended(3);
    std::string text;
    {
      heard_stderr heard;
      text = report_of(heard, 3, 3);
      text += heard.all();  // the tasks are told in one piece with the first line
    }
    EXPECT_TRUE(matches(text, "^hocket: 3 tasks wait, 0 ready, [0-9]+ queued without a stack; of " +
                                  std::to_string(workers()) + " worker"))
        << text;
    EXPECT_TRUE(matches(
        text, "  " + named("reader") + ", of high priority, waits for an event at 0x[0-9a-f]+, for [0-9]+"))
        << text;
    EXPECT_TRUE(matches(text, "  " + named("follower") + " waits for " + named("reader") + ", for [0-9]+"))
        << text;
    EXPECT_TRUE(
        matches(text, "  " + named("writer") +
                          " waits for a mutex at 0x[0-9a-f]+ held by a thread that is no task, for [0-9]+"))
        << text;
    set.set();
    m.unlock();
    wait(reader, follower, writer);
  }
  finalize();
}

TEST_P(report, of_nobody) {
  initialize(with_workers());
  {
    heard_stderr heard;
    ask();
    EXPECT_TRUE(matches(heard.lines(1),
                        "^hocket: 0 tasks wait, 0 ready, 0 queued without a stack; of [0-9]+ worker"));
  }
  EXPECT_EQ(spawn([] { return 1; }).get(), 1);
  finalize();
}

}  // namespace

extern "C" __attribute__((noinline)) int wait_in_a_known_place(hocket::event* e) {
  e->wait();
  asm volatile("" ::: "memory");
  return 1;
}

namespace {

TEST_P(report, shows_where_a_task_waits) {
#if !defined(HOCKET_TEST_BACKTRACES)
  GTEST_SKIP() << "this build has no backtraces of suspended tasks";
#endif
  for (const bool backtrace : {false, true}) {
    options o = with_workers();
    o.backtrace = backtrace;
    const std::uint64_t before = since(&statistics::suspended), resumed = since(&statistics::resumed);
    initialize(o);
    event set;
    const auto t = start({.name = "placed"}, [&] { return wait_in_a_known_place(&set); });
    await_suspended(before - resumed + 1);
    std::string text;
    {
      heard_stderr heard;
      text = report_of(heard, 1, 1);
      text += heard.all();
    }
    EXPECT_TRUE(matches(text, named("placed") + " waits for an event")) << text;
    if (backtrace) {
      EXPECT_TRUE(matches(text, "    #[0-9]+ wait_in_a_known_place at ")) << text;
      EXPECT_TRUE(matches(text, "    #0 hocket::")) << text;
      EXPECT_TRUE(matches(text, "    #[0-9]+ hocket::detail::base_loop")) << text;
    } else {
      EXPECT_TRUE(matches(text, "\n    in wait_in_a_known_place at ")) << text;
      EXPECT_FALSE(matches(text, "#0 ")) << text;
    }
    set.set();
    EXPECT_EQ(t.get(), 1);
    finalize();
  }
}

/// Reports go on while tasks of all kinds suspend, resume, begin and end: nothing may crash, and the run
/// ends.
TEST_P(report, may_be_asked_for_at_any_time) {
  options o = with_workers();
  o.backtrace = true;
  std::atomic<int> reports{0};
  heard_stderr heard;
  std::atomic<bool> over{false};
  std::thread reader([&] {
    while (!over.load()) reports += heard.lines(1).starts_with("hocket: ");
  });
  std::atomic<int> ended{0};
  run(
      [&] {
        for (int round = 0; round < 20; ++round) {
          event set;
          mutex m;
          std::vector<task<void>> list;
          for (int i = 0; i < 20; ++i) {
            list.push_back(spawn({.name = "a name"}, [&] {
              const std::lock_guard lock(m);
              fork_join([&] { this_task::yield(); }, [&] { start([] {}).wait(); });
              ended.fetch_add(1);
            }));
            list.push_back(start([&] { set.wait(); }));
          }
          ask();
          this_task::yield();
          set.set();
          wait_any(list);
          wait_all(list);
        }
        // Requests that come while one is being answered are answered together; each run's first is answered.
        while (reports.load() == 0) this_task::yield();
      },
      o);
  over.store(true);
  EXPECT_EQ(write(2, "\n", 1), 1);
  reader.join();
  EXPECT_EQ(ended.load(), 400);
}

TEST_P(report, leaves_a_programs_own_handler_alone) {
  static std::atomic<int> calls;
  calls = 0;
  struct sigaction own{}, before{};
  own.sa_handler = [](int) { calls.fetch_add(1); };
  ASSERT_EQ(sigaction(SIGUSR1, &own, &before), 0);
  run([] { ask(); });
  EXPECT_EQ(calls.load(), 1);
  struct sigaction now{};
  sigaction(SIGUSR1, &before, &now);
  EXPECT_EQ(now.sa_handler, own.sa_handler);
}

}  // namespace
