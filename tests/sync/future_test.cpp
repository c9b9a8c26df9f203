// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// future: it begins when what it requires holds, and not before; graphs of futures.
#include "support/errors.hpp"
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include <atomic>
#include <random>
#include <stdexcept>
#include <vector>

namespace {
using namespace hocket;
using namespace hocket_test;

class future_test : public on_workers {
 protected:
  static void let_others_run() {
    for (int i = 0; i < 200; ++i) this_task::yield();
  }
};
HOCKET_ON_ALL_WORKERS(future_test);

TEST_P(future_test, of_each_thing_begins_when_it_holds) {
  run([] {
    event e;
    counter c(2);
    std::uint64_t word = 5;
    empty(word);
    hocket::sync<int> variable;
    single<int> once;
    event go_on;
    const auto t = start([&] { go_on.wait(); });
    std::atomic<int> begun{0};
    const auto note = [&] { return ++begun; };
    std::vector<task<int>> all;
    all.push_back(future(e, note));
    all.push_back(future(c, note));
    all.push_back(future(full(word), note));
    all.push_back(future(variable, note));
    all.push_back(future(once, note));
    all.push_back(future(t, note));
    let_others_run();
    EXPECT_EQ(begun, 0);
    e.set();
    all[0].wait();
    EXPECT_EQ(begun, 1);
    c.done();
    let_others_run();
    EXPECT_EQ(begun, 1);
    c.done();
    all[1].wait();
    writeEF(word, 6);
    all[2].wait();
    EXPECT_EQ(readFF(word), 6u);
    variable.writeEF(7);
    all[3].wait();
    EXPECT_EQ(variable.readFF(), 7);
    on_a_thread([&] { once.writeEF(8); });
    all[4].wait();
    EXPECT_EQ(begun, 5);
    go_on.set();
    all[5].wait();
    EXPECT_EQ(begun, 6);
    // All that hold already.
    const auto last = future(when(e, c, full(word), variable, once, t), note);
    EXPECT_EQ(last.get(), 7);
    EXPECT_EQ(future(when(), note).get(), 8);
  });
  EXPECT_EQ(detail::full_empty_entries(), 0u);
}

TEST_P(future_test, needs_no_stack_while_it_waits) {
  const long n = sized(50'000, 2'000);
  run([&] {
    event e;
    std::vector<task<void>> all;
    std::atomic<long> ran{0};
    const auto before = stats().reals;
    for (long i = 0; i < n; ++i) all.push_back(future(e, [&] { ++ran; }));
    EXPECT_EQ(tasks_by_state().suspended, 0u);
    EXPECT_EQ(ran, 0);
    EXPECT_EQ(stats().reals, before);
    e.set();
    wait_all(all);
    EXPECT_EQ(ran, n);
  });
}

TEST_P(future_test, is_not_run_by_who_waits_for_it_before_its_time) {
  run([] {
    event e;
    std::atomic<bool> was_set{false};
    const auto f = future(e, [&] { EXPECT_TRUE(was_set); });
    const auto waits = start([&] { f.wait(); });
    EXPECT_FALSE(f.wait_for(std::chrono::microseconds(50)));
    EXPECT_FALSE(f.done());
    was_set = true;
    e.set();
    waits.wait();
    EXPECT_TRUE(f.done());
  });
}

TEST_P(future_test, graphs) {
  run([] {
    // Each node requires some of the earlier ones and is one more than the largest of them: the longest path.
    std::mt19937 random(7);
    const std::size_t n = static_cast<std::size_t>(sized(3000, 300));
    std::vector<task<int>> nodes;
    std::vector<int> expected;
    event begin;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<std::size_t> from;
      when all(begin);
      int longest = 0;
      for (std::size_t k = 0; i != 0 && k < random() % 4; ++k) {
        from.push_back(random() % i);
        all.and_also(nodes[from.back()]);
        longest = std::max(longest, expected[from.back()]);
      }
      expected.push_back(longest + 1);
      nodes.push_back(future(all, [&nodes, from] {
        int most = 0;
        for (const std::size_t f : from) {
          EXPECT_TRUE(nodes[f].done());
          most = std::max(most, nodes[f].get());
        }
        return most + 1;
      }));
    }
    begin.set();
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(nodes[i].get(), expected[i]);
  });
}

TEST_P(future_test, begins_after_a_task_that_failed) {
  run([] {
    const auto fails = start([] { throw std::runtime_error("no"); });
    const auto after = future(fails, [&] {
      try {
        fails.get();
      } catch (const std::runtime_error&) {
        return 1;
      }
      return 0;
    });
    EXPECT_EQ(after.get(), 1);
    const auto throws = future(after, []() -> int { throw std::logic_error("later"); });
    EXPECT_THROW(throws.get(), std::logic_error);
  });
}

TEST_P(future_test, with_attributes_and_without_a_handle) {
  std::atomic<int> ran{0};
  run([&] {
    event e;
    std::stop_source stop;
    const auto stopped = future(when(e), {.name = "stopped", .stop = stop.get_token()}, [&] { ++ran; });
    const auto named = future(when(e), {.name = "named", .priority = priority::high}, [&] {
      EXPECT_STREQ(this_task::name(), "named");
      ++ran;
    });
    stop.request_stop();
    e.set();
    EXPECT_THROW(stopped.get(), cancelled);
    named.wait();
    EXPECT_EQ(ran, 1);
    counter c(1);
    for (int i = 0; i < 10; ++i) future(c, [&] { ++ran; });  // run() waits for them
    event over;
    future(c, [&] { over.set(); });
    c.done();
    over.wait();
  });
  EXPECT_EQ(ran, 11);
}

TEST_P(future_test, from_threads_and_misuse) {
  const auto make = [] { future(when(), [] {}); };
  EXPECT_EQ(code_of(make), errc::not_running);
  run([] {
    everywhere([] {
      counter c(1);
      const auto f = future(c, [] { return 3; });
      c.done();
      EXPECT_EQ(f.get(), 3);
    });
    EXPECT_EQ(code_of([] { future(task<int>(), [] {}); }), errc::invalid_handle);
    EXPECT_EQ(code_of([] { future(when(), {.daemon = true}, [] {}); }), errc::misuse);
    // A requirement outlives the handles that it was made of.
    when all(spawn([] { return 1; }), start([] { return 2; }));
    for (int i = 0; i < 100; ++i) all.and_also(spawn([] {}));
    for (int i = 0; i < 50; ++i) this_task::yield();
    EXPECT_EQ(future(all, [] { return 4; }).get(), 4);
  });
}

TEST_P(future_test, many_requirements_met_by_many_at_one_time) {
  run([] {
    for (long round = 0; round < sized(100, 20); ++round) {
      std::vector<counter> counts(16);
      for (auto& c : counts) c.add(2);
      when all;
      for (auto& c : counts) all.and_also(c);
      std::vector<task<int>> futures;
      for (int i = 0; i < 8; ++i)
        futures.push_back(future(all, [&] {
          int zero = 0;
          for (auto& c : counts) zero += c.value() == 0;
          return zero;
        }));
      for (int k = 0; k < 2; ++k) {
        for (auto& c : counts) begin([&] { c.done(); });
      }
      for (auto& f : futures) EXPECT_EQ(f.get(), 16);
    }
  });
}

}  // namespace
