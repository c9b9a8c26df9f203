// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stacks for which no guard page can be had: said once, watched by a canary, reported when overrun.
#include <alloca.h>

#include <cstring>

#include "context/death_style.hpp"
#include "context/stack_arena.hpp"
#include "support/workers.hpp"

namespace {
using namespace hocket;

/// From now on, stacks come without guards.
void give_up_guards() {
  detail::guards().install = false;
  detail::guards().mprotect_most = 0;
}

/// Writes all that is left of the stack, and `beyond` bytes more.
[[gnu::noinline]] void fill_stack(std::size_t beyond) {
  const std::size_t left = this_task::stack_left();
  const std::size_t n = beyond == 0 ? left - 4096 : left + beyond;
  void* p = alloca(n);
  std::memset(p, 1, beyond == 0 ? n : 256);
  asm volatile("" : : "r"(p) : "memory");
}

void run_unguarded(std::size_t beyond) {
  give_up_guards();
  run({.workers = 1}, [&] {
    const auto t = start({.name = "greedy"}, [&] { fill_stack(beyond); });
    t.wait();
  });
}

TEST(canary, a_stack_without_guard_works_and_is_said_once) {
  ::testing::internal::CaptureStderr();
  run_unguarded(0);
  run_unguarded(0);
  const std::string text = ::testing::internal::GetCapturedStderr();
  const std::size_t first = text.find("hocket: no guard pages for further stacks");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("hocket: no guard pages", first + 1), std::string::npos) << text;
}

TEST(canary, an_overrun_is_reported_with_task_size_and_setting) {
  hocket_test::choose_death_style();
  EXPECT_DEATH(
      run_unguarded(64),
      "stack overflow in task '.*its stack of 49152 bytes, which has no guard page.*--hk-stack-size 98304");
}

}  // namespace
