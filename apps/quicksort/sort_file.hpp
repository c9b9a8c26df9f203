// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts the lines of a text file as `LC_ALL=C sort` does: read, index, quicksort, write, each in parallel.
#pragma once

#include "quicksort/quicksort.hpp"
#include "quicksort/text_file.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace hocket::apps {

// The lines of a text, in the order of `lines`.
class line_index {
 public:
  // Finds the lines, in parallel; the text must outlive the index.
  explicit line_index(const line_text& text);

  const line_text& text() const { return text_; }
  std::size_t size() const { return count_; }
  line_record* begin() const { return reinterpret_cast<line_record*>(memory_.data()); }
  line_record* end() const { return begin() + count_; }

 private:
  line_text text_;
  std::size_t count_ = 0;
  page_buffer memory_;
};

// write_lines() writes each line and a newline; it returns the number of bytes.
std::size_t write_lines(const line_index& lines, output_file& output, bool show_progress);

struct sort_file_times {
  double read = 0;
  double index = 0;
  double sort = 0;
  double write = 0;
  double total() const { return read + index + sort + write; }
};

struct sort_file_result {
  std::size_t bytes;
  std::size_t lines;
  quicksort_limits limits;
  sort_file_times seconds;
};

// sort_file() does all of it; without `limits` it chooses them by the number of lines. Input and output may
// be the same file. It must be called from a task and throws input_error.
sort_file_result sort_file(const std::string& input, const std::string& output,
                           std::optional<quicksort_limits> limits, bool show_progress);

}  // namespace hocket::apps
