// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timer wheel by itself, with times given by hand: each timer expires at its time, not before and not
// after, against a sorted list as judge.
#include "sched/timers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "base/clock.hpp"
#include "support/workers.hpp"

namespace {
using namespace hocket::detail;

constexpr deadline tick = 1 << 16;  // the wheel's; the tests hold for any
constexpr deadline second = 1'000'000'000, year = 366 * 24 * 3600 * second;

/// The wheel never looks into the task that a timer starts.
descriptor* some_task() {
  static descriptor d{};
  return &d;
}

class timers_test : public ::testing::Test {
 protected:
  timer* set(deadline due) {
    auto t = std::make_unique<timer>();
    t->due = due;
    t->starts = some_task();
    const deadline before =
        wheel_.next();  // may be too early, after a removal: then somebody wakes for it anyway
    EXPECT_EQ(wheel_.add(t.get()), due < before) << "whether somebody must be told";
    pending_.insert(t.get());
    made_.push_back(std::move(t));
    check();
    return made_.back().get();
  }
  void remove(timer* t) {
    EXPECT_TRUE(wheel_.remove(t));
    EXPECT_FALSE(wheel_.remove(t)) << "it is off";
    pending_.erase(t);
    check();
  }
  /// Expires at `now`, until nothing more is said to be due; exactly those are off that were.
  std::size_t expire(deadline now) {
    expired_at_ = now;
    std::size_t n = 0;
    for (int calls = 0; calls == 0 || wheel_.next() <= now; ++calls) {
      std::size_t at_once = 0;
      for (timer* t = wheel_.expire(now).starts; t != nullptr; ++at_once) {
        timer* next = t->next;
        EXPECT_LE(t->due, now) << "too early by " << t->due - now;
        EXPECT_EQ(pending_.erase(t), 1u) << "twice, or not set";
        EXPECT_FALSE(wheel_.remove(t));
        order_.push_back(t->due);
        t = next;
      }
      EXPECT_LE(at_once, timer_wheel::most_at_once);
      n += at_once;
      check();
      EXPECT_TRUE(calls == 0 || at_once != 0) << "who keeps the time would not sleep";
      if (calls > 0 && at_once == 0) break;
    }
    EXPECT_TRUE(pending_.empty() || (*pending_.begin())->due > now) << "left behind";
    return n;
  }
  void check() {
    EXPECT_EQ(wheel_.pending(), pending_.size());
    if (pending_.empty()) {
      EXPECT_EQ(wheel_.next(), never);
    } else {
      // Of those that are due already, but were too many for one call, it says that they are due now.
      EXPECT_LE(wheel_.next(), std::max((*pending_.begin())->due, expired_at_)) << "it would be woken late";
    }
  }

