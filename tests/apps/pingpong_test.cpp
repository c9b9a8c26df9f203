// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pingpong: every way hands over every value, once and in order; pinned pairs always cross workers; a wrong
// value is counted.
#include "pingpong/pingpong.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "support/workers.hpp"

namespace {

using namespace hocket::apps;

class pingpong_test : public hocket_test::on_workers {
 protected:
  template <class Hand>
  void play(std::size_t pairs, std::uint64_t rounds, bool pin = false) {
    hocket::options o;
    if (pin) o.shepherds = workers();
    run(
        [&] {
          const auto before = since(&hocket::statistics::started);  // the main task counts as one
          const pingpong_tally is = play_pingpong<Hand>(pairs, rounds, pin);
          EXPECT_EQ(since(&hocket::statistics::started) - before, 2 * pairs);
          EXPECT_EQ(is.handoffs, 2 * pairs * rounds);
          EXPECT_EQ(is.wrong, 0u);
          EXPECT_GE(is.crossed, pin ? is.handoffs : 0);
          EXPECT_LE(is.crossed, workers() > 1 ? is.handoffs : 0);
        },
        o);
  }

  template <class Hand>
  void play_all() {
    const auto rounds = static_cast<std::uint64_t>(hocket_test::sized(3000, 300));
    for (const std::size_t pairs : {1, 2, 7}) {
      for (const std::uint64_t few : {0, 1, 2}) play<Hand>(pairs, few);
      play<Hand>(pairs, rounds);
    }
    play<Hand>(static_cast<std::size_t>(hocket_test::sized(5000, 200)), 3);
    if (workers() == 1) return;
    play<Hand>(1, rounds, true);
    play<Hand>(100, rounds / 100, true);
  }
};
HOCKET_ON_ALL_WORKERS(pingpong_test);

TEST_P(pingpong_test, word) {
  play_all<by_word>();
  EXPECT_EQ(hocket::detail::full_empty_entries(), 0u);
}
TEST_P(pingpong_test, sync) { play_all<by_sync>(); }
TEST_P(pingpong_test, channel) { play_all<by_channel>(); }
TEST_P(pingpong_test, condition) { play_all<by_condition>(); }
TEST_P(pingpong_test, event) { play_all<by_event>(); }

// Changes every value that is a multiple of 10.
class forgetful {
 public:
  void put(long value) { hand_.put(value % 10 == 0 ? -1 : value); }
  long take() { return hand_.take(); }

 private:
  by_event hand_;
};

TEST_P(pingpong_test, wrong_values_are_counted) {
  run([&] {
    const pingpong_tally is = play_pingpong<forgetful>(3, 100, false);
    EXPECT_EQ(is.handoffs, 600u);
    EXPECT_EQ(is.wrong, 3 * (10 + 10)) << "0, 10, ..., 90 there, and 10, 20, ..., 100 back";
  });
}

}  // namespace
