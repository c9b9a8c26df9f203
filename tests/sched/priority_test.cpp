// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Priorities: the order on one worker, what is inherited, that nothing starves, and that who waits lends its
// own.
#include "support/workers.hpp"

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {
using namespace hocket;

class priority_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(priority_test);

/// Order is what one worker does; several take what they find.
class priority_order : public hocket_test::on_workers {};
INSTANTIATE_TEST_SUITE_P(workers, priority_order, ::testing::Values(1u), ::testing::PrintToStringParamName());

constexpr priority all_levels[] = {priority::low, priority::normal, priority::high};
/// Some other tasks, fewer than the worker's decisions between two that take the oldest.
constexpr int few = 6;

TEST_P(priority_order, ready_tasks_highest_first_and_in_their_order) {
  std::string order;
  run([&] {
    for (int i = 0; i < few; ++i) {
      for (const priority p : all_levels) {
        start({.priority = p}, [&order, p, i] {
          order += "lnh"[static_cast<int>(p)];
          order += static_cast<char>('0' + i);
        });
      }
    }
  });
  EXPECT_EQ(order, "h0h1h2h3h4h5n0n1n2n3n4n5l0l1l2l3l4l5");
}

TEST_P(priority_order, virtual_tasks_highest_first_and_the_newest_of_each) {
  std::string order;
  run([&] {
    for (int i = 0; i < few; ++i) {
      for (const priority p : all_levels) {
        spawn({.priority = p}, [&order, p] { order += "lnh"[static_cast<int>(p)]; });
      }
    }
  });
  EXPECT_EQ(order, "hhhhhhnnnnnnllllll");
}

TEST_P(priority_order, a_high_virtual_task_before_a_ready_normal_one) {
  std::string order;
  run([&] {
    start([&] { order += 'n'; });
    spawn({.priority = priority::high}, [&] { order += 'h'; });
    spawn({.priority = priority::low}, [&] { order += 'l'; });
  });
  EXPECT_EQ(order, "hnl");
}

TEST_P(priority_order, tasks_made_by_a_thread) {
  std::string order;
  run([&] {
    std::thread([&] {
      for (const priority p : all_levels) {
        spawn({.priority = p}, [&order, p] { order += "lnh"[static_cast<int>(p)]; });
      }
    }).join();
  });
  EXPECT_EQ(order, "hnl");
}

TEST_P(priority_order, it_is_inherited) {
  std::string order;
  run([&] {
    start({.priority = priority::low}, [&] {
      order += 'l';
      start([&] { order += 'c'; });
      spawn({.priority = priority::normal}, [&] { order += 'n'; });
      begin({.priority = priority::high}, [&] {
        order += 'h';
        spawn([&] { order += 'g'; });
      });
    });
  });
  EXPECT_EQ(order, "lhgnc");
}

TEST_P(priority_order, a_yield_lets_its_equals_and_better_run_not_the_lower) {
  std::string order;
  run([&] {
    const auto twice = [&](char c) {
      return [&order, c] {
        order += c;
        this_task::yield();
        order += c;
      };
    };
    start({.priority = priority::low}, twice('l'));
    start({.priority = priority::high}, twice('h'));
    start({.priority = priority::high}, twice('i'));
    start(twice('n'));
  });
  EXPECT_EQ(order, "hihinnll");
}

TEST_P(priority_order, a_woken_task_keeps_its_level) {
  std::string order;
  run([&] {
    event gate;
    std::vector<task<void>> all;
    for (const priority p : all_levels) {
      all.push_back(start({.priority = p}, [&, p] {
        gate.wait();
        order += "lnh"[static_cast<int>(p)];
      }));
    }
    start({.priority = priority::low}, [&] { gate.set(); });
    gate.wait();
    for (auto& t : all) t.wait();
  });
  EXPECT_EQ(order.substr(0, 2), "hn");
}

// --- nothing starves
TEST_P(priority_test, a_high_task_that_yields_until_a_low_one_has_acted_ends) {
  run([] {
    for (const bool real : {false, true}) {
      std::atomic<bool> acted{false};
      const task_attributes low{.priority = priority::low};
      const auto act = [&] { acted = true; };
      auto t = real ? start(low, act) : spawn(low, act);
      std::vector<task<void>> high;
      for (int i = 0; i < 3; ++i) {
        high.push_back(start({.priority = priority::high}, [&] {
          while (!acted) this_task::yield();
        }));
      }
      event ended;
      begin([&] { wait_all(high), ended.set(); });
      ended.wait();
      t.wait();
    }
  });
}

TEST_P(priority_test, a_low_task_ends_though_high_ones_beget_high_ones) {
  run([] {
    std::atomic<bool> acted{false};
    spawn({.priority = priority::low}, [&] { acted = true; });
    event over;
    std::function<void()> next = [&] {
      if (acted) {
        over.set();
      } else {
        spawn(next);
      }
    };
    begin({.priority = priority::high}, next);
    over.wait();
  });
}

TEST_P(priority_test, all_run_once_whatever_the_level) {
  std::atomic<int> ran{0};
  const auto n = static_cast<int>(hocket_test::sized(2000, 300));
  run([&] {
    std::vector<task<void>> all;
    for (int i = 0; i < n; ++i) {
      const task_attributes a{.priority = all_levels[i % 3]};
      const auto f = [&] {
        this_task::yield();
        ++ran;
      };
      all.push_back(i % 2 == 0 ? spawn(a, f) : start(a, f));
      begin(a, f);
    }
    for (int i = n; i-- > 0;) all[static_cast<std::size_t>(i)].wait();
  });
  EXPECT_EQ(ran, 2 * n);
}

// --- lending
/// Who ran before whom: `normals` normal tasks count until the lent one has acted.
struct crowd {
  std::atomic<bool> over{false};
  std::atomic<int> turns{0};
  std::vector<task<void>> all;
  void gather(int n) {
    for (int i = 0; i < n; ++i) {
      all.push_back(start({.priority = priority::normal}, [this] {
        while (!over) {
          ++turns;
          this_task::yield();
        }
      }));
    }
  }
};

TEST_P(priority_test, a_high_task_waits_for_a_low_one_that_a_crowd_would_keep_from_running) {
  run([] {
    crowd normal;
    event gate;
    auto low = start({.priority = priority::low}, [&] { gate.wait(); });
    auto high = start({.priority = priority::high}, [&] {
      low.wait();
      normal.over = true;
    });
    normal.gather(20);
    gate.set();
    wait(high, low);
    wait_all(normal.all);
  });
}

TEST_P(priority_order, the_one_lent_to_runs_before_the_normal_ones) {
  std::string order;
  run([&] {
    auto low = start({.priority = priority::low}, [&] { order += 'l'; });
    for (int i = 0; i < 3; ++i) start([&] { order += 'n'; });
    start({.priority = priority::high}, [&, low] {
      order += 'h';
      low.wait();
      order += 'H';
    });
  });
  EXPECT_EQ(order, "hlHnnn");
}

TEST_P(priority_order, lent_down_a_chain_of_three) {
  std::string order;
  event gate;
  run([&] {
    auto last = start({.priority = priority::low}, [&] {
      gate.wait();
      order += '3';
    });
    auto middle = start({.priority = priority::low}, [&, last] { last.wait(), order += '2'; });
    auto first = start({.priority = priority::low}, [&, middle] { middle.wait(), order += '1'; });
    event waiting;
    start({.priority = priority::low}, [&] { waiting.set(); });  // when all three wait
    waiting.wait();
    for (int i = 0; i < 3; ++i) start([&] { order += 'n'; });
    start({.priority = priority::high}, [&, first] {
      gate.set();
      first.wait();
      order += 'H';
    });
  });
  EXPECT_EQ(order, "321Hnnn");
}

TEST_P(priority_order, lent_to_the_holder_of_a_mutex) {
  std::string order;
  run([&] {
    mutex m;
    event gate, held;
    start({.priority = priority::low}, [&] {
      m.lock();
      held.set();
      gate.wait();
      order += 'l';
      m.unlock();
    });
    held.wait();
    for (int i = 0; i < 3; ++i) start([&] { order += 'n'; });
    auto high = start({.priority = priority::high}, [&] {
      gate.set();  // the low one is ready now, as low
      m.lock();
      order += 'H';
      m.unlock();
    });
    high.wait();
  });
  EXPECT_EQ(order, "lHnnn");
}

TEST_P(priority_test, inversion_through_a_mutex_ends) {
  run([] {
    mutex m;
    crowd normal;
    event held, gate;
    auto low = start({.priority = priority::low}, [&] {
      m.lock();
      held.set();
      gate.wait();
      m.unlock();
    });
    held.wait();
    auto high = start({.priority = priority::high}, [&] {
      m.lock();
      normal.over = true;
      m.unlock();
    });
    normal.gather(20);
    gate.set();
    wait(high, low);
    wait_all(normal.all);
  });
}

TEST_P(priority_test, a_mutex_whose_holder_waits_for_a_task) {
  run([] {
    mutex m;
    crowd normal;
    event held, gate;
    auto helper = start({.priority = priority::low}, [&] { gate.wait(); });
    auto low = start({.priority = priority::low}, [&] {
      m.lock();
      held.set();
      helper.wait();
      m.unlock();
    });
    held.wait();
    auto high = start({.priority = priority::high}, [&] {
      m.lock();
      normal.over = true;
      m.unlock();
    });
    normal.gather(20);
    gate.set();
    wait(high, low, helper);
    wait_all(normal.all);
  });
}

TEST_P(priority_test, lending_while_all_ends_and_changes) {
  run([] {
    const auto rounds = hocket_test::sized(300, 40);
    for (long r = 0; r < rounds; ++r) {
      mutex m;
      std::vector<task<int>> all;
      for (int i = 0; i < 12; ++i) {
        const task_attributes a{.priority = all_levels[i % 3]};
        const task<int> before = all.empty() ? task<int>{} : all.back();
        const auto f = [&m, before, i] {
          if (i % 4 == 0) {
            m.lock();
            this_task::yield();
            m.unlock();
          }
          if (i % 5 == 1) this_task::yield();
          return before.valid() ? before.get() + 1 : 1;
        };
        all.push_back(i % 2 == 0 ? start(a, f) : spawn(a, f));
      }
      EXPECT_EQ(all.back().get(), 12);
    }
  });
}

}  // namespace
