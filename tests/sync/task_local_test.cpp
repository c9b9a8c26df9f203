// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// task_local: each task has its own value, on whatever stack it runs; it is made once, stays where it is, and
// ends with its task.
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {
using namespace hocket;
using hocket_test::sized;

class task_local_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(task_local_test);

/// Counts its living values.
struct counted {
  explicit counted(int n) : value(n) { ++alive; }
  counted(const counted& other) : value(other.value) { ++alive; }
  counted& operator=(const counted&) = delete;
  ~counted() { --alive; }
  int value;
  static inline std::atomic<int> alive{0};
};

TEST_P(task_local_test, begins_with_its_initial_value_everywhere) {
  run([] {
    task_local<int> zero;
    task_local<int> x{5};
    task_local<std::string> text{"begin"};
    hocket_test::everywhere([&] {
      EXPECT_EQ(*zero, 0);
      EXPECT_EQ(*x, 5);
      EXPECT_EQ(text->size(), 5u);
      ++*x;
      text.get() += "ning";
      EXPECT_EQ(*x, 6);
      EXPECT_EQ(*text, "beginning");
    });
    EXPECT_EQ(*x, 6);
  });
}

TEST_P(task_local_test, of_each_task_that_ends_with_it) {
  task_local<counted> x{counted(7)};
  const int before = counted::alive;
  run([&] {
    for (const int n : {0, 1, 2, 300}) {
      x->value = -1;
      std::vector<task<void>> all;
      for (int i = 0; i < n; ++i) {
        const auto body = [&, i] {
          EXPECT_EQ(x->value, 7);
          counted* mine = &*x;
          x->value = i;
          for (int k = 0; k < 3; ++k) this_task::yield();
          EXPECT_EQ(x->value, i);
          EXPECT_EQ(&*x, mine);
          if (i % 5 == 0) throw std::runtime_error("fails");
        };
        all.push_back(i % 2 == 0 ? start(body) : spawn(body));
      }
      wait_all(all);
      EXPECT_EQ(counted::alive, before + 1) << "main's only";  // before anyone who waits goes on
      EXPECT_EQ(x->value, -1);
    }
    begin([&] { EXPECT_EQ(x->value, 7); });
  });
  EXPECT_EQ(counted::alive, before);
}

int nested(const task_local<int>& x, int depth) {
  if (depth == 0) return 0;
  EXPECT_EQ(*x, 0);
  *x = depth;
  const int below = spawn([&] { return nested(x, depth - 1); }).get();
  EXPECT_EQ(*x, depth);
  return below + *x;
}

TEST_P(task_local_test, of_tasks_that_run_on_their_waiters_stacks) {
  const int depth = static_cast<int>(sized(100, 20));
  run([&] {
    const task_local<int> x{0};
    EXPECT_EQ(nested(x, depth), depth * (depth + 1) / 2);
    // One that uses none, within one that does, and the other way round.
    *x = 1;
    spawn([&] { spawn([&] { EXPECT_EQ(*x, 0), *x = 9; }).wait(); }).wait();
    EXPECT_EQ(*x, 1);
  });
  if (workers() == 1) {
    EXPECT_GE(since(&statistics::inlined), static_cast<std::uint64_t>(depth));
  }
}

TEST_P(task_local_test, made_only_when_used_and_once) {
  std::atomic<int> made{0};
  task_local<int> x{[&] { return ++made; }};
  run([&] {
    std::vector<task<int>> all;
    for (int i = 0; i < 100; ++i) all.push_back(start([&, i] { return i % 2 == 0 ? 0 : *x + *x - *x; }));
    int sum = 0;
    for (auto& t : all) sum += t.get();
    EXPECT_EQ(made, 50);
    EXPECT_EQ(sum, 50 * 51 / 2);
  });
}

TEST_P(task_local_test, a_factory_may_throw_and_wait) {
  run([] {
    std::atomic<int> calls{0};
    task_local<int> x{[&] {
      this_task::yield();
      if (++calls % 2 == 1) throw std::runtime_error("not yet");
      return 4;
    }};
    for (int i = 0; i < 10; ++i) {
      start([&] {
        EXPECT_EQ(hocket_test::thrown_by([&] { x.get(); }), "not yet");
        EXPECT_EQ(*x, 4);
        EXPECT_EQ(*x, 4);
      }).wait();
    }
    EXPECT_EQ(calls, 20);
  });
}

struct immovable {
  immovable() = default;
  immovable(const immovable&) = delete;
  immovable& operator=(const immovable&) = delete;
  int value = 3;
};
struct alignas(128) aligned {
  int value = 2;
};

TEST_P(task_local_test, of_any_kind_of_value) {
  run([] {
    task_local<immovable> fixed;
    task_local<std::unique_ptr<int>> owned{[] { return std::make_unique<int>(1); }};
    task_local<aligned> wide;
    task_local<bool> no{[] { return false; }};  // a factory, not a pointer that is not null
    for (int i = 0; i < 3; ++i) {
      start([&] {
        EXPECT_EQ(fixed->value, 3);
        EXPECT_EQ(**owned, 1);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&*wide) % 128, 0u);
        EXPECT_FALSE(*no);
        fixed->value = ** owned = 0;
        *no = true;
      }).wait();
    }
  });
}

TEST_P(task_local_test, many_variables) {
  run([] {
    constexpr int n = 100;
    std::vector<std::unique_ptr<task_local<int>>> all;
    for (int i = 0; i < n; ++i) all.push_back(std::make_unique<task_local<int>>(i));
    std::vector<task<void>> tasks;
    for (int k = 0; k < 20; ++k) {
      tasks.push_back(start([&, k] {
        for (int i = 0; i < n; ++i) **all[static_cast<std::size_t>(i)] += k;
        this_task::yield();
        for (int i = 0; i < n; ++i) EXPECT_EQ(**all[static_cast<std::size_t>(i)], i + k);
      }));
    }
    wait_all(tasks);
  });
}

