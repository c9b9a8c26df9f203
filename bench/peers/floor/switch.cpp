// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The smallest context switch that keeps the ABI: six registers, a stack pointer and an indirect jump, with
// and without the floating-point control words. x86-64 only; elsewhere the floor says that it is not there.
#include <sys/mman.h>

#include <cstdint>

#include "floor.hpp"

#if defined(__x86_64__)

extern "C" {
void hkbench_switch_shared(void** from, void* to);
void hkbench_switch_full(void** from, void* to);
}

// Both: push what the callee must keep, store the stack pointer, load the other one, pop, and leave by `jmp`:
// `ret` would be mispredicted, because the return predictor knows only the caller's address.
asm(R"(
.text
.globl hkbench_switch_shared
.type hkbench_switch_shared, @function
.p2align 4
hkbench_switch_shared:
  endbr64
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmp *%rcx
.size hkbench_switch_shared, .-hkbench_switch_shared

.globl hkbench_switch_full
.type hkbench_switch_full, @function
.p2align 4
hkbench_switch_full:
  endbr64
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmp *%rcx
.size hkbench_switch_full, .-hkbench_switch_full
)");

namespace hkbench {
namespace {

void* main_context;
void* other_context;
long switches_there;

template <auto Switch>
[[noreturn]] void bounce() {
  for (;;) {
    ++switches_there;
    Switch(&other_context, main_context);
  }
}

/// prepare() lays out a fresh stack as if bounce() had just been switched away from at its first instruction.
template <auto Switch>
void prepare(void* stack, std::size_t size, bool full) {
  auto* top = reinterpret_cast<std::uint64_t*>(static_cast<char*>(stack) + size);
  *--top = 0;  // keeps the stack aligned at the entry as a call would have left it
  *--top = reinterpret_cast<std::uint64_t>(&bounce<Switch>);
  for (int i = 0; i < 6; ++i) *--top = 0;
  if (full) {
    std::uint32_t mxcsr = 0;
    std::uint16_t x87 = 0;
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87));
    *--top = (static_cast<std::uint64_t>(x87) << 32) | mxcsr;
  }
  other_context = top;
}

template <auto Switch>
void measure(request& rq, const char* metric, bool full) {
  const long pairs = rq.number("switches", 20000000, 2, 2000000000) / 2;
  rq.check_all_read();
  constexpr std::size_t stack_size = 64 * 1024;
  void* stack = mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) throw check_failed("no memory for a stack");
  prepare<Switch>(stack, stack_size, full);
  sample(rq, metric, static_cast<double>(pairs) * 2, [&] {
    switches_there = 0;
    const double seconds = seconds_of([&] {
      for (long i = 0; i < pairs; ++i) Switch(&main_context, other_context);
    });
    check_equal("the number of switches", switches_there, pairs);
    return seconds;
  });
  munmap(stack, stack_size);
}

}  // namespace

void floor_switch(request& rq) {
  if (rq.choice("abi", {"full", "shared"}) == "full") {
    measure<hkbench_switch_full>(rq, "ns_per_switch", true);
  } else {
    measure<hkbench_switch_shared>(rq, "ns_per_switch", false);
  }
}

void floor_yield(request& rq) { measure<hkbench_switch_full>(rq, "ns_per_yield", true); }

}  // namespace hkbench

#else

namespace hkbench {

void floor_switch(request&) { throw bad_usage("the floor of a switch is written for x86-64 only"); }
void floor_yield(request&) { throw bad_usage("the floor of a yield is written for x86-64 only"); }

}  // namespace hkbench

#endif