  struct earlier {
    bool operator()(const timer* a, const timer* b) const {
      return a->due != b->due ? a->due < b->due : a < b;
    }
  };
  const deadline now_ = now_ns();  // before the wheel's own beginning
  timer_wheel wheel_{now_};
  const deadline start_ = now_ns() + tick;  // after it
  std::set<timer*, earlier> pending_;
  std::vector<std::unique_ptr<timer>> made_;
  deadline expired_at_ = 0;
  std::vector<deadline> order_;  // in which they expired
};

TEST_F(timers_test, none) {
  EXPECT_EQ(wheel_.next(), never);
  EXPECT_EQ(expire(start_), 0u);
  EXPECT_EQ(expire(start_ + year), 0u);
  EXPECT_EQ(expire(never - 1), 0u);
}

TEST_F(timers_test, one_at_every_distance_is_exact_to_the_nanosecond) {
  deadline now = start_;
  for (deadline distance = 1; distance <= 100 * year; distance = distance * 3 / 2 + 1) {
    set(now + distance);
    EXPECT_EQ(expire(now + distance - 1), 0u) << distance;
    EXPECT_EQ(expire(now + distance), 1u) << distance;
    now += distance;
    if (now > never / 4) break;
  }
}

TEST_F(timers_test, at_the_borders_of_every_level) {
  deadline now = start_;
  for (unsigned level = 0; level <= 6; ++level) {
    const deadline border = tick << (6 * level);
    for (const deadline off :
         {-tick - 1, -tick, deadline{-1}, deadline{0}, deadline{1}, tick - 1, tick, tick + 1}) {
      set(now + border + off);
    }
    set((now / border + 1) * border);
    set((now / border + 1) * border - 1);
    set((now / border + 64) * border);
    set((now / border + 64) * border - 1);
  }
  while (!pending_.empty()) {
    const deadline due = (*pending_.begin())->due;
    expire(std::max(now, due - 1));
    expire(now = std::max(now, due));
  }
}

TEST_F(timers_test, due_in_the_past_or_at_once) {
  set(now_ - second);
  set(0);
  set(1);
  set(start_);
  EXPECT_EQ(expire(start_), 4u);
  expire(start_ + year);
  set(start_);  // the wheel has gone on for a year
  set(start_ + year);
  EXPECT_EQ(expire(start_ + year), 2u);
}

TEST_F(timers_test, a_clock_that_stands_or_goes_back_does_no_harm) {
  set(start_ + 10 * tick);
  expire(start_ + 5 * tick);
  expire(start_ + 5 * tick);
  EXPECT_TRUE(wheel_.expire(start_).starts == nullptr);
  set(start_ + 7 * tick);
  EXPECT_EQ(expire(start_ + 10 * tick), 2u);
}

TEST_F(timers_test, removed_first_last_and_between) {
  std::vector<timer*> all;
  for (int i = 0; i < 30; ++i) all.push_back(set(start_ + second + i % 3));
  for (const std::size_t i : {0u, 29u, 15u, 1u, 28u}) remove(all[i]);
  EXPECT_EQ(expire(start_ + second + 3), 25u);
  timer* alone = set(start_ + 2 * second);
  remove(alone);
  EXPECT_EQ(expire(start_ + 3 * second), 0u);
}

TEST_F(timers_test, many_at_one_moment) {
  for (int i = 0; i < 1000; ++i) set(start_ + second);
  EXPECT_EQ(expire(start_ + second - 1), 0u);
  EXPECT_EQ(expire(start_ + second), 1000u);
}

TEST_F(timers_test, many_at_many_moments_come_in_order) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 3000; ++i)
    set(start_ + static_cast<deadline>(random() % (std::uint64_t{1} << (random() % 40))));
  expire(start_ + second / 1000);
  expire(start_ + year);
  EXPECT_EQ(order_.size(), 3000u);
  for (std::size_t i = 1; i < order_.size(); ++i)
    EXPECT_LE(order_[i - 1] / tick, order_[i] / tick) << "to a tick";
}

TEST_F(timers_test, who_sleeps_until_next_gets_there_in_few_steps) {
  std::mt19937_64 random(1);
  deadline now = start_;
  for (const int crowd : {1, 16, 17, 300, 1000}) {
    for (int i = 0; i < crowd; ++i) set(now + year / 100 + static_cast<deadline>(random() % 1000));
    for (int steps = 0; !pending_.empty(); ++steps) {
      ASSERT_LT(steps, crowd + 10) << "a step a level, and a step a timer";
      now = wheel_.next();
      ASSERT_NE(now, never);
      expire(now);
    }
  }
}

TEST_F(timers_test, random_ones_against_a_sorted_list) {
  std::mt19937_64 random(20);
  deadline now = start_;
  std::size_t expired = 0, removed = 0;
  const auto any_distance = [&] {
    return static_cast<deadline>(random() % (std::uint64_t{1} << (random() % 56)));
  };
  const long n = hocket_test::sized(100'000, 20'000);
  for (long i = 0; i < n; ++i) {
    timer* t = set(now + any_distance() - 3);  // up to a year and beyond what the wheel's levels reach
    if (random() % 4 == 0) remove(t), ++removed;
    if (random() % 3 == 0 && !pending_.empty()) {
      const auto some = std::next(pending_.begin(),
                                  static_cast<long>(random() % std::min<std::size_t>(pending_.size(), 5)));
      if (random() % 2 == 0 || (*some)->due > now + year / 1000) {
        remove(*some);
        ++removed;
      } else {
        now = std::max(now, (*some)->due);
        expired += expire(now);
      }
    } else if (random() % 5 == 0) {
      now += any_distance() % (year / 10000);
      expired += expire(now);
    }
  }
  while (!pending_.empty()) {
    now = std::max(now, (*pending_.rbegin())->due);
    expired += expire(now);
  }
  EXPECT_EQ(expired + removed, static_cast<std::size_t>(n));
  EXPECT_GT(expired, static_cast<std::size_t>(n) / 10);
}

}  // namespace
