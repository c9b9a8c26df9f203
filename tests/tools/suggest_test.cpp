// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suggestion for a mistyped name.
#include "suggest.hpp"

#include <gtest/gtest.h>

using hocket::tool::closest;

TEST(Suggest, FindsTheNearestName) {
  const std::vector<std::string> names = {"fib", "flat", "nqueens", "blocking"};
  EXPECT_EQ(closest("fbi", names), "fib");
  EXPECT_EQ(closest("nqueen", names), "nqueens");
  EXPECT_EQ(closest("flatt", names), "flat");
  EXPECT_EQ(closest("bloking", names), "blocking");
}

TEST(Suggest, IsSilentAboutUnrelatedNames) {
  EXPECT_EQ(closest("zzzzzzz", {"fib", "flat"}), "");
  EXPECT_EQ(closest("fib", {}), "");
}

TEST(Suggest, PrefersTheFirstOfEquallyNearNames) { EXPECT_EQ(closest("ax", {"ab", "ac"}), "ab"); }

TEST(Suggest, TakesAnEmptyName) { EXPECT_EQ(closest("", {"a", "abcd"}), "a"); }
