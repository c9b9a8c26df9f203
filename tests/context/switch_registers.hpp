// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registers that a call keeps, by processor: filled, spoiled, read back; and the floating-point control
// words.
#pragma once
#include <array>
#include <cstdint>

namespace hocket_test {

/// Words of which each kind of control is in one of its own: [0] rounding, [1] another.
using control_words = std::array<std::uint64_t, 2>;

#if defined(__x86_64__)

inline constexpr unsigned kept_registers = 5;

/// Fills the registers that a call must keep. In-lined: a function would put them back.
[[gnu::always_inline]] inline void spoil_registers() {
  asm volatile("movq $-1, %%rbx\n\tmovq $-1, %%r12\n\tmovq $-1, %%r13\n\tmovq $-1, %%r14\n\tmovq $-1, %%r15"
               :
               :
               : "rbx", "r12", "r13", "r14", "r15", "memory");
}

/// Enters the other context with these values in the registers, and reads them when it has come back.
template <class Other>
void enter_with_registers(Other& other, const std::uint64_t* in, std::uint64_t* out) {
  register std::uint64_t rbx asm("rbx") = in[0];
  register std::uint64_t r12 asm("r12") = in[1];
  register std::uint64_t r13 asm("r13") = in[2];
  register std::uint64_t r14 asm("r14") = in[3];
  register std::uint64_t r15 asm("r15") = in[4];
  asm volatile("" : "+r"(rbx), "+r"(r12), "+r"(r13), "+r"(r14), "+r"(r15));
  other.enter();
  asm volatile("" : "+r"(rbx), "+r"(r12), "+r"(r13), "+r"(r14), "+r"(r15));
  const std::uint64_t seen[kept_registers] = {rbx, r12, r13, r14, r15};
  for (unsigned i = 0; i < kept_registers; ++i) out[i] = seen[i];
}

inline control_words read_control_words() {
  std::uint32_t mxcsr;
  std::uint16_t x87;
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87));
  return {mxcsr & 0xffc0, x87};  // control bits: status flags are not kept by a call
}
inline void change_second_control_word() {
  std::uint16_t x87;
  asm volatile("fnstcw %0" : "=m"(x87));
  x87 = static_cast<std::uint16_t>(x87 & ~0x300);  // single precision
  asm volatile("fldcw %0" : : "m"(x87));
}

#elif defined(__aarch64__)

inline constexpr unsigned kept_registers = 18;

[[gnu::always_inline]] inline void spoil_registers() {
  asm volatile(
      "mov x19, #-1\n\tmov x20, #-1\n\tmov x21, #-1\n\tmov x22, #-1\n\tmov x23, #-1\n\t"
      "mov x24, #-1\n\tmov x25, #-1\n\tmov x26, #-1\n\tmov x27, #-1\n\tmov x28, #-1\n\t"
      "fmov d8, x19\n\tfmov d9, x19\n\tfmov d10, x19\n\tfmov d11, x19\n\t"
      "fmov d12, x19\n\tfmov d13, x19\n\tfmov d14, x19\n\tfmov d15, x19"
      :
      :
      : "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "d8", "d9", "d10", "d11", "d12",
        "d13", "d14", "d15", "memory");
}

template <class Other>
void enter_with_registers(Other& other, const std::uint64_t* in, std::uint64_t* out) {
  register std::uint64_t x19 asm("x19") = in[0];
  register std::uint64_t x20 asm("x20") = in[1];
  register std::uint64_t x21 asm("x21") = in[2];
  register std::uint64_t x22 asm("x22") = in[3];
  register std::uint64_t x23 asm("x23") = in[4];
  register std::uint64_t x24 asm("x24") = in[5];
  register std::uint64_t x25 asm("x25") = in[6];
  register std::uint64_t x26 asm("x26") = in[7];
  register std::uint64_t x27 asm("x27") = in[8];
  register std::uint64_t x28 asm("x28") = in[9];
  register std::uint64_t d8 asm("d8") = in[10];
  register std::uint64_t d9 asm("d9") = in[11];
  register std::uint64_t d10 asm("d10") = in[12];
  register std::uint64_t d11 asm("d11") = in[13];
  register std::uint64_t d12 asm("d12") = in[14];
  register std::uint64_t d13 asm("d13") = in[15];
  register std::uint64_t d14 asm("d14") = in[16];
  register std::uint64_t d15 asm("d15") = in[17];
#define HOCKET_TEST_PIN                                                                                  \
  asm volatile(""                                                                                        \
               : "+r"(x19), "+r"(x20), "+r"(x21), "+r"(x22), "+r"(x23), "+r"(x24), "+r"(x25), "+r"(x26), \
                 "+r"(x27), "+r"(x28));                                                                  \
  asm volatile("" : "+w"(d8), "+w"(d9), "+w"(d10), "+w"(d11), "+w"(d12), "+w"(d13), "+w"(d14), "+w"(d15))
  HOCKET_TEST_PIN;
  other.enter();
  HOCKET_TEST_PIN;
#undef HOCKET_TEST_PIN
  const std::uint64_t seen[kept_registers] = {x19, x20, x21, x22, x23, x24, x25, x26, x27,
                                              x28, d8,  d9,  d10, d11, d12, d13, d14, d15};
  for (unsigned i = 0; i < kept_registers; ++i) out[i] = seen[i];
}

inline control_words read_control_words() {
  std::uint64_t fpcr;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return {fpcr & 0xc00000, fpcr & 0x1000000};  // rounding; flush to zero
}
inline void change_second_control_word() {
  std::uint64_t fpcr;
  asm volatile("mrs %0, fpcr\n\torr %0, %0, #0x1000000\n\tmsr fpcr, %0" : "=&r"(fpcr));
}

#else
#error "name the registers that a call keeps on this processor"
#endif

}  // namespace hocket_test
