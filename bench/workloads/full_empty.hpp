// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How words with a full/empty state are measured: a value handed to and fro between two tasks, and the cost
// of the operations when nobody waits. A Word has put(long), which waits for it to be empty and fills it, and
// long take(), which waits for it to be full and empties it.
#pragma once

#include <mutex>

#include "common/harness.hpp"

namespace hkbench {

/// cache_lines keeps what one task writes away from what others read.
constexpr std::size_t cache_lines = 128;

/// hand_to_and_fro() passes `rounds` values from one task to another through x and back through y, and
/// returns the seconds. `run(2, body)` must run body(0) and body(1) as two tasks that begin together, and
/// return the seconds until both have ended.
template <class Word, class Run>
double hand_to_and_fro(Word& x, Word& y, long rounds, Run run) {
  long wrong = 0;
  const double seconds = run(2, [&](long task) {
    if (task == 0) {
      for (long i = 0; i < rounds; ++i) {
        x.put(i);
        wrong += y.take() != i ? 1 : 0;
      }
    } else {
      for (long i = 0; i < rounds; ++i) y.put(x.take());
    }
  });
  check_equal("the number of values that came back changed", wrong, 0);
  return seconds;
}

/// run_feb() samples hand-overs between new words. The parameters were read already, but for `rounds`.
template <class Word, class Run>
void run_feb(request& rq, Run run) {
  const long rounds = rq.number("rounds", 100000, 1, 1000000000);
  rq.check_all_read();
  sample(rq, "ns_per_handoff", static_cast<double>(rounds) * 2, [&] {
    alignas(cache_lines) Word x;
    alignas(cache_lines) Word y;
    return hand_to_and_fro(x, y, rounds, run);
  });
}

/// guarded_word is what `sync` measures of those who have mutexes only: one over a flag and a value, without
/// the condition variables that waiting would need.
template <class Mutex>
class guarded_word {
 public:
  void put(long value) {
    const std::lock_guard hold(mutex_);
    if (full_) throw check_failed("a word is full that should be empty");
    full_ = true;
    value_ = value;
  }
  long take() {
    const std::lock_guard hold(mutex_);
    if (!full_) throw check_failed("a word is empty that should be full");
    full_ = false;
    return value_;
  }

 private:
  Mutex mutex_;
  bool full_ = false;
  long value_ = 0;
};

/// run_sync() samples pairs of put and take by one task; nobody waits.
template <class Word>
void run_sync(request& rq) {
  const long pairs = rq.number("pairs", 1000000, 1, 1000000000);
  rq.check_all_read();
  for (unsigned round = 0; round <= rq.samples(); ++round) {
    alignas(cache_lines) Word word;
    long sum = 0;
    const double seconds = seconds_of([&] {
      for (long i = 0; i < pairs; ++i) {
        word.put(i);
        sum += word.take();
      }
    });
    check_equal("the sum of the values taken", sum, pairs * (pairs - 1) / 2);
    if (round == 0) continue;  // to warm up
    const double ns = seconds * 1e9 / static_cast<double>(pairs);
    rq.row("ns_per_op", "ns", ns / 2);
    rq.row("ns_per_pair", "ns", ns);
  }
}

}  // namespace hkbench
