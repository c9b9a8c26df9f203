// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of texts: keys order as the bytes do, the index finds each line, the sort agrees with std::sort of
// strings.
#include "quicksort/line_sort.hpp"

#include "quicksort/sort_file.hpp"
#include "support/workers.hpp"

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace hocket::apps;
using lines = std::vector<std::string>;

struct counter {
  std::atomic<std::size_t> placed{0};
  void add(std::size_t n) { placed += n; }
};

// A text with the readable padding that line_text asks for: bytes that would be seen if they were compared.
class padded_text {
 public:
  explicit padded_text(std::string_view text) : size_(text.size()), bytes_(text) { bytes_.append(8, '\xff'); }
  line_text text() const { return {bytes_.data(), size_}; }

 private:
  std::size_t size_;
  std::string bytes_;
};

lines lines_of(const line_index& index) {
  lines found;
  for (const line_record& line : index)
    found.emplace_back(index.text().begin(line), index.text().length(line));
  return found;
}

// The order that is right: bytes as unsigned, a line before its own continuations.
bool right_order(const std::string& a, const std::string& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](unsigned char x, unsigned char y) { return x < y; });
}

class line_sort_test : public hocket_test::on_workers {
 protected:
  // Sorts the text in every way and compares with std::sort.
  void expect_sorted(std::string_view what, std::string_view content) {
    run([&] {
      const padded_text text(content);
      lines right = lines_of(line_index(text.text()));
      std::sort(right.begin(), right.end(), right_order);
      const std::size_t n = right.size();
      for (const quicksort_limits& limits :
           {line_limits_for_size(n), quicksort_limits::of_depth(0), quicksort_limits::of_depth(3),
            quicksort_limits::never_serialise()}) {
        const line_index sorted(text.text());
        counter placed;
        sort_lines(text.text(), sorted.begin(), sorted.end(), limits, placed);
        ASSERT_EQ(lines_of(sorted), right) << what << ", depth " << limits.depth;
        EXPECT_EQ(placed.placed, n) << what;
      }
      const line_index by_standard(text.text());
      sort_lines_serial(text.text(), by_standard.begin(), by_standard.end(), 0, 0);
      ASSERT_EQ(lines_of(by_standard), right) << what << ", no good pivots";
    });
  }
};
HOCKET_ON_ALL_WORKERS(line_sort_test);

TEST(line_key_test, keys_order_as_lines_do) {
  using namespace std::string_literals;
  // In order; those next to each other differ within the seven bytes of a key or at its end.
  const lines ordered = {""s,       "\0"s,       "\0\0"s,    "\0\0\0\0\0\0\0"s, "\0a"s, "\t"s,
                         " "s,      "a"s,        "a\0"s,     "a\0b"s,           "a\r"s, "ab"s,
                         "abcdef"s, "abcdef\0"s, "abcdefg"s, "abcdefh"s,        "b"s,   "\x7f"s,
                         "\x80"s,   "\xff"s,     "\xff\xff"s};
  for (std::size_t i = 0; i < ordered.size(); ++i)
    for (std::size_t j = 0; j < ordered.size(); ++j) {
      const padded_text a(ordered[i]);
      const padded_text b(ordered[j]);
      const std::uint64_t a_key = a.text().key_at(0, ordered[i].size(), 0);
      const std::uint64_t b_key = b.text().key_at(0, ordered[j].size(), 0);
      EXPECT_EQ(a_key < b_key, i < j) << i << " and " << j;
      EXPECT_EQ(a_key == b_key, i == j) << i << " and " << j;
      EXPECT_TRUE(key_decides(a_key));
    }
}

