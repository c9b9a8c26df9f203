// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles: results of all sizes, exceptions each time, lifetimes, attributes, misuse.
#include "support/workers.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
using namespace hocket;
using hocket_test::thrown_by;

class task_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(task_test);

TEST_P(task_test, the_result_can_be_had_many_times) {
  run([] {
    auto t = spawn([] { return std::string(100, 'x'); });
    const auto copy = t;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(t.get(), std::string(100, 'x'));
    EXPECT_EQ(&t.get(), &copy.get()) << "one result, not a copy";
    EXPECT_TRUE(t.done());
    EXPECT_EQ(t, copy);
  });
}

template <std::size_t Bytes>
void result_of_size() {
  std::array<unsigned char, Bytes> expected;
  for (std::size_t i = 0; i < Bytes; ++i) expected[i] = static_cast<unsigned char>(i * 7 + Bytes);
  auto by_small_closure = spawn([e = &expected] { return *e; });
  auto by_large_closure = start([expected] { return expected; });
  EXPECT_EQ(by_small_closure.get(), expected);
  EXPECT_EQ(by_large_closure.get(), expected);
}

TEST_P(task_test, results_of_all_sizes) {
  run([] {
    spawn([] {}).get();
    result_of_size<1>();
    result_of_size<31>();
    result_of_size<32>();
    result_of_size<33>();
    result_of_size<96>();
    result_of_size<97>();
    result_of_size<224>();
    result_of_size<225>();
    result_of_size<1000>();
    EXPECT_EQ(*spawn([] { return std::make_unique<int>(4); }).get(), 4);
    struct alignas(64) line {
      long n;
    };
    auto aligned = spawn([] { return line{3}; });
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&aligned.get()) % 64, 0u);
    EXPECT_EQ(aligned.get().n, 3);
  });
}

TEST_P(task_test, an_exception_comes_out_each_time) {
  run([] {
    auto t = spawn([]() -> int { throw std::runtime_error("first"); });
    auto u = start([] { throw std::runtime_error("second"); });
    t.wait();
    EXPECT_TRUE(t.done());
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(thrown_by([&] { t.get(); }), "first");
      EXPECT_EQ(thrown_by([&] { u.get(); }), "second");
    }
    const auto copy = t;
    auto other = spawn([copy] { return thrown_by([&] { copy.get(); }); });
    EXPECT_EQ(other.get(), "first");
  });
}

struct counted {
  static inline std::atomic<long> live{0};
  std::array<char, 40> bytes{};
  counted() { ++live; }
  counted(const counted&) { ++live; }
  counted(counted&&) noexcept { ++live; }
  ~counted() { --live; }
};

TEST_P(task_test, closures_and_results_live_as_long_as_they_must) {
  run([] {
    {
      auto t = spawn([c = counted()] { return counted(); });
      t.wait();
      EXPECT_EQ(counted::live, 1) << "the closure is gone, the result is here";
    }
    EXPECT_EQ(counted::live, 0);
    for (int i = 0; i < 1000; ++i) spawn([c = counted()] { return counted(); });  // dropped before it ran
    begin([c = counted()] {});
    EXPECT_THROW(spawn([c = counted()]() -> counted { throw std::runtime_error("none"); }).get(),
                 std::runtime_error);
  });
  EXPECT_EQ(counted::live, 0);
  EXPECT_EQ(since(&statistics::spawned), 1002u);
}

TEST_P(task_test, a_dropped_handle_does_not_stop_the_task) {
  std::atomic<int> ran{0};
  run([&] {
    for (int i = 0; i < 100; ++i) {
      spawn([&] { ++ran; });
      start([&] { ++ran; });
      begin([&] { ++ran; });
    }
  });
  EXPECT_EQ(ran, 300);
}

TEST_P(task_test, a_task_may_drop_the_last_handle_to_itself_and_others) {
  std::atomic<int> ran{0};
  run([&] {
    struct shared {
      event go;
      task<void> itself;
    };
    auto s = std::make_shared<shared>();
    s->itself = spawn([&ran, s] {
      s->go.wait();
      s->itself = {};
      ++ran;
    });
    s->go.set();
  });
  EXPECT_EQ(ran, 1);
}

TEST_P(task_test, handles_are_values) {
  run([] {
    auto t = spawn([] { return 1; });
    auto u = spawn([] { return 2; });
    std::swap(t, u);
    EXPECT_EQ(t.get(), 2);
    task<int> v;
    v = t;
    v = std::move(u);
    EXPECT_FALSE(u.valid());
    EXPECT_EQ(v.get(), 1);
    v = *&v;
    EXPECT_EQ(v.get(), 1);
    std::vector<task<int>> many(100, t);
    for (auto& h : many) EXPECT_EQ(h.get(), 2);
  });
}

