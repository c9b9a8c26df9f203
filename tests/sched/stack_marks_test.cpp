// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// High-water marks of stacks by task name: as deep as the task went, and no deeper for what others did
// before.
#include "support/workers.hpp"

#include <algorithm>
#include <string>

namespace {
using namespace hocket;

class stack_marks_of_tasks : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(stack_marks_of_tasks);

/// Uses at least `bytes` of stack, and writes all of it.
[[gnu::noinline]] std::size_t dig(std::size_t bytes) {
  volatile char frame[512];
  for (volatile char& c : frame) c = 1;
  return bytes <= sizeof frame ? frame[0] : dig(bytes - sizeof frame) + static_cast<std::size_t>(frame[0]);
}

stack_mark mark_of(const std::string& name) {
  for (const stack_mark& m : stack_marks()) {
    if (m.name == name) return m;
  }
  return {};
}

TEST_P(stack_marks_of_tasks, tell_the_deepest_and_suggest_a_size) {
  constexpr std::size_t deep = 24 * 1024;
  const std::string digger = "digger on " + std::to_string(workers());
  const std::string shallow = "shallow on " + std::to_string(workers());
  options o;
  o.stats = true;
  testing::internal::CaptureStderr();
  run(
      [&] {
        // The same stack runs both, one after the other: a mark must not remain for the next.
        for (int i = 0; i < 10; ++i) {
          start({.name = digger.c_str()}, [&] { dig(deep); }).wait();
          start({.name = shallow.c_str()}, [] {}).wait();
        }
      },
      o);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("stack of '" + digger), std::string::npos);
  const stack_mark d = mark_of(digger), s = mark_of(shallow);
  EXPECT_EQ(d.tasks, 10u);
  EXPECT_EQ(s.tasks, 10u);
  EXPECT_LE(s.most_bytes, d.most_bytes);
#if !HOCKET_ASAN && !HOCKET_TSAN  // whose frames are larger, and partly elsewhere
  EXPECT_GE(d.most_bytes, deep);
  EXPECT_GT(d.suggested_bytes, deep);
  EXPECT_LE(d.most_bytes, deep + 8 * 1024);
  EXPECT_LE(s.most_bytes, 4u * 1024);
  EXPECT_EQ(s.suggested_bytes, 16u * 1024);
#endif
}

TEST(stack_marks, a_run_without_the_option_measures_nothing) {
  hocket::run(options{.workers = 1}, [] { start({.name = "not measured"}, [] {}).wait(); });
  EXPECT_EQ(mark_of("not measured").tasks, 0u);
}

}  // namespace
