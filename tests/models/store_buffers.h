// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory as a model sees it: one small value per variable and a bounded store buffer per thread, with
// the order of x86-TSO or, as an option, with plain and relaxed stores that overtake each other.
#pragma once
#include <cstdint>

namespace models {

enum class memory_order_model : std::uint8_t {
  tso,   // stores leave a buffer in program order
  weak,  // a store may overtake earlier ones to other variables, but a release store waits for all earlier
         // ones
};

// Loads are never reordered; a read-modify-write and a full fence empty the own buffer first.
template <int Threads, int Variables, int Depth>
struct store_buffers {
  struct entry {
    std::uint8_t variable = 0;  // top bit: release store
    std::uint8_t value = 0;
  };
  static constexpr std::uint8_t release_bit = 0x80;

  std::uint8_t memory[Variables] = {};
  std::uint8_t count[Threads] = {};
  entry buffer[Threads][Depth] = {};

  std::uint8_t load(int thread, int variable) const {
    for (int k = count[thread]; k-- > 0;)
      if (this->variable(thread, k) == variable) return buffer[thread][k].value;
    return memory[variable];
  }
  bool full(int thread, int capacity) const { return count[thread] >= capacity; }
  void store(int thread, int variable, int value, bool release = false) {
    buffer[thread][count[thread]++] = {static_cast<std::uint8_t>(variable | (release ? release_bit : 0)),
                                       static_cast<std::uint8_t>(value)};
  }
  bool may_leave(int thread, int k, memory_order_model order) const {
    if (k == 0) return true;
    if (order == memory_order_model::tso || (buffer[thread][k].variable & release_bit)) return false;
    for (int j = 0; j < k; ++j)
      if (variable(thread, j) == variable(thread, k)) return false;
    return true;
  }
  void leave(int thread, int k) {
    memory[buffer[thread][k].variable & ~release_bit] = buffer[thread][k].value;
    for (--count[thread]; k < count[thread]; ++k) buffer[thread][k] = buffer[thread][k + 1];
    buffer[thread][static_cast<int>(count[thread])] = {};
  }
  int variable(int thread, int k) const { return buffer[thread][k].variable & ~release_bit; }
  bool pending(int thread, int of) const {
    for (int k = 0; k < count[thread]; ++k)
      if (variable(thread, k) == of) return true;
    return false;
  }
  // For ghost state: the variable has this value everywhere, in buffers as well.
  void forget(int of, std::uint8_t value) {
    memory[of] = value;
    for (int t = 0; t < Threads; ++t)
      for (int k = 0; k < count[t]; ++k)
        if (variable(t, k) == of) buffer[t][k].value = value;
  }
  void drain(int thread) {
    while (count[thread] > 0) leave(thread, 0);
  }
  // What a relaxed read-modify-write waits for: its own variable's stores, and all before one that is a
  // release.
  void drain_variable(int thread, int of) {
    for (int k = count[thread]; k-- > 0;) {
      if (variable(thread, k) != of) continue;
      if (buffer[thread][k].variable & release_bit) {
        while (k-- >= 0) leave(thread, 0);
        return;
      }
      leave(thread, k);
    }
  }
  // What sys_membarrier does to the threads it interrupts: each passes a full fence.
  void drain_all() {
    for (int t = 0; t < Threads; ++t) drain(t);
  }
  bool empty() const {
    for (int t = 0; t < Threads; ++t)
      if (count[t] > 0) return false;
    return true;
  }
};

}  // namespace models
