// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The phases of a file's sort: sort_file.hpp.
#include "quicksort/sort_file.hpp"

#include "common/chunks.hpp"
#include "common/program.hpp"
#include "quicksort/line_sort.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace hocket::apps {

namespace {

constexpr std::size_t bytes_at_once = std::size_t{1} << 20;

// A piece of the text: how many lines end in it, and where the first of them begins.
struct text_chunk {
  std::size_t newlines = 0;
  std::size_t after_last_newline = 0;  // 0: none in this piece
  std::size_t first_record = 0;
  std::size_t first_line = 0;
};

void count_newlines(const line_text& text, std::vector<text_chunk>& chunks) {
  for_chunks(0, chunks.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const char* const from = text.data + i * bytes_at_once;
      const std::size_t size = std::min(bytes_at_once, text.size - i * bytes_at_once);
      chunks[i].newlines = static_cast<std::size_t>(std::count(from, from + size, '\n'));
      if (chunks[i].newlines == 0) continue;
      const void* const last = ::memrchr(from, '\n', size);
      chunks[i].after_last_newline = static_cast<std::size_t>(static_cast<const char*>(last) + 1 - text.data);
    }
  });
}

void index_chunk(const line_text& text, const text_chunk& chunk, line_record* records) {
  const char* line = text.data + chunk.first_line;
  // Only the first line may begin before the piece: its newline is searched from there, the others' are near.
  for (std::size_t i = 0; i < chunk.newlines; ++i) {
    const void* const found = std::memchr(line, '\n', static_cast<std::size_t>(text.data + text.size - line));
    const char* const newline = static_cast<const char*>(found);
    records[chunk.first_record + i] =
        text.record(static_cast<std::size_t>(line - text.data), static_cast<std::size_t>(newline - line));
    line = newline + 1;
  }
}

// How much a line takes in the output.
std::size_t written_size(const line_text& text, const line_record& line) { return text.length(line) + 1; }

// write_range() writes some lines to their place, by way of a buffer.
void write_range(const line_index& lines, std::size_t begin, std::size_t end, std::size_t offset,
                 output_file& output) {
  constexpr std::size_t capacity = std::size_t{1} << 18;
  constexpr std::size_t ahead = 12;
  const auto buffer = std::make_unique_for_overwrite<char[]>(capacity);
  std::size_t used = 0;
  const auto flush = [&] {
    output.write(offset, {buffer.get(), used});
    offset += used;
    used = 0;
  };
  const line_text& text = lines.text();
  for (std::size_t i = begin; i < end; ++i) {
    if (i + ahead < end) __builtin_prefetch(text.begin(lines.begin()[i + ahead]));
    const line_record& line = lines.begin()[i];
    const std::size_t length = text.length(line);
    if (used + length + 1 > capacity) flush();
    if (length + 1 > capacity) {
      output.write(offset, {text.begin(line), length});
      offset += length;
    } else {
      std::memcpy(buffer.get() + used, text.begin(line), length);
      used += length;
    }
    buffer[used++] = '\n';
  }
  flush();
}

}  // namespace

line_index::line_index(const line_text& text) : text_(text) {
  std::vector<text_chunk> chunks((text.size + bytes_at_once - 1) / bytes_at_once);
  count_newlines(text, chunks);
  std::size_t line = 0;
  for (text_chunk& chunk : chunks) {
    chunk.first_record = count_;
    chunk.first_line = line;
    count_ += chunk.newlines;
    line = std::max(line, chunk.after_last_newline);
  }
  const bool open_end = line < text.size;  // a last line without its newline
  if (open_end) ++count_;
  memory_ = page_buffer(count_ * sizeof(line_record));
  for_chunks(0, chunks.size(), 1, [&](std::size_t begin_chunk, std::size_t end_chunk) {
    for (std::size_t i = begin_chunk; i < end_chunk; ++i) index_chunk(text, chunks[i], begin());
  });
  if (open_end) begin()[count_ - 1] = text.record(line, text.size - line);
}

std::size_t write_lines(const line_index& lines, output_file& output, bool show_progress) {
  constexpr std::size_t output_bytes_at_once = std::size_t{1} << 22;
  const line_text& text = lines.text();
  const std::size_t pieces = std::min(lines.size(), text.size / output_bytes_at_once + 1);
  if (pieces == 0) return 0;
  const auto begin_of = [&](std::size_t piece) {
    return lines.size() / pieces * piece + std::min(piece, lines.size() % pieces);
  };
  std::vector<std::size_t> offsets(pieces + 1);
  for_chunks(0, pieces, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t piece = begin; piece < end; ++piece)
      for (std::size_t i = begin_of(piece); i < begin_of(piece + 1); ++i)
        offsets[piece + 1] += written_size(text, lines.begin()[i]);
  });
  for (std::size_t piece = 0; piece < pieces; ++piece) offsets[piece + 1] += offsets[piece];
  progress_bar bar(show_progress, "write", lines.size());
  const auto write_pieces = [&](std::size_t begin, std::size_t end) {
    for (std::size_t piece = begin; piece < end; ++piece) {
      write_range(lines, begin_of(piece), begin_of(piece + 1), offsets[piece], output);
      bar.add(begin_of(piece + 1) - begin_of(piece));
    }
  };
  if (output.in_order())
    write_pieces(0, pieces);
  else
    for_chunks(0, pieces, 1, write_pieces);
  bar.finish();
  return offsets.back();
}

sort_file_result sort_file(const std::string& input, const std::string& output,
                           std::optional<quicksort_limits> limits, bool show_progress) {
  sort_file_times seconds;
  stopwatch watch;
  const auto lap = [&watch](double& phase) {
    phase = watch.seconds();
    watch.restart();
  };
  const text_buffer buffer = read_text(input, show_progress);
  lap(seconds.read);
  output_file target(output);  // before the work, so that a wrong name is known at once
  const line_index lines(buffer.text());
  lap(seconds.index);
  const quicksort_limits used = limits.value_or(line_limits_for_size(lines.size()));
  progress_bar bar(show_progress, "sort", lines.size());
  sort_lines(buffer.text(), lines.begin(), lines.end(), used, bar);
  bar.finish();
  lap(seconds.sort);
  const std::size_t written = write_lines(lines, target, show_progress);
  target.commit();
  lap(seconds.write);
  const bool newline_added = buffer.text().size > 0 && buffer.text().data[buffer.text().size - 1] != '\n';
  if (written != buffer.text().size + (newline_added ? 1 : 0))
    throw std::logic_error("check failed: the output has not the size of the input");
  return {.bytes = written, .lines = lines.size(), .limits = used, .seconds = seconds};
}

}  // namespace hocket::apps