TEST_P(task_local_test, a_new_variable_at_an_old_ones_place_is_another) {
  run([] {
    std::optional<task_local<int>> x;
    for (int i = 0; i < 50; ++i) {
      x.emplace(i);
      EXPECT_EQ(**x, i);
      **x = -1;
    }
    x.reset();
    const int before = counted::alive;
    start([&] {
      {
        const task_local<counted> gone{counted(1)};
        EXPECT_EQ(gone->value, 1);
      }
      EXPECT_EQ(counted::alive, before + 1);  // it lives as long as the task
    }).wait();
    EXPECT_EQ(counted::alive, before);
  });
}

/// Notes when it is destroyed; the destructor may do what a task may.
struct noted {
  noted(std::vector<int>* list, int number, const task_local<int>* other)
      : where(list), what(number), also(other) {}
  noted(const noted&) = delete;
  noted& operator=(const noted&) = delete;
  ~noted() {
    EXPECT_STREQ(this_task::name(), "ends");
    this_task::yield();
    spawn([] {}).wait();
    where->push_back(what + **also);
  }
  std::vector<int>* where;
  int what;
  const task_local<int>* also;
};

TEST_P(task_local_test, destroyed_by_their_task_the_newest_first) {
  run([] {
    std::vector<int> order;
    const task_local<int> late{100};  // made by a destructor
    const task_local<std::unique_ptr<noted>> first{[&] { return std::make_unique<noted>(&order, 1, &late); }};
    const task_local<std::unique_ptr<noted>> second{
        [&] { return std::make_unique<noted>(&order, 2, &late); }};
    for (const bool own_stack : {true, false}) {
      order.clear();
      const task_attributes ends{.name = "ends"};
      const auto body = [&] { first.get(), second.get(); };
      (own_stack ? start(ends, body) : spawn(ends, body)).wait();
      EXPECT_EQ(order, (std::vector<int>{102, 101}));
    }
  });
}

/// A value that is never used by two at once.
struct exclusive {
  exclusive() { ++alive; }
  exclusive(const exclusive&) = delete;
  exclusive& operator=(const exclusive&) = delete;
  ~exclusive() { --alive; }
  void use() {
    EXPECT_FALSE(busy.exchange(true));
    ++uses;
    busy = false;
  }
  std::atomic<bool> busy{false};
  int uses = 0;  // not atomic: a race would be seen
  static inline std::atomic<int> alive{0};
};

long tree(const task_local<exclusive>& x, int depth) {
  x->use();
  if (depth == 0) return 1;
  if (depth % 4 == 0) this_task::yield();
  const auto [a, b] =
      fork_join([&, depth] { return tree(x, depth - 1); }, [&, depth] { return tree(x, depth - 1); });
  x->use();
  return a + b;
}

TEST_P(task_local_test, forked_children_use_their_parents_or_values_of_their_own) {
  const task_local<exclusive> x;
  const int depth = static_cast<int>(sized(12, 8));
  run([&] {
    EXPECT_EQ(tree(x, depth), 1L << depth);
    std::vector<task<long>> all;
    for (int i = 0; i < 4; ++i) all.push_back(spawn([&] { return tree(x, depth - 2); }));
    for (auto& t : all) EXPECT_EQ(t.get(), 1L << (depth - 2));
    if (since(&statistics::stolen) == 0) {
      EXPECT_EQ(exclusive::alive, 1);
    }
    cobegin([&] { x->use(); }, [&] { spawn([&] { x->use(); }).wait(); }, [&] { x->use(); });
    x->use();
  });
  EXPECT_EQ(exclusive::alive, 0);
}

TEST_P(task_local_test, a_child_taken_by_a_thief_begins_anew) {
  run([] {
    const task_local<int> x{1};
    *x = 2;
    event taken;
    fork_join([&] { taken.wait(); },
              [&] {
                EXPECT_EQ(*x, 1);  // whoever runs it: its parent waits for it
                spawn([&] { EXPECT_EQ(*x, 1), *x = 5; }).wait();
                *x = 3;
                taken.set();
              });
    EXPECT_EQ(*x, 2);
  });
}

TEST_P(task_local_test, threads_have_values_until_they_end) {
  const task_local<counted> x{counted(1)};
  const int before = counted::alive;
  std::thread([&] {
    EXPECT_EQ(x->value, 1);
    x->value = 2;
    EXPECT_EQ(x->value, 2);
    EXPECT_EQ(counted::alive, before + 1);
  }).join();
  EXPECT_EQ(counted::alive, before);
  run([&] {
    x->value = 3;
    std::thread foreign([&] { EXPECT_EQ(x->value, 1); });
    blocking([&] {
      EXPECT_EQ(x->value, 1) << "the thread's, not the task's";
      foreign.join();
    });
    EXPECT_EQ(x->value, 3);
  });
}

TEST_P(task_local_test, results_that_use_them_when_they_end) {
  // The result of a task that nobody waits for is destroyed by the kernel, outside any task.
  const task_local<int> variable{1};
  struct uses {
    explicit uses(const task_local<int>* used) : x(used) {}
    uses(uses&& other) noexcept : x(std::exchange(other.x, nullptr)) {}
    ~uses() {
      if (x != nullptr) ++**x;
    }
    const task_local<int>* x;
  };
  run([&] {
    *variable = 10;
    for (int i = 0; i < 100; ++i) start([&] { return uses(&variable); });
    for (int i = 0; i < 100; ++i) spawn([&] { return uses(&variable); });
  });
}

}  // namespace
