// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stack that overflows is reported with the task's name, its size and the setting to change, and the
// process ends by SIGSEGV; faults elsewhere are left to whoever had them before.
#include "context/death_style.hpp"
#include "support/workers.hpp"

#include <csignal>
#include <cstdlib>

namespace {
using namespace hocket;

// A checker has handlers and guards of its own.
constexpr bool checked = HOCKET_TSAN || HOCKET_ASAN;

[[gnu::noinline]] long recurse(long n) {
  volatile char frame[512];
  frame[0] = static_cast<char>(n);
  return n == 0 ? 0 : recurse(n - 1) + frame[0];
}

/// A frame much larger than a page, so that it jumps; the compiler's probes or the first access hit the
/// guard.
[[gnu::noinline]] long large_frame() {
  volatile char frame[60 * 1024];
  frame[0] = 1;
  return frame[0];
}

class stack_overflow : public ::testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override {
    if (checked) GTEST_SKIP() << "the checker has a handler of its own";
    hocket_test::choose_death_style();
  }
};
INSTANTIATE_TEST_SUITE_P(workers, stack_overflow, ::testing::Values(1u, 2u),
                         ::testing::PrintToStringParamName());

const auto by_segv = ::testing::KilledBySignal(SIGSEGV);

TEST_P(stack_overflow, names_the_task_its_size_and_the_setting) {
  EXPECT_EXIT(run(options{.workers = GetParam()},
                  [] { start({.name = "deep one"}, [] { return recurse(1 << 20); }).get(); }),
              by_segv,
              "^hocket: stack overflow in task 'deep one': its stack of 49152 bytes is full.*"
              "task_attributes::stack_size.*--hk-stack-size.*HOCKET_STACK_SIZE");
}

TEST_P(stack_overflow, of_a_task_with_a_size_of_its_own) {
  EXPECT_EXIT(
      run(options{.workers = GetParam()},
          [] { spawn({.name = "larger", .stack_size = 1 << 20}, [] { return recurse(1 << 20); }).get(); }),
      by_segv, "stack overflow in task 'larger': its stack of 1048576 bytes is full");
}

TEST_P(stack_overflow, of_the_main_task) {
  EXPECT_EXIT(run(options{.workers = GetParam(), .stack_size = 64 * 1024}, [] { recurse(1 << 20); }), by_segv,
              "stack overflow in task 'main': its stack of 65536 bytes is full");
}

TEST_P(stack_overflow, by_one_large_frame) {
  EXPECT_EXIT(run(options{.workers = GetParam()},
                  [] { start({.name = "wide"}, [] { return large_frame(); }).get(); }),
              by_segv, "stack overflow in task 'wide'");
}

TEST_P(stack_overflow, of_a_forked_child_that_was_stolen) {
  EXPECT_EXIT(run(options{.workers = GetParam()},
                  [] {
                    event set;
                    fork_join([&] { set.wait(); }, [&] { recurse(1 << 20), set.set(); });
                  }),
              by_segv, "stack overflow in task '");
}

TEST_P(stack_overflow, a_null_pointer_is_none) {
  EXPECT_EXIT(run(options{.workers = GetParam()},
                  [] {
                    volatile int* p = nullptr;
                    *p = 1;
                  }),
              by_segv, hocket_test::nothing_said());
}

TEST_P(stack_overflow, the_programs_own_handler_gets_the_other_faults) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, [](int) { std::_Exit(33); });
        run(options{.workers = GetParam()}, [] {
          volatile int* p = nullptr;
          *p = 1;
        });
      },
      ::testing::ExitedWithCode(33), "^$");
}

TEST_P(stack_overflow, a_fault_after_the_run_is_not_ours) {
  EXPECT_EXIT(
      {
        run(options{.workers = GetParam()}, [] {});
        std::raise(SIGSEGV);
      },
      by_segv, hocket_test::nothing_said());
}

TEST_P(stack_overflow, what_fits_does_not_overflow) {
  run(options{.workers = GetParam()}, [] {
    EXPECT_EQ(start([] { return recurse(50) >= 0; }).get(), true);
    const std::size_t left = this_task::stack_left();
    EXPECT_GT(left, 40'000u);
    EXPECT_LE(left, this_task::stack_size());
  });
}

}  // namespace
