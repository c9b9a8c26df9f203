// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quicksort of lines: partition by seven bytes into less, equal and greater; the equal ones go on with the
// next seven (Bentley and Sedgewick's multikey quicksort). The sides are forked as in the plain quicksort.
#pragma once

#include "common/chunks.hpp"
#include "common/deep.hpp"
#include "quicksort/line_records.hpp"
#include "quicksort/quicksort.hpp"

#include <hocket/hocket.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace hocket::apps {

struct line_parts {
  line_record* equal;    // [first, equal) are less than the pivot
  line_record* greater;  // [equal, greater) have its key
  std::uint64_t pivot;
};

inline line_parts partition_lines(line_record* first, line_record* last) {
  const auto key = [](const line_record& line) { return line.key; };
  const std::uint64_t pivot = pick_pivot(first, static_cast<std::size_t>(last - first), key);
  line_record* const equal =
      partition_if(first, last, [pivot](const line_record& l) { return l.key < pivot; });
  line_record* const greater =
      partition_if(equal, last, [pivot](const line_record& l) { return l.key == pivot; });
  return {equal, greater, pivot};
}

// load_keys() gives the lines the keys of their bytes from `done` on. The lines lie all over the text, so
// those of later records are fetched ahead.
inline void load_keys(const line_text& text, line_record* first, line_record* last, std::size_t done) {
  constexpr std::ptrdiff_t ahead = 12;
  for (line_record* line = first; line != last; ++line) {
    if (last - line > ahead) __builtin_prefetch(text.begin(line[ahead]) + done);
    line->key = text.key_at(line_text::offset(*line), text.length(*line), done);
  }
}

// sort_lines_serial() sorts lines that agree in their first `done` bytes and whose keys hold the next ones.
// After `levels` bad pivots it goes on with std::sort.
inline void sort_lines_serial(const line_text& text, line_record* first, line_record* last, std::size_t done,
                              int levels) {
  constexpr std::ptrdiff_t small = 16;
  while (last - first > small) {
    if (levels == 0)
      return std::sort(first, last, [&](const auto& a, const auto& b) { return text.less(a, b, done); });
    const line_parts parts = partition_lines(first, last);
    line_record* equal_end =
        key_decides(parts.pivot) ? parts.equal : parts.greater;  // nothing left to decide?
    if (equal_end != parts.equal) load_keys(text, parts.equal, equal_end, done + key_bytes);
    const std::ptrdiff_t less = parts.equal - first;
    const std::ptrdiff_t equal = equal_end - parts.equal;
    const std::ptrdiff_t greater = last - parts.greater;
    // The largest part stays in the loop: the others have at most half of the lines, so recursion is shallow.
    const std::ptrdiff_t largest = std::max({less, equal, greater});
    const bool stay_less = less == largest;
    const bool stay_equal = !stay_less && equal == largest;
    if (!stay_less) sort_lines_serial(text, first, parts.equal, done, levels - 1);
    if (!stay_equal) sort_lines_serial(text, parts.equal, equal_end, done + key_bytes, levels);
    if (stay_less || stay_equal) sort_lines_serial(text, parts.greater, last, done, levels - 1);
    if (stay_less) {
      last = parts.equal;
      --levels;
    } else if (stay_equal) {
      first = parts.equal;
      last = equal_end;
      done += key_bytes;
    } else {
      first = parts.greater;
      --levels;
    }
  }
  for (line_record* here = first; here != last; ++here) {
    const line_record line = *here;
    line_record* hole = here;
    for (; hole != first && text.less(line, hole[-1], done); --hole) *hole = hole[-1];
    *hole = line;
  }
}

inline void sort_lines_serial(const line_text& text, line_record* first, line_record* last,
                              std::size_t done) {
  sort_lines_serial(text, first, last, done, bad_pivots_allowed(first, last));
}

// How far to fork for lines: their three-way parts are uneven, so twice the levels, and the grain decides.
inline quicksort_limits line_limits_for_size(std::size_t n) {
  quicksort_limits limits = quicksort_limits::for_size(n);
  limits.depth *= 2;
  return limits;
}

// What all tasks of one sort share.
template <class Progress>
struct line_sort_context {
  line_text text;
  std::size_t grain;
  Progress* progress;
};

template <class Progress>
void sort_lines(const line_sort_context<Progress>& context, line_record* first, line_record* last,
                std::size_t done, int depth);

// What is forked for the lines less than the pivot, and for the greater ones: 40 bytes, which a fork takes
// without allocation.
template <class Progress>
struct line_sort_child {
  const line_sort_context<Progress>* context;
  line_record* first;
  line_record* last;
  std::size_t done;
  int depth;
  void operator()() const {
    with_stack([this] { sort_lines(*context, first, last, done, depth); });
  }
};

// sort_lines() sorts as sort_lines_serial() does, in parallel, forking `depth` levels; it must be called from
// a task. The equal lines stay in its loop and do not count as a level: they may agree in thousands of bytes.
template <class Progress>
void sort_lines(const line_sort_context<Progress>& context, line_record* first, line_record* last,
                std::size_t done, int depth) {
  constexpr std::size_t keys_at_once = 16384;
  hocket::fork_scope<line_sort_child<Progress>> sides;
  for (;;) {
    const auto n = static_cast<std::size_t>(last - first);
    if (depth == 0 || n <= context.grain) {
      sort_lines_serial(context.text, first, last, done);
      context.progress->add(n);
      break;
    }
    const line_parts parts = partition_lines(first, last);
    if (parts.equal != first) sides.fork({&context, first, parts.equal, done, depth - 1});
    if (last != parts.greater) sides.fork({&context, parts.greater, last, done, depth - 1});
    first = parts.equal;
    last = parts.greater;
    if (key_decides(parts.pivot)) {
      context.progress->add(static_cast<std::size_t>(last - first));
      break;
    }
    done += key_bytes;
    for_chunks(0, static_cast<std::size_t>(last - first), keys_at_once,
               [&](std::size_t begin, std::size_t end) {
                 load_keys(context.text, first + begin, first + end, done);
               });
  }
  sides.join();
}

// sort_lines() sorts all of the lines, whose keys must hold their first bytes.
template <class Progress>
void sort_lines(const line_text& text, line_record* first, line_record* last, quicksort_limits limits,
                Progress& progress) {
  const line_sort_context<Progress> context{text, limits.grain, &progress};
  sort_lines(context, first, last, 0, limits.depth);
}

}  // namespace hocket::apps
