// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A line of a text as 16 bytes that sort: where it is, and a key of the seven bytes now compared.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hocket::apps {

// Bytes of a line that one key holds.
inline constexpr std::size_t key_bytes = 7;

// A key is seven bytes of the line, the first the most significant, zeros past the line's end, and in its
// last byte how many bytes were left: 0 to 7, or 8 for more. So keys compare as the bytes do, a line before
// its own continuations even where those go on with NUL, and equal keys mean either equal lines (7 or less)
// or lines still undecided (8).
struct line_record {
  std::uint64_t key;
  std::uint64_t where;  // offset in the text (40 bits), length (24 bits, all ones: that much or more)
};

inline constexpr std::size_t largest_text = std::size_t{1} << 40;

constexpr bool key_decides(std::uint64_t key) { return (key & 0xff) <= key_bytes; }

// A text whose lines end in '\n'; `padding` readable bytes follow the last.
struct line_text {
  static constexpr std::size_t padding = 8;
  static constexpr std::size_t long_line = (1 << 24) - 1;

  const char* data;
  std::size_t size;

  static std::size_t offset(const line_record& line) { return line.where >> 24; }
  const char* begin(const line_record& line) const { return data + offset(line); }

  std::size_t length(const line_record& line) const {
    const std::size_t stored = line.where & long_line;
    if (stored < long_line) [[likely]]
      return stored;
    const char* const from = begin(line) + long_line;
    const void* const newline = std::memchr(from, '\n', static_cast<std::size_t>(data + size - from));
    return static_cast<std::size_t>((newline ? static_cast<const char*>(newline) : data + size) -
                                    begin(line));
  }

  // key_at() is the key of the bytes from `done` on; done <= length of the line.
  std::uint64_t key_at(std::size_t offset, std::size_t length, std::size_t done) const {
    std::uint64_t bytes;
    std::memcpy(&bytes, data + offset + done, sizeof bytes);
    if constexpr (std::endian::native == std::endian::little) bytes = __builtin_bswap64(bytes);
    const std::size_t left = std::min(length - done, key_bytes + 1);
    static constexpr std::array<std::uint64_t, key_bytes + 2> masks = [] {
      std::array<std::uint64_t, key_bytes + 2> made{};
      for (std::size_t i = 1; i < made.size(); ++i)
        made[i] = ~std::uint64_t{0} << (64 - 8 * std::min(i, key_bytes));
      return made;
    }();
    return (bytes & masks[left]) | left;
  }

  line_record record(std::size_t at, std::size_t length) const {
    return {key_at(at, length, 0), std::uint64_t{at} << 24 | std::min(length, long_line)};
  }

  // less() compares two lines whose first `done` bytes are equal and whose keys hold the next ones.
  bool less(const line_record& a, const line_record& b, std::size_t done) const {
    if (a.key != b.key) return a.key < b.key;
    if (key_decides(a.key)) return false;
    const std::size_t a_length = length(a);
    const std::size_t b_length = length(b);
    done += key_bytes;
    const int order = std::memcmp(begin(a) + done, begin(b) + done, std::min(a_length, b_length) - done);
    return order != 0 ? order < 0 : a_length < b_length;
  }
};

}  // namespace hocket::apps
