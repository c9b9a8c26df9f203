// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dijkstra's dining philosophers: each a real task, each fork a mutex, and three orders to take the forks in.
#pragma once

#include <hocket/hocket.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "philosophers/seats.hpp"

namespace hocket::apps {

// With one philosopher there would be one fork only, and two are needed.
inline constexpr std::size_t fewest_philosophers = 2;
inline constexpr std::size_t most_philosophers = 100'000;

enum class fork_order {
  ordered,   // the fork with the lower number first: no circle of waiters can close
  naive,     // left, then right: if all hold their left fork, all wait for ever
  arbiter,   // left, then right, but one philosopher fewer than there are may be seated at once
  deadlock,  // left, then right once all hold their left fork: all wait for ever, for certain
};

// dinner is one table. The numbers that forks and philosophers count are plain: they show that the mutexes
// work.
class dinner {
 public:
  dinner(std::size_t philosophers, std::uint64_t meals, fork_order order)
      : meals_(meals), order_(order), forks_(philosophers), eaten_(philosophers), seats_(philosophers - 1) {
    for (std::size_t i = 0; i < philosophers; ++i) names_.push_back("philosopher " + std::to_string(i));
  }

  // serve() is called once, by a task. It returns when everybody has eaten all meals; in the order
  // `deadlock`, and perhaps in the order `naive`, that is never.
  void serve() {
    std::vector<task<void>> philosophers;
    philosophers.reserve(size());
    try {
      for (std::size_t i = 0; i < size(); ++i) {
        philosophers.push_back(start({.name = names_[i].c_str()}, [this, i] { live(i); }));
      }
    } catch (...) {  // no memory for so many: those who sit already need the table until they have eaten
      wait_all(philosophers);
      throw;
    }
    for (const auto& philosopher : philosophers) philosopher.get();
  }

  std::size_t size() const { return forks_.size(); }
  // eaten() tells how many meals each philosopher has had.
  const std::vector<std::uint64_t>& eaten() const { return eaten_; }
  // fork_uses() tells how often a fork was used for a meal, over all forks: twice a meal.
  std::uint64_t fork_uses() const {
    std::uint64_t sum = 0;
    for (const fork& f : forks_) sum += f.uses;
    return sum;
  }
  // clashes() tells how often a philosopher found a fork, which he held, in somebody else's hand.
  std::uint64_t clashes() const { return clashes_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t nobody = ~std::size_t{0};
  struct fork {
    hocket::mutex mutex;
    std::size_t holder = nobody;
    std::uint64_t uses = 0;
  };

  void live(std::size_t i) {
    fork* first = &forks_[i];
    fork* second = &forks_[(i + 1) % size()];
    if (order_ == fork_order::ordered && second < first) std::swap(first, second);
    for (std::uint64_t meal = 0; meal < meals_; ++meal) {
      if (order_ == fork_order::arbiter) seats_.take();
      dine(i, *first, *second);
      if (order_ == fork_order::arbiter) seats_.give_up();
    }
  }

  void dine(std::size_t i, fork& first, fork& second) {
    const std::lock_guard one(first.mutex);
    pick_up(i, first);
    between_forks();
    const std::lock_guard other(second.mutex);
    pick_up(i, second);
    this_task::yield();  // eats, while neighbours get hungry
    put_down(i, second);
    put_down(i, first);
    ++eaten_[i];
  }

  // Holds one fork and reaches for the other: the moment at which the naive order can go wrong.
  void between_forks() {
    if (order_ != fork_order::deadlock) {
      this_task::yield();
    } else if (hold_one_.fetch_add(1, std::memory_order_relaxed) + 1 == size()) {
      all_hold_one_.set();
    } else {
      all_hold_one_.wait();
    }
  }

  void pick_up(std::size_t i, fork& f) {
    if (f.holder != nobody) clash();
    f.holder = i;
  }
  void put_down(std::size_t i, fork& f) {
    if (f.holder != i) clash();
    f.holder = nobody;
    ++f.uses;
  }
  void clash() { clashes_.fetch_add(1, std::memory_order_relaxed); }

  std::uint64_t meals_;
  fork_order order_;
  std::vector<fork> forks_;
  std::vector<std::uint64_t> eaten_;  // each written by its philosopher only
  std::vector<std::string> names_;
  seats seats_;
  hocket::event all_hold_one_;
  std::atomic<std::size_t> hold_one_{0};   // relaxed: a count; the event orders what follows
  std::atomic<std::uint64_t> clashes_{0};  // relaxed: read after the tasks have been waited for
};

}  // namespace hocket::apps
