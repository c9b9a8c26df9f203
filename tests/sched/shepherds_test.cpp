// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shepherds: which worker belongs to which, where bound tasks run, and the regimes of stealing.
#include "support/errors.hpp"
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace {
using namespace hocket;
using hocket_test::code_of;

class shepherds_test : public hocket_test::on_workers {
 protected:
  options with_shepherds(unsigned n, stealing s = stealing::all) {
    options o;
    o.shepherds = n;
    o.steal = s;
    return o;
  }
};
HOCKET_ON_ALL_WORKERS(shepherds_test);

TEST_P(shepherds_test, every_worker_belongs_to_one) {
  for (const unsigned n : {0u, 1u, 2u, 3u, 64u, 1000u}) {
    run(
        [&] {
          const unsigned count = shepherds();
          EXPECT_GE(count, 1u);
          if (n != 0) {
            EXPECT_EQ(count, std::min(n, workers()));
          }
          EXPECT_EQ(hocket::workers(), workers());
          unsigned sum = 0;
          for (unsigned s = 0; s < count; ++s) {
            EXPECT_GE(workers_of(s), 1u);
            EXPECT_LE(workers_of(s), (workers() + count - 1) / count + (n == 0 ? workers() : 0u));
            sum += workers_of(s);
          }
          EXPECT_EQ(sum, workers());
          EXPECT_EQ(workers_of(count), 0u);
          EXPECT_EQ(workers_of(~0u), 0u);
          EXPECT_LT(this_task::shepherd(), count);
          hocket_test::on_a_thread([&] {
            EXPECT_EQ(shepherds(), count) << "any thread may ask";
            EXPECT_EQ(hocket::workers(), workers());
            EXPECT_EQ(this_task::shepherd(), any_shepherd);
          });
        },
        with_shepherds(n));
  }
}

TEST_P(shepherds_test, outside_a_run_there_are_none) {
  EXPECT_EQ(code_of([] { shepherds(); }), errc::not_running);
  EXPECT_EQ(code_of([] { hocket::workers(); }), errc::not_running);
  EXPECT_EQ(code_of([] { workers_of(0); }), errc::not_running);
  EXPECT_EQ(this_task::shepherd(), any_shepherd);
  const task_counts none = tasks_by_state();
  EXPECT_EQ(none.running + none.ready + none.suspended + none.virtual_tasks, 0u);
}

TEST_P(shepherds_test, a_worker_always_names_the_same) {
  std::vector<std::atomic<unsigned>> of(workers());
  for (auto& s : of) s = any_shepherd;
  run(
      [&] {
        std::vector<task<void>> all;
        for (int i = 0; i < 500; ++i) {
          all.push_back(start([&] {
            for (int k = 0; k < 3; ++k) {
              const unsigned w = this_task::worker(), s = this_task::shepherd();
              if (w == this_task::worker()) {  // it has not moved between
                const unsigned before = of[w].exchange(s);
                EXPECT_TRUE(before == any_shepherd || before == s);
              }
              this_task::yield();
            }
          }));
        }
        wait_all(all);
      },
      with_shepherds(3));
}

/// Makes tasks of every kind for every shepherd; all must stay there, across every kind of suspension.
void expect_bound() {
  std::atomic<int> strayed{0}, ran{0};
  event gate;
  std::vector<task<void>> all;
  const unsigned n = shepherds();
  int made = 0;
  for (int i = 0; i < 20; ++i) {
    for (unsigned s = 0; s < n; ++s) {
      const task_attributes at{.shepherd = s};
      const auto stays = [&, s] {
        const auto look = [&] { strayed += this_task::shepherd() != s; };
        look();
        this_task::yield();
        look();
        gate.wait();
        look();
        this_task::sleep_for(std::chrono::microseconds(20));
        look();
        spawn([] { this_task::yield(); }).wait();
        look();
        blocking([] {});
        look();
        ++ran;
      };
      all.push_back(spawn(at, stays));
      all.push_back(start(at, stays));
      all.push_back(spawn_after(std::chrono::microseconds(10), at, stays));
      begin(at, [&, s] { strayed += this_task::shepherd() != s, ++ran; });
      made += 4;
    }
  }
  gate.set();
  for (auto& t : all) t.get();
  while (ran != made) this_task::yield();
  EXPECT_EQ(strayed, 0);
}

TEST_P(shepherds_test, bound_tasks_run_there_only) {
  for (const stealing s : {stealing::all, stealing::inside, stealing::none}) {
    for (const unsigned n : {1u, 2u, 5u}) run([] { expect_bound(); }, with_shepherds(n, s));
  }
}

TEST_P(shepherds_test, bound_tasks_waited_for_at_once_stay_too) {
  run(
      [] {
        for (int i = 0; i < 200; ++i) {
          const unsigned s = static_cast<unsigned>(i) % shepherds();
          EXPECT_EQ(spawn({.shepherd = s}, [] { return this_task::yield(), this_task::shepherd(); }).get(),
                    s);
        }
      },
      with_shepherds(2));
}

TEST_P(shepherds_test, bound_tasks_made_by_a_thread) {
  run(
      [] {
        hocket_test::on_a_thread([] {
          std::vector<task<unsigned>> all;
          for (int i = 0; i < 100; ++i) {
            const task_attributes at{.shepherd = static_cast<unsigned>(i) % shepherds()};
            const auto f = [] { return this_task::yield(), this_task::shepherd(); };
            all.push_back(i % 2 == 0 ? spawn(at, f) : start(at, f));
          }
          for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].get(), i % shepherds());
        });
      },
      with_shepherds(2));
}

