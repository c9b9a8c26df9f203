// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunked loops: every index once, pieces no larger than the grain, errors come out; with_stack changes
// stacks.
#include "common/chunks.hpp"

#include "common/deep.hpp"
#include "support/workers.hpp"

#include <atomic>
#include <limits>
#include <stdexcept>
#include <vector>

namespace {

using namespace hocket::apps;

class chunks_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(chunks_test);

TEST_P(chunks_test, every_index_once) {
  run([] {
    for (const std::size_t n : {0, 1, 2, 7, 1000})
      for (const std::size_t grain : {1, 2, 7, 1000, 2000}) {
        std::vector<std::atomic<int>> seen(n);
        std::atomic<bool> within_grain = true;
        for_chunks(0, n, grain, [&](std::size_t begin, std::size_t end) {
          if (end - begin > grain || begin >= end) within_grain = false;
          for (std::size_t i = begin; i < end; ++i) ++seen[i];
        });
        EXPECT_TRUE(within_grain) << n << " by " << grain;
        for (const auto& times : seen) EXPECT_EQ(times, 1) << n << " by " << grain;
      }
  });
}

TEST_P(chunks_test, reduce_adds_up) {
  run([] {
    const auto sum_of = [](std::size_t begin, std::size_t end) {
      std::size_t sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += i;
      return sum;
    };
    EXPECT_EQ(reduce_chunks(0, 0, 10, sum_of), 0u);
    EXPECT_EQ(reduce_chunks(0, 1, 10, sum_of), 0u);
    EXPECT_EQ(reduce_chunks(5, 1000, 1, sum_of), 499490u);
    EXPECT_EQ(reduce_chunks(0, 1000, 1000, sum_of), 499500u);
  });
}

TEST_P(chunks_test, an_error_in_a_piece_comes_out) {
  run([] {
    const auto body = [](std::size_t begin, std::size_t) {
      if (begin == 42) throw std::runtime_error("42");
    };
    EXPECT_THROW(for_chunks(0, 100, 1, body), std::runtime_error);
  });
}

TEST_P(chunks_test, with_stack_stays_where_there_is_room_and_else_gets_its_own) {
  run([] {
    constexpr std::size_t more_than_any = std::numeric_limits<std::size_t>::max();
    const auto here = hocket::this_task::id();
    EXPECT_EQ(with_stack([] { return hocket::this_task::id(); }, 1), here);
    EXPECT_NE(with_stack([] { return hocket::this_task::id(); }, more_than_any), here);
    EXPECT_THROW(with_stack([] { throw std::runtime_error("deep"); }, more_than_any), std::runtime_error);
  });
}

long descend(long levels) {
  if (levels == 0) return 0;
  return with_stack([levels] { return descend(levels - 1); }) + 1;
}

TEST_P(chunks_test, recursion_deeper_than_any_stack) {
  run([] { EXPECT_EQ(descend(hocket_test::sized(100'000, 10'000)), hocket_test::sized(100'000, 10'000)); },
      {.stack_size = 65536});
}

}  // namespace