TEST_P(task_test, an_empty_handle_is_told) {
  const auto is_invalid = [](auto use) {
    try {
      use();
    } catch (const error& e) {
      return e.code() == errc::invalid_handle;
    }
    return false;
  };
  run([&] {
    task<int> none;
    task<int> moved = spawn([] { return 1; });
    const auto taken = std::move(moved);
    for (const auto* t : {&none, &moved}) {
      EXPECT_FALSE(t->valid());
      EXPECT_TRUE(is_invalid([&] { t->get(); }));
      EXPECT_TRUE(is_invalid([&] { t->wait(); }));
      EXPECT_TRUE(is_invalid([&] { (void)t->done(); }));
      EXPECT_TRUE(is_invalid([&] { wait(taken, *t); }));
      EXPECT_TRUE(is_invalid([&] { wait_any(std::vector{taken, *t}); }));
      EXPECT_TRUE(is_invalid([&] { wait_all(std::vector{*t}); }));
    }
    EXPECT_TRUE(is_invalid([] { wait_any(std::vector<task<int>>{}); }));
    wait_all(std::vector<task<int>>{});
    EXPECT_EQ(taken.get(), 1);
  });
}

TEST_P(task_test, a_closure_that_cannot_be_copied_makes_no_task) {
  struct refuses {
    refuses() = default;
    refuses(const refuses&) { throw std::runtime_error("no copy"); }
    void operator()() const {}
  };
  run([] {
    const refuses r;
    EXPECT_EQ(thrown_by([&] { spawn(r); }), "no copy");
    EXPECT_EQ(thrown_by([&] { start(r); }), "no copy");
    EXPECT_EQ(thrown_by([&] { begin(r); }), "no copy");
  });
  EXPECT_EQ(since(&statistics::spawned), 0u);
}

TEST_P(task_test, a_detached_tasks_exception_comes_out_of_run) {
  EXPECT_EQ(thrown_by([&] { run([] { begin([] { throw std::runtime_error("detached"); }); }); }), "detached");
  EXPECT_EQ(thrown_by([&] { run([] { begin([] { begin([] { throw std::runtime_error("deeper"); }); }); }); }),
            "deeper");
  EXPECT_EQ(run([] { return 3; }), 3) << "the exception is not kept for the next run";
}

TEST_P(task_test, attributes_name_and_size) {
  run([] {
    EXPECT_STREQ(this_task::name(), "main");
    spawn([] { EXPECT_STREQ(this_task::name(), "task"); }).get();
    spawn({.name = "outer"}, [] {
      EXPECT_STREQ(this_task::name(), "outer");
      spawn({.name = "inner"}, [] { EXPECT_STREQ(this_task::name(), "inner"); }).get();
      EXPECT_STREQ(this_task::name(), "outer");
      this_task::yield();
      EXPECT_STREQ(this_task::name(), "outer");
    }).get();
    start({.name = "large", .stack_size = 1 << 20}, [] {
      EXPECT_STREQ(this_task::name(), "large");
      EXPECT_GE(this_task::stack_size(), std::size_t{1} << 20);
      EXPECT_GT(this_task::stack_left(), this_task::stack_size() - 16 * 1024);
    }).get();
    EXPECT_STREQ(this_task::name(), "main");
  });
}

std::size_t recurse(std::size_t bytes) {
  volatile char frame[1024];
  frame[0] = 1;
  return bytes <= 1024 ? frame[0] : recurse(bytes - 1024) + static_cast<std::size_t>(frame[0]);
}

TEST_P(task_test, a_task_gets_the_stack_that_it_asked_for) {
  constexpr std::size_t use = HOCKET_ASAN ? 256 * 1024 : 768 * 1024;
  run([] {
    const task_attributes large{.name = "large", .stack_size = 1 << 20};
    EXPECT_EQ(spawn(large, [] { return recurse(use); }).get(), use / 1024);
    EXPECT_EQ(start(large, [] { return recurse(use); }).get(), use / 1024);
    event ended;
    begin(large, [&] { recurse(use), ended.set(); });
    ended.wait();
    const std::vector t{spawn(large, [] { return recurse(use); })};
    EXPECT_EQ(wait_any(t), 0u);
    EXPECT_EQ(t[0].get(), use / 1024);
  });
}

}  // namespace
