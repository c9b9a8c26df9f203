// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// philosophers: every order that cannot deadlock feeds all of them, and no fork is ever in two hands. The
// orders that deadlock are tested by programs_test.py, since they end the process.
#include "philosophers/dinner.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "support/workers.hpp"

namespace {

using namespace hocket::apps;

class philosophers_test : public hocket_test::on_workers {
 protected:
  void dine(std::size_t philosophers, std::uint64_t meals, fork_order order) {
    dinner table(philosophers, meals, order);
    run([&] {
      const auto before = since(&hocket::statistics::started);  // the main task counts as one
      table.serve();
      EXPECT_EQ(since(&hocket::statistics::started) - before, philosophers);
    });
    EXPECT_EQ(table.eaten(), std::vector<std::uint64_t>(philosophers, meals));
    EXPECT_EQ(table.fork_uses(), 2 * philosophers * meals);
    EXPECT_EQ(table.clashes(), 0u);
  }
};
HOCKET_ON_ALL_WORKERS(philosophers_test);

TEST_P(philosophers_test, ordered) {
  for (const std::size_t n : {2, 3, 5, 100}) dine(n, 300, fork_order::ordered);
}

TEST_P(philosophers_test, arbiter) {
  for (const std::size_t n : {2, 3, 5, 100}) dine(n, 300, fork_order::arbiter);
}

TEST_P(philosophers_test, no_meals_and_one) {
  for (const fork_order order : {fork_order::ordered, fork_order::naive, fork_order::arbiter}) {
    dine(fewest_philosophers, 0, order);
    dine(5, 0, order);
  }
  dine(fewest_philosophers, 1, fork_order::ordered);
  dine(fewest_philosophers, 1, fork_order::arbiter);
}

TEST_P(philosophers_test, a_large_table) {
  dine(static_cast<std::size_t>(hocket_test::sized(20'000, 500)), 2, fork_order::ordered);
  dine(static_cast<std::size_t>(hocket_test::sized(20'000, 500)), 2, fork_order::arbiter);
}

class seats_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(seats_test);

TEST_P(seats_test, never_more_than_there_are) {
  for (const int count : {1, 2, 7}) {
    seats limit(static_cast<std::size_t>(count));
    std::atomic<int> seated{0}, most{0}, served{0};
    run([&] {
      std::vector<hocket::task<void>> guests;
      for (int i = 0; i < 50; ++i) {
        guests.push_back(hocket::start([&] {
          for (int visit = 0; visit < 20; ++visit) {
            limit.take();
            const int now = seated.fetch_add(1) + 1;
            for (int before = most.load(); before < now && !most.compare_exchange_weak(before, now);) {
            }
            hocket::this_task::yield();
            seated.fetch_sub(1);
            limit.give_up();
            ++served;
          }
        }));
      }
      hocket::wait_all(guests);
    });
    EXPECT_EQ(served, 1000);
    EXPECT_EQ(seated, 0);
    EXPECT_LE(most, count);
    // With more, a guest may come and go before the next is started.
    if (workers() == 1) {
      EXPECT_EQ(most, count) << "each yields on its seat, so that the next one comes";
    }
  }
}

}  // namespace
