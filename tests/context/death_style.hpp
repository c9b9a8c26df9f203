// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How tests of a process's death start it.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>

namespace hocket_test {

inline bool emulated() { return std::getenv("HOCKET_EMULATED") != nullptr; }

/// The test program anew, since a fork of one with threads may hang; but an emulator (HOCKET_EMULATED, set by
/// the toolchain file) cannot start a program of the other processor: there a fork must do, and each test has
/// ended its threads when the next one begins.
inline void choose_death_style() {
  ::testing::GTEST_FLAG(death_test_style) = emulated() ? "fast" : "threadsafe";
}

/// What a process says that dies by a signal without a word of ours: nothing, but qemu reports the signal.
inline const char* nothing_said() { return emulated() ? "^(qemu: uncaught target signal [^\n]*\n)?$" : "^$"; }

}  // namespace hocket_test
