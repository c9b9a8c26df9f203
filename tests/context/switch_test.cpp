// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The context switch itself: callee-saved registers, floating-point environment, alignment of a fresh stack.
#include "context/context.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cstdint>
#include <memory>

namespace {
using namespace hocket::detail;

constexpr std::size_t stack_bytes = 64 * 1024;

/// A second context that runs `body` again and again; the test's own is `here`.
struct other_context {
  static inline context here, there;
  static inline void (*body)();
  std::unique_ptr<char[]> stack{new char[stack_bytes]};

  static void loop() {
    for (;;) {
      body();
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

#if defined(__x86_64__)
/// Fills the registers that a call must keep.
[[gnu::noinline]] void spoil_registers() {
  asm volatile("movq $-1, %%rbx\n\tmovq $-1, %%r12\n\tmovq $-1, %%r13\n\tmovq $-1, %%r14\n\tmovq $-1, %%r15"
               :
               :
               : "rbx", "r12", "r13", "r14", "r15", "memory");
}

TEST(context_switch, callee_saved_registers_are_kept) {
  other_context other(&spoil_registers);
  for (std::uint64_t i = 1; i < 100; ++i) {
    register std::uint64_t rbx asm("rbx") = i;
    register std::uint64_t r12 asm("r12") = i * 3;
    register std::uint64_t r13 asm("r13") = i * 5;
    register std::uint64_t r14 asm("r14") = i * 7;
    register std::uint64_t r15 asm("r15") = i * 11;
    asm volatile("" : "+r"(rbx), "+r"(r12), "+r"(r13), "+r"(r14), "+r"(r15));
    other.enter();
    asm volatile("" : "+r"(rbx), "+r"(r12), "+r"(r13), "+r"(r14), "+r"(r15));
    const std::uint64_t seen[] = {rbx, r12, r13, r14, r15};
    const std::uint64_t expected[] = {i, i * 3, i * 5, i * 7, i * 11};
    for (int k = 0; k < 5; ++k) ASSERT_EQ(seen[k], expected[k]);
  }
}

std::uint32_t mxcsr() {
  std::uint32_t w;
  asm volatile("stmxcsr %0" : "=m"(w));
  return w & 0xffc0;  // control bits: status flags are not kept by a call
}
std::uint16_t x87_word() {
  std::uint16_t w;
  asm volatile("fnstcw %0" : "=m"(w));
  return w;
}
void set_x87_word(std::uint16_t w) { asm volatile("fldcw %0" : : "m"(w)); }

std::uint32_t mxcsr_there;
std::uint16_t x87_there;

TEST(context_switch, the_floating_point_environment_is_each_contexts_own) {
  static int step = 0;
  step = 0;
  other_context other([] {
    if (step++ == 0) {
      std::fesetround(FE_UPWARD);
      set_x87_word(static_cast<std::uint16_t>(x87_word() & ~0x300));  // single precision
    }
    mxcsr_there = mxcsr();
    x87_there = x87_word();
  });
  const std::uint32_t mine = mxcsr();
  const std::uint16_t my_x87 = x87_word();
  for (int i = 0; i < 3; ++i) {
    other.enter();
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    EXPECT_EQ(mxcsr(), mine);
    EXPECT_EQ(x87_word(), my_x87);
    EXPECT_NE(mxcsr_there, mine);
    EXPECT_NE(x87_there, my_x87);
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
#endif

}  // namespace