TEST(line_key_test, a_key_says_whether_it_holds_the_rest_of_the_line) {
  const padded_text text("abcdefghijklmnop");
  EXPECT_TRUE(key_decides(text.text().key_at(0, 7, 0)));
  EXPECT_FALSE(key_decides(text.text().key_at(0, 8, 0)));
  EXPECT_TRUE(key_decides(text.text().key_at(0, 8, 7)));
  EXPECT_TRUE(key_decides(text.text().key_at(0, 8, 8)));
  EXPECT_EQ(text.text().key_at(0, 8, 8), 0u);
  EXPECT_EQ(text.text().key_at(0, 16, 0), text.text().key_at(0, 8, 0))
      << "more is left: the same, undecided key";
}

TEST_P(line_sort_test, the_index_finds_every_line) {
  run([] {
    const auto found = [](std::string_view content) {
      const padded_text text(content);
      return lines_of(line_index(text.text()));
    };
    EXPECT_EQ(found(""), lines{});
    EXPECT_EQ(found("\n"), lines{""});
    EXPECT_EQ(found("a"), lines{"a"});
    EXPECT_EQ(found("a\n"), lines{"a"});
    EXPECT_EQ(found("\n\n"), (lines{"", ""}));
    EXPECT_EQ(found("a\n\nb"), (lines{"a", "", "b"}));
    EXPECT_EQ(found("a\r\nb\r\n"), (lines{"a\r", "b\r"}));
  });
}

TEST_P(line_sort_test, the_index_finds_lines_across_pieces) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  run([] {
    for (const std::size_t length : {piece - 2, piece - 1, piece, piece + 1, 3 * piece + 17}) {
      const lines right = {std::string(length, 'x'), "", std::string(length, 'y'), "z"};
      std::string content;
      for (const std::string& line : right) content += line + '\n';
      content.pop_back();
      const padded_text text(content);
      EXPECT_EQ(lines_of(line_index(text.text())) == right, true) << length;
    }
  });
}

TEST_P(line_sort_test, a_line_too_long_for_its_record) {
  run([] {
    for (const std::size_t length :
         {line_text::long_line - 1, line_text::long_line, line_text::long_line + 1}) {
      const padded_text text(std::string(length, 'x') + "\nb\n");
      const line_index index(text.text());
      ASSERT_EQ(index.size(), 2u);
      EXPECT_EQ(index.text().length(index.begin()[0]), length);
      EXPECT_EQ(index.text().length(index.begin()[1]), 1u);
      const padded_text open(std::string(length, 'x'));
      EXPECT_EQ(open.text().length(open.text().record(0, length)), length);
    }
  });
}

std::string random_lines(std::size_t n, unsigned alphabet, std::size_t longest, std::string_view prefix) {
  std::mt19937 random(alphabet * 1000 + static_cast<unsigned>(longest));
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    text += prefix.substr(0, prefix.empty() ? 0 : random() % prefix.size() + 1);
    for (std::size_t left = random() % (longest + 1); left > 0; --left) {
      const char byte = static_cast<char>(alphabet == 256 ? random() : 'a' + random() % alphabet);
      if (byte != '\n') text += byte;
    }
    text += '\n';
  }
  return text;
}

TEST_P(line_sort_test, sorts_texts_of_every_kind) {
  expect_sorted("nothing", "");
  expect_sorted("one empty line", "\n");
  expect_sorted("one line", "a");
  expect_sorted("two lines", "b\na\n");
  expect_sorted("empty lines", std::string(5000, '\n'));
  expect_sorted("random bytes", random_lines(5000, 256, 20, ""));
  expect_sorted("one letter", random_lines(5000, 1, 40, ""));
  expect_sorted("two letters", random_lines(5000, 2, 30, ""));
  expect_sorted("short lines", random_lines(5000, 26, 3, ""));
  expect_sorted("long prefixes", random_lines(3000, 3, 5, std::string(200, ' ')));
  std::string equal;
  for (int i = 0; i < 3000; ++i) equal += "the same line, longer than any key\n";
  expect_sorted("equal lines", equal);
  std::string ladder;  // each line the beginning of the next: one is settled a level
  for (std::size_t i = 0; i < 800; ++i) ladder += std::string(i, 'x') + '\n';
  expect_sorted("a ladder", ladder);
}

}  // namespace
