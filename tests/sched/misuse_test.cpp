// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Empty handles are refused wherever they are used; in a build with assertions the sentence says in which
// file and line. Compiled both ways.
#include "support/workers.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace {
using namespace hocket;
using namespace std::chrono_literals;

#ifdef NDEBUG
constexpr bool says_where = false;
#else
constexpr bool says_where = true;
#endif

/// The sentence of the error(invalid_handle) that f throws, which f must throw on `line` of this file.
template <class F>
void expect_refused(unsigned line, F f) {
  try {
    f();
    ADD_FAILURE() << "accepted, line " << line;
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::invalid_handle);
    const std::string text = e.what();
    EXPECT_TRUE(text.starts_with("an empty task handle (made by default, or moved from) was waited for"))
        << text;
    EXPECT_TRUE(text.ends_with("; test it with valid()")) << text;
    const std::string place = std::string(", at ") + __FILE__ + ":" + std::to_string(line) + ";";
    EXPECT_EQ(text.find(place) != std::string::npos, says_where) << text << " should name " << place;
    EXPECT_EQ(text.find(", at ") != std::string::npos, says_where) << text;
  }
}

TEST(misuse, each_call_on_an_empty_handle) {
  const task<int> empty;
  EXPECT_FALSE(empty.valid());
  expect_refused(__LINE__, [&] { (void)empty.done(); });
  expect_refused(__LINE__, [&] { empty.wait(); });
  expect_refused(__LINE__, [&] { empty.get(); });
  expect_refused(__LINE__, [&] { empty.wait_for(1ms); });
  expect_refused(__LINE__, [&] { empty.wait_for(0ms); });
  expect_refused(__LINE__, [&] { empty.wait_until(std::chrono::steady_clock::now()); });
}

TEST(misuse, a_handle_that_was_moved_from) {
  hocket::run(options{.workers = 1}, [] {
    task<int> full = spawn([] { return 1; });
    const task<int> taken = std::move(full);
    expect_refused(__LINE__, [&] { full.get(); });  // NOLINT(bugprone-use-after-move): that is what is tested
    EXPECT_EQ(taken.get(), 1);
  });
}

TEST(misuse, among_several) {
  hocket::run(options{.workers = 1}, [] {
    const auto code_of = [](auto f) {
      try {
        f();
      } catch (const error& e) {
        return e.code();
      }
      return std::error_code{};
    };
    const std::vector<task<int>> one_empty{spawn([] { return 1; }), {}};
    EXPECT_EQ(code_of([&] { wait_any(one_empty); }), errc::invalid_handle);
    EXPECT_EQ(code_of([&] { wait_any_for(one_empty, 1ms); }), errc::invalid_handle);
    EXPECT_EQ(code_of([&] { wait_all(one_empty); }), errc::invalid_handle);
    EXPECT_EQ(code_of([&] { wait_all_for(one_empty, 1ms); }), errc::invalid_handle);
    EXPECT_EQ(code_of([&] { wait(one_empty[0], one_empty[1]); }), errc::invalid_handle);
    EXPECT_EQ(code_of([] { wait_any(std::vector<task<int>>{}); }), errc::invalid_handle);
  });
}

}  // namespace
