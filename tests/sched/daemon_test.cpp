// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Daemons: they serve others and do not keep the run from ending; when only they are left, they are asked to
// stop.
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <vector>

namespace {
using namespace hocket;
using namespace std::chrono_literals;

class daemon_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(daemon_test);

constexpr auto a_daemon = [] { return task_attributes{.name = "daemon", .daemon = true}; };

/// Waits for ever; counts how it ended.
struct server {
  std::atomic<int> begun{0}, stopped{0}, other{0};
  template <class F>
  void serve(F wait) {
    ++begun;
    try {
      for (;;) wait();
    } catch (const cancelled&) {
      ++stopped;
      throw;
    } catch (...) {
      ++other;
      throw;
    }
  }
};

TEST_P(daemon_test, run_ends_although_one_waits) {
  for (int how = 0; how < 4; ++how) {
    server s;
    event never;  // outside: daemons end after the main task
    task<void> kept;
    EXPECT_EQ(run([&] {
                const auto f = [&] { s.serve([&] { never.wait(); }); };
                if (how == 0) kept = spawn(a_daemon(), f);
                if (how == 1) kept = start(a_daemon(), f);
                if (how == 2) begin(a_daemon(), f);
                if (how == 3) spawn(a_daemon(), f);
                while (s.begun == 0) this_task::yield();
                return 5;
              }),
              5);
    EXPECT_EQ(s.stopped, 1);
    EXPECT_EQ(s.other, 0);
    if (kept.valid()) {
      EXPECT_THROW(kept.get(), cancelled);
    }
  }
}

TEST_P(daemon_test, every_wait_of_a_daemon_is_ended) {
  server s;
  event never, gate;
  task<void> waits, dozes;
  run([&] {
    start(a_daemon(), [&] { s.serve([&] { never.wait(); }); });
    start(a_daemon(), [&] { s.serve([&] { never.wait_for(24h); }); });
    start(a_daemon(), [&] { s.serve([&] { this_task::sleep_for(24h); }); });
    dozes = start(a_daemon(), [&] { s.serve([&] { this_task::sleep_for(24h); }); });
    waits = start(a_daemon(), [&] { s.serve([&] { dozes.wait(), never.wait(); }); });
    while (s.begun != 5) this_task::yield();
  });
  EXPECT_EQ(s.stopped, 5);
}

TEST_P(daemon_test, one_that_never_sleeps) {
  server s;
  run([&] {
    start(a_daemon(), [&] { s.serve([] { this_task::yield(), this_task::check(); }); });
    while (s.begun == 0) this_task::yield();
    for (int i = 0; i < 10; ++i) begin([] { this_task::sleep_for(100us); });
  });
  EXPECT_EQ(s.stopped, 1);
}

TEST_P(daemon_test, one_that_has_not_begun_does_or_does_not) {
  for (int i = 0; i < 20; ++i) {
    server s;
    run([&] { begin(a_daemon(), [&] { s.serve([] { this_task::sleep_for(24h); }); }); });
    EXPECT_EQ(s.begun, s.stopped);
  }
}

TEST_P(daemon_test, it_serves_until_all_others_have_ended) {
  std::atomic<int> asked{0}, answered{0};
  server s;
  run([&] {
    start(a_daemon(), [&] {
      s.serve([&] {
        if (answered < asked) ++answered;
        this_task::sleep_for(10us);
      });
    });
    for (int i = 0; i < 20; ++i) {
      begin([&] {
        const int mine = ++asked;
        while (answered < mine) this_task::yield();
      });
    }
  });
  EXPECT_EQ(answered, 20);
  EXPECT_EQ(s.stopped, 1);
}

TEST_P(daemon_test, what_a_daemon_makes_stops_with_it) {
  server s;
  run([&] {
    start(a_daemon(), [&] {
      s.serve([&] {
        auto child = start(a_daemon(), [&] { s.serve([] { this_task::sleep_for(24h); }); });
        child.get();
      });
    });
    while (s.begun != 2) this_task::yield();
  });
  EXPECT_EQ(s.stopped, 2);
}

TEST_P(daemon_test, a_usual_task_made_by_a_daemon_is_waited_for) {
  std::atomic<int> ended{0};
  event never;
  run([&] {
    event made;
    start(a_daemon(), [&] {
      start({.stop = std::stop_source().get_token()}, [&] {
        for (int i = 0; i < 50; ++i) this_task::sleep_for(10us);
        ++ended;
      });
      made.set();
      never.wait();
    });
    made.wait();
  });
  EXPECT_EQ(ended, 1);
}

TEST_P(daemon_test, one_that_ends_by_itself_is_no_trouble) {
  std::atomic<int> ran{0};
  run([&] {
    std::vector<task<int>> all;
    for (int i = 0; i < 100; ++i) all.push_back(spawn(a_daemon(), [&, i] { return ++ran, i; }));
    int sum = 0;
    for (auto& t : all) sum += t.get();
    EXPECT_EQ(sum, 4950);
  });
  EXPECT_EQ(ran, 100);
}

TEST_P(daemon_test, an_exception_of_a_begun_one_comes_out_of_run_but_not_that_it_stopped) {
  EXPECT_EQ(hocket_test::thrown_by([&] {
              run([] {
                event begun;  // else it might be asked to stop before it begins
                begin(a_daemon(), [&] {
                  begun.set();
                  throw std::runtime_error("a daemon failed");
                });
                begun.wait();
              });
            }),
            "a daemon failed");
}

TEST_P(daemon_test, one_that_cleans_up_with_waits) {
  std::atomic<int> cleaned{0};
  run([&] {
    event ready;
    start(a_daemon(), [&] {
      ready.set();
      try {
        this_task::sleep_for(24h);
      } catch (const cancelled&) {
        const stop_shield shield;
        this_task::sleep_for(10us);
        auto last = spawn([] { return 1; });
        EXPECT_THROW(last.get(), cancelled) << "made under the token that has stopped";
        EXPECT_EQ(spawn({.stop = std::stop_source().get_token()}, [] { return 2; }).get(), 2);
        ++cleaned;
        throw;
      }
    });
    ready.wait();
  });
  EXPECT_EQ(cleaned, 1);
}

TEST_P(daemon_test, made_by_threads) {
  server s;
  run([&] {
    hocket_test::on_a_thread([&] {
      for (int i = 0; i < 5; ++i) begin(a_daemon(), [&] { s.serve([] { this_task::sleep_for(24h); }); });
      for (int i = 0; i < 5; ++i) spawn(a_daemon(), [&] { s.serve([] { this_task::sleep_for(24h); }); });
    });
    while (s.begun != 10) this_task::yield();
  });
  EXPECT_EQ(s.stopped, 10);
}

TEST_P(daemon_test, run_after_run) {
  for (int i = 0; i < 50; ++i) {
    server s;
    run([&] {
      for (int k = 0; k < 3; ++k) start(a_daemon(), [&] { s.serve([] { this_task::sleep_for(24h); }); });
      for (int k = 0; k < 10; ++k) begin([] { this_task::yield(); });
    });
    EXPECT_EQ(s.begun, s.stopped);
  }
}

}  // namespace
