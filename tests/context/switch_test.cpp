// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The context switch itself: callee-saved registers, floating-point environment, alignment of a fresh stack.
#include "context/context.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cstdint>
#include <memory>

#include "switch_registers.hpp"

namespace {
using namespace hocket::detail;
using namespace hocket_test;

constexpr std::size_t stack_bytes = 64 * 1024;

/// A second context that runs `body` again and again; the test's own is `here`.
struct other_context {
  static inline context here, there;
  static inline void (*body)();
  std::unique_ptr<char[]> stack{new char[stack_bytes]};

  static void loop() {
    for (;;) {
      body();
      spoil_registers();  // here, so that nothing puts them back before the switch
      switch_full(there, here);
    }
  }
  explicit other_context(void (*f)()) {
    body = f;
    char* top = stack.get() + stack_bytes;
    prepare(there, reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15}),
            stack_bytes - 16, &loop);
  }
  [[gnu::noinline]] void enter() { switch_full(here, there); }  // out of line: the ABI is kept across it
};

int entered = 0;

TEST(context_switch, goes_there_and_back) {
  entered = 0;
  other_context other([] { ++entered; });
  for (int i = 0; i < 1000; ++i) other.enter();
  EXPECT_EQ(entered, 1000);
}

TEST(context_switch, a_fresh_stack_is_aligned) {
  static std::uintptr_t where;
  other_context other([] {
    alignas(64) char local[64];
    asm volatile("" : : "r"(local) : "memory");
    where = reinterpret_cast<std::uintptr_t>(local);
    volatile double x = 1.5;  // movaps faults on a stack that is off by eight
    x = x * 2;
  });
  other.enter();
  EXPECT_EQ(where % 64, 0u);
}

TEST(context_switch, callee_saved_registers_are_kept) {
  other_context other([] {});
  for (std::uint64_t i = 1; i < 100; ++i) {
    std::uint64_t expected[kept_registers], seen[kept_registers];
    for (unsigned k = 0; k < kept_registers; ++k) expected[k] = i * (2 * k + 1);
    enter_with_registers(other, expected, seen);
    for (unsigned k = 0; k < kept_registers; ++k) ASSERT_EQ(seen[k], expected[k]) << "register " << k;
  }
}

TEST(context_switch, the_floating_point_environment_is_each_contexts_own) {
  static int step = 0;
  static control_words words_there;
  step = 0;
  other_context other([] {
    if (step++ == 0) {
      std::fesetround(FE_UPWARD);
      change_second_control_word();
    }
    words_there = read_control_words();
  });
  const control_words mine = read_control_words();
  for (int i = 0; i < 3; ++i) {
    other.enter();
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    EXPECT_EQ(read_control_words(), mine);
    EXPECT_NE(words_there[0], mine[0]);
    EXPECT_NE(words_there[1], mine[1]);
  }
}

#if !defined(HOCKET_SWITCH_BOOST)
TEST(context_switch, shared_leaves_the_floating_point_environment_alone) {
  static context here, there;
  static std::unique_ptr<char[]> stack(new char[stack_bytes]);
  prepare(there,
          reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(stack.get() + stack_bytes) &
                                  ~std::uintptr_t{15}),
          stack_bytes - 16, [] {
            for (;;) {
              std::fesetround(FE_UPWARD);
              switch_shared(there, here);
            }
          });
  switch_shared(here, there);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
}
#endif

}  // namespace