TEST_P(shepherds_test, a_task_of_a_bound_one_is_free) {
  run(
      [] {
        std::atomic<int> ran{0};
        start({.shepherd = shepherds() - 1}, [&] {
          std::vector<task<void>> all;
          for (int i = 0; i < 50; ++i) all.push_back(spawn([&] { this_task::yield(), ++ran; }));
          fork_join([&] { ++ran; }, [&] { ++ran; });
          wait_all(all);
        }).wait();
        EXPECT_EQ(ran, 52);
      },
      with_shepherds(4));
}

TEST_P(shepherds_test, one_that_does_not_exist_is_refused) {
  run(
      [] {
        const auto tries = [] {
          for (const unsigned bad : {shepherds(), shepherds() + 1, 65535u, any_shepherd - 1}) {
            const task_attributes at{.shepherd = bad};
            EXPECT_EQ(code_of([&] { spawn(at, [] {}); }), errc::no_shepherd);
            EXPECT_EQ(code_of([&] { start(at, [] {}); }), errc::no_shepherd);
            EXPECT_EQ(code_of([&] { begin(at, [] {}); }), errc::no_shepherd);
            const std::string text = hocket_test::thrown_by([&] { spawn(at, [] {}); });
            EXPECT_NE(text.find("shepherd " + std::to_string(bad)), std::string::npos) << text;
            EXPECT_NE(text.find("has " + std::to_string(shepherds())), std::string::npos) << text;
          }
        };
        tries();
        hocket_test::on_a_thread(tries);
      },
      with_shepherds(2));
}

TEST_P(shepherds_test, without_stealing_tasks_are_dealt_to_all_in_turn) {
  std::vector<std::atomic<int>> at(64);
  unsigned count = 0;
  run(
      [&] {
        count = shepherds();
        std::vector<task<void>> all;
        for (unsigned i = 0; i < 10 * count; ++i) {
          const auto f = [&] { ++at[this_task::shepherd()]; };
          all.push_back(i % 2 == 0 ? spawn(f) : start(f));
        }
        event over;
        begin([&] { wait_all(all), over.set(); });
        over.wait();
      },
      with_shepherds(workers(), stealing::none));
  ASSERT_EQ(count, workers());
  for (unsigned s = 0; s < count; ++s) {
    EXPECT_GE(at[s], 9) << "shepherd " << s << ": its share, but for the turn that begin() took";
    EXPECT_LE(at[s], 11) << "shepherd " << s;
  }
}

TEST_P(shepherds_test, fork_join_works_in_every_regime) {
  for (const stealing s : {stealing::inside, stealing::none}) {
    run(
        [] {
          std::function<long(int)> fib = [&](int n) -> long {
            if (n < 2) return n;
            auto [a, b] = fork_join([&] { return fib(n - 1); }, [&] { return fib(n - 2); });
            return a + b;
          };
          EXPECT_EQ(fib(15), 610);
          EXPECT_EQ(spawn([&] { return fib(10); }).get(), 55);
        },
        with_shepherds(2, s));
  }
}

TEST_P(shepherds_test, tasks_by_state_counts_them) {
  run([] {
    event gate;
    std::atomic<int> reached{0};
    std::vector<task<void>> all;
    for (int i = 0; i < 30; ++i) all.push_back(start([&] { ++reached, gate.wait(); }));
    while (reached != 30) this_task::yield();
    task_counts c = tasks_by_state();
    while (c.suspended < 30)
      this_task::yield(), c = tasks_by_state();  // the last is on its way into its wait
    EXPECT_EQ(c.suspended, 30u);
    EXPECT_GE(c.running, 1u) << "the caller";
    hocket_test::on_a_thread([] {
      while (tasks_by_state().suspended != 31) std::this_thread::yield();  // this task, too
    });
    gate.set();
    wait_all(all);
  });
}

TEST_P(shepherds_test, tasks_by_state_counts_what_lies_in_queues) {
  if (workers() != 1) return;  // others would take them
  run([] {
    std::vector<task<void>> all;
    for (int i = 0; i < 5; ++i) all.push_back(spawn([] {}));
    for (int i = 0; i < 7; ++i) all.push_back(start([] {}));
    spawn({.priority = priority::high}, [] {});
    const task_counts c = tasks_by_state();
    EXPECT_EQ(c.virtual_tasks, 6u);
    EXPECT_EQ(c.ready, 7u);
    EXPECT_EQ(c.running, 1u);
    EXPECT_EQ(c.suspended, 0u);
    wait_all(all);
  });
}

}  // namespace
