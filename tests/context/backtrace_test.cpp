// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task's stack can be walked from within, and the walk ends at its root; exceptions without a catch end the
// process.
#include "support/workers.hpp"

#include <dlfcn.h>
#include <execinfo.h>

#include <vector>

namespace {
using namespace hocket;

/// The number of frames from here to the root; a walk that goes astray finds the array's end instead.
[[gnu::noinline]] int frames() {
  void* addresses[200];
  return backtrace(addresses, 200);
}

[[gnu::noinline]] int deeper(int levels) {
  if (levels == 0) return frames();
  const int n = deeper(levels - 1);
  asm volatile("" : : : "memory");  // no tail call
  return n;
}

TEST(backtrace, ends_at_the_root) {
  run(options{.workers = 2, .stack_size = 256 * 1024}, [] {
    const int in_main = frames();
    EXPECT_GT(in_main, 2);
    EXPECT_LT(in_main, 30);
    EXPECT_EQ(deeper(20), deeper(10) + 10) << "each frame is counted";
    const int in_task = start([] { return frames(); }).get();
    EXPECT_GT(in_task, 2);
    EXPECT_LT(in_task, 30);
  });
}

TEST(backtrace, ends_at_the_root_after_a_suspension_and_on_a_thiefs_stack) {
  run(options{.workers = 2, .stack_size = 256 * 1024}, [] {
    const int before = frames();
    event set;
    auto [after, stolen] =
        fork_join([&] { return set.wait(), frames(); }, [&] { return set.set(), frames(); });
    EXPECT_GE(after, before);
    EXPECT_LT(after, 30);
    EXPECT_GT(stolen, 2);
    EXPECT_LT(stolen, 30);
  });
}

}  // namespace
