// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ping-pong: pairs of tasks, each of which hands a value to and fro.
#pragma once

#include <hocket/hocket.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pingpong/hands.hpp"

namespace hocket::apps {

inline constexpr std::size_t most_pairs = 100'000;

// What came of a game.
struct pingpong_tally {
  std::uint64_t handoffs = 0;
  std::uint64_t crossed = 0;  // of these, taken on another worker than they were put on
  std::uint64_t wrong = 0;    // of these, those that brought another value than was due
};

// pingpong is a game of `pairs` pairs: in each of `rounds` rounds a value goes there, and one more comes
// back. The numbers that a hand-off carries beside the value are plain: they show that it orders memory.
template <class Hand>
class pingpong {
 public:
  pingpong(std::size_t pairs, std::uint64_t rounds, bool pin)
      : rounds_(static_cast<long>(rounds)), pin_(pin), pairs_(pairs) {}

  // play() is called by a task, and returns when all pairs have ended. With `pin` the two ends of a pair are
  // bound to neighbouring shepherds.
  pingpong_tally play() {
    std::vector<task<void>> ends;
    ends.reserve(2 * pairs_.size());
    try {
      for (std::size_t i = 0; i < 2 * pairs_.size(); ++i) {
        ends.push_back(hocket::start(attributes(i), [this, i] { play_end(i); }));
      }
    } catch (...) {  // no memory for so many: who plays already needs the other end
      if (ends.size() % 2 == 1) play_end(ends.size());
      wait_all(ends);
      throw;
    }
    for (const auto& end : ends) end.get();
    return tally();
  }

 private:
  // One direction of a pair; on cache lines of its own.
  struct alignas(128) lane {
    Hand hand;
    unsigned from = 0;  // the worker that has put
    std::uint64_t taken = 0, crossed = 0, wrong = 0;

    void put(long value) {
      from = this_task::worker();
      hand.put(value);
    }
    void take(long due) {
      wrong += hand.take() != due ? 1 : 0;
      crossed += from != this_task::worker() ? 1 : 0;
      ++taken;
    }
  };
  struct pair {
    lane there, back;
  };

  task_attributes attributes(std::size_t end) const {
    task_attributes a{.name = end % 2 == 0 ? "ping" : "pong"};
    if (pin_) a.shepherd = static_cast<unsigned>(end % hocket::shepherds());
    return a;
  }

  void play_end(std::size_t end) {
    pair& is = pairs_[end / 2];
    if (end % 2 == 0) {
      for (long i = 0; i < rounds_; ++i) {
        is.there.put(i);
        is.back.take(i + 1);
      }
    } else {
      for (long i = 0; i < rounds_; ++i) {
        is.there.take(i);
        is.back.put(i + 1);
      }
    }
  }

  pingpong_tally tally() const {
    pingpong_tally sum;
    for (const pair& is : pairs_) {
      for (const lane* one : {&is.there, &is.back}) {
        sum.handoffs += one->taken;
        sum.crossed += one->crossed;
        sum.wrong += one->wrong;
      }
    }
    return sum;
  }

  long rounds_;
  bool pin_;
  std::vector<pair> pairs_;
};

template <class Hand>
pingpong_tally play_pingpong(std::size_t pairs, std::uint64_t rounds, bool pin) {
  return pingpong<Hand>(pairs, rounds, pin).play();
}

}  // namespace hocket::apps
