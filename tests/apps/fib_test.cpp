// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fib: all forms give the iterative value, and fork exactly as often as they say.
#include "fib/fib.hpp"

#include "support/workers.hpp"

namespace {

using namespace hocket::apps;

class fib_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(fib_test);

constexpr int arguments[] = {0, 1, 2, 3, 10, 24};

TEST(fib_value_test, first_and_last) {
  EXPECT_EQ(fib_value(0), 0);
  EXPECT_EQ(fib_value(1), 1);
  EXPECT_EQ(fib_value(2), 1);
  EXPECT_EQ(fib_value(10), 55);
  EXPECT_EQ(fib_value(fib_largest), 7540113804746346429);
}

TEST(fib_value_test, spawns_are_the_inner_nodes) {
  EXPECT_EQ(fib_spawns(0), 0);
  EXPECT_EQ(fib_spawns(1), 0);
  EXPECT_EQ(fib_spawns(2), 1);
  EXPECT_EQ(fib_spawns(3), 2);
  EXPECT_EQ(fib_spawns(38), 63245985);
}

TEST(fib_value_test, serial_recursion) {
  for (const int n : arguments) EXPECT_EQ(fib_serial(n), fib_value(n)) << n;
}

TEST_P(fib_test, structured) {
  for (const int n : arguments) {
    const auto before = since(&hocket::statistics::forked);
    long plain = -1;
    run([&] { plain = fib_structured(n); });
    EXPECT_EQ(plain, fib_value(n)) << n;
    EXPECT_EQ(since(&hocket::statistics::forked) - before, static_cast<std::uint64_t>(fib_spawns(n))) << n;
  }
}

TEST_P(fib_test, structured_leaf_inlined) {
  for (const int n : arguments) {
    const auto before = since(&hocket::statistics::forked);
    long inlined = -1;
    run([&] { inlined = fib_structured_leaf_inlined(n); });
    EXPECT_EQ(inlined, fib_value(n)) << n;
    EXPECT_EQ(since(&hocket::statistics::forked) - before, static_cast<std::uint64_t>(fib_spawns(n))) << n;
  }
}

TEST_P(fib_test, spawned) {
  for (const int n : arguments) {
    const auto before = since(&hocket::statistics::spawned);
    long plain = -1;
    long inlined = -1;
    run([&] {
      plain = fib_spawned(n);
      inlined = fib_spawned_leaf_inlined(n);
    });
    EXPECT_EQ(plain, fib_value(n)) << n;
    EXPECT_EQ(inlined, fib_value(n)) << n;
    EXPECT_EQ(since(&hocket::statistics::spawned) - before, 2 * static_cast<std::uint64_t>(fib_spawns(n)))
        << n;
  }
}

}  // namespace
