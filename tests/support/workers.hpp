// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fixture of tests that run tasks: each test over 1, 2, 8 and 64 workers; at the end nothing made is left
// behind.
#pragma once
#include <hocket/hocket.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include <cstdint>
#include <utility>

namespace hocket_test {
using namespace hocket;

/// Every task that a test made has ended, and every child that it forked has been joined.
inline void expect_all_ended(const statistics& before, const statistics& after) {
  const auto made = [](const statistics& s) { return s.spawned + s.begun + s.started; };
  EXPECT_EQ(made(after) - made(before), after.finished - before.finished) << "tasks made, tasks finished";
  EXPECT_EQ(after.forked - before.forked,
            after.joined_inline - before.joined_inline + after.joined_stolen - before.joined_stolen)
      << "children forked, children joined";
}

class on_workers : public ::testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override { before_ = stats(); }
  void TearDown() override { expect_all_ended(before_, stats()); }

  unsigned workers() const { return GetParam(); }
  options with_workers(options o = {}) const {
    o.workers = workers();
    return o;
  }
  /// Runs f as the main task on this test's number of workers.
  template <class F>
  int run(F f, options o = {}) {
    return hocket::run(with_workers(std::move(o)), std::move(f));
  }
  /// What the test has counted so far.
  std::uint64_t since(std::uint64_t statistics::* count) const { return stats().*count - before_.*count; }

 private:
  statistics before_;
};

/// Sizes: as asked in plain builds, smaller where a checker makes everything ten times slower.
inline constexpr long sized(long plain, long checked) { return HOCKET_TSAN || HOCKET_ASAN ? checked : plain; }

/// The text of the exception that comes out of f; empty if none does.
template <class F>
std::string thrown_by(F f) {
  try {
    f();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

}  // namespace hocket_test

/// Runs every TEST_P of the fixture over the usual numbers of workers.
#define HOCKET_ON_ALL_WORKERS(fixture)                                           \
  INSTANTIATE_TEST_SUITE_P(workers, fixture, ::testing::Values(1u, 2u, 8u, 64u), \
                           ::testing::PrintToStringParamName())
