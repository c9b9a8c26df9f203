// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of quicksort: a text read whole into memory, and an output that appears complete or not at all.
#pragma once

#include "quicksort/line_records.hpp"
#include "quicksort/progress_bar.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace hocket::apps {

// page_buffer is memory straight from the system: zero, not touched before its first use, in large pages
// where the system has them.
class page_buffer {
 public:
  page_buffer() = default;
  explicit page_buffer(std::size_t bytes);
  page_buffer(page_buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  page_buffer& operator=(page_buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~page_buffer();

  char* data() const { return static_cast<char*>(data_); }
  std::size_t size() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// A text in memory, with the padding that line_text asks for.
class text_buffer {
 public:
  text_buffer(page_buffer memory, std::size_t size) : memory_(std::move(memory)), size_(size) {}
  line_text text() const { return {memory_.data(), size_}; }

 private:
  page_buffer memory_;
  std::size_t size_;
};

// read_text() reads a file, in parallel if it is a regular one; pipes and devices are read to their end. It
// must be called from a task and throws input_error.
text_buffer read_text(const std::string& path, bool show_progress);

// An output file. What is written goes to a file without a name, or a temporary one, beside `path`; commit()
// puts it in the place of `path`, and without it nothing remains. What is no regular file (a pipe, /dev/null)
// is written directly, in order. Errors are thrown as input_error.
class output_file {
 public:
  explicit output_file(const std::string& path);
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  ~output_file();

  // in_order() tells that write() must be called with rising, adjoining offsets.
  bool in_order() const { return direct_; }
  // write() may be called from many tasks at once, unless in_order().
  void write(std::size_t offset, std::string_view bytes);
  void commit();

 private:
  [[noreturn]] void fail(int error) const;
  void open_beside();
  std::string folder() const;
  template <class Create>
  void name_temporary(Create create);

  std::string path_;       // as the user named it, for messages
  std::string target_;     // with symbolic links followed
  std::string temporary_;  // its name as long as it has one
  int file_ = -1;
  bool direct_ = false;
};

}  // namespace hocket::apps
