// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The smallest context switch that keeps the ABI: six registers, a stack pointer and an indirect jump, with
// and without the floating-point control words. x86-64 only; elsewhere the floor says that it is not there.
#include <sys/mman.h>

#include <cstddef>
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

/// control_words are the floating-point state that the full ABI asks a call to keep.
struct control_words {
  std::uint32_t mxcsr = 0;
  std::uint16_t x87 = 0;
};

/// by_call is a context that is switched by a call: the callee keeps six registers on the stack that it
/// leaves.
template <bool Full>
struct by_call {
  void* sp = nullptr;

  static void go(by_call& from, by_call& to) {
    if constexpr (Full)
      hkbench_switch_full(&from.sp, to.sp);
    else
      hkbench_switch_shared(&from.sp, to.sp);
  }

  void prepare(char* top, void (*entry)()) {
    auto* word = reinterpret_cast<std::uint64_t*>(top);
    *--word = 0;  // keeps the stack aligned at the entry as a call would have left it
    *--word = reinterpret_cast<std::uint64_t>(entry);
    for (int i = 0; i < 6; ++i) *--word = 0;
    if constexpr (Full) {
      control_words now;
      asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(now.mxcsr), "=m"(now.x87));
      *--word = (static_cast<std::uint64_t>(now.x87) << 32) | now.mxcsr;
    }
    sp = word;
  }
};

/// in_line is a context that is switched in the middle of a function: the compiler keeps what is live, which
/// here is nothing. No runtime can go below this one; few can reach it.
template <bool Full>
struct in_line {
  void* sp = nullptr;
  void* bp = nullptr;
  void* ip = nullptr;
  control_words words;

  [[gnu::always_inline]] static void go(in_line& from_context, in_line& to_context) {
    in_line* from = &from_context;
    in_line* to = &to_context;
    if constexpr (Full) {
      asm volatile("stmxcsr 24(%0)\n\tfnstcw 28(%0)\n\tldmxcsr 24(%1)\n\tfldcw 28(%1)"
                   :
                   : "D"(from), "S"(to)
                   : "memory");
    }
    asm volatile(
        "leaq 1f(%%rip), %%rax\n\tmovq %%rsp, (%0)\n\tmovq %%rbp, 8(%0)\n\tmovq %%rax, 16(%0)\n\t"
        "movq (%1), %%rsp\n\tmovq 8(%1), %%rbp\n\tjmp *16(%1)\n1:\tendbr64"
        : "+D"(from), "+S"(to)
        :
        : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc",
          "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
          "xmm12", "xmm13", "xmm14", "xmm15");
  }

  void prepare(char* top, void (*entry)()) {
    sp = top - 8;  // as a call would have left it
    ip = reinterpret_cast<void*>(entry);
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(words.mxcsr), "=m"(words.x87));
  }
};
static_assert(offsetof(in_line<true>, words) == 24, "the assembly above counts on it");

template <class Context>
struct pair_of {
  inline static Context main;
  inline static Context other;
  inline static long there = 0;

  [[noreturn]] static void bounce() {
    for (;;) {
      ++there;
      Context::go(other, main);
    }
  }
};

template <class Context>
void measure(request& rq, const char* metric) {
  using both = pair_of<Context>;
  const long pairs = rq.number("switches", 20000000, 2, 2000000000) / 2;
  rq.check_all_read();
  constexpr std::size_t stack_size = 64 * 1024;
  void* stack = mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) throw check_failed("no memory for a stack");
  both::other.prepare(static_cast<char*>(stack) + stack_size, &both::bounce);
  sample(rq, metric, static_cast<double>(pairs) * 2, [&] {
    both::there = 0;
    const double seconds = seconds_of([&] {
      for (long i = 0; i < pairs; ++i) Context::go(both::main, both::other);
    });
    check_equal("the number of switches", both::there, pairs);
    return seconds;
  });
  munmap(stack, stack_size);
}

}  // namespace

void floor_switch(request& rq) {
  const bool full = rq.choice("abi", {"full", "shared"}) == "full";
  const bool call = rq.choice("saves", {"callee", "live"}) == "callee";
  if (call)
    full ? measure<by_call<true>>(rq, "ns_per_switch") : measure<by_call<false>>(rq, "ns_per_switch");
  else
    full ? measure<in_line<true>>(rq, "ns_per_switch") : measure<in_line<false>>(rq, "ns_per_switch");
}

void floor_yield(request& rq) { measure<by_call<true>>(rq, "ns_per_yield"); }

/// A value handed to another task on the same worker costs a switch to it, at the least.
void floor_feb(request& rq) { measure<by_call<true>>(rq, "ns_per_handoff"); }

}  // namespace hkbench

#else

namespace hkbench {

void floor_switch(request&) { throw bad_usage("the floor of a switch is written for x86-64 only"); }
void floor_yield(request&) { throw bad_usage("the floor of a yield is written for x86-64 only"); }
void floor_feb(request&) { throw bad_usage("the floor of a hand-over is written for x86-64 only"); }

}  // namespace hkbench

#endif
