// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A count that many tasks add to and that shows itself on stderr: a bar on a terminal, else a line per 10 %.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hocket::apps {

class progress_bar {
 public:
  static constexpr bool counts = true;

  // Counts to `total`; shows nothing if not `visible`.
  progress_bar(bool visible, std::string_view label, std::uint64_t total)
      : visible_(visible), terminal_(visible && ::isatty(STDERR_FILENO) == 1), label_(label), total_(total) {}

  // add() is called by any task for `n` more of the total; one that completes a per cent draws the bar.
  void add(std::size_t n) {
    if (!visible_ || total_ == 0) return;
    const std::uint64_t before = done_.fetch_add(n, std::memory_order_relaxed);
    if (step(before + n) != step(before)) draw();
  }

  // finish() is called once, when all tasks are through.
  void finish() {
    if (!visible_) return;
    done_.store(total_, std::memory_order_relaxed);
    draw();
    if (terminal_) write("\n");
  }

 private:
  std::uint64_t percent(std::uint64_t done) const { return total_ == 0 ? 100 : done * 100 / total_; }
  std::uint64_t step(std::uint64_t done) const { return percent(done) / (terminal_ ? 1 : 10); }

  // Whoever finds another drawing leaves it alone; the last word is finish()'s.
  void draw() {
    if (drawing_.test_and_set(std::memory_order_acquire)) return;
    const std::uint64_t now = percent(done_.load(std::memory_order_relaxed));
    if (terminal_ || now / 10 != shown_ / 10) {
      if (terminal_) {
        constexpr std::size_t width = 40;
        const std::string bar(width * now / 100, '#');
        write(fmt::format("\r{:<6}[{:.<{}}] {:>3} %", label_, bar, width, now));
      } else {
        write(fmt::format("{} {} %\n", label_, now / 10 * 10));
      }
      shown_ = now;
    }
    drawing_.clear(std::memory_order_release);
  }

  // One write(2) a line, past stdio's buffers; what cannot be shown is not shown.
  static void write(std::string_view what) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, what.data(), what.size());
  }

  const bool visible_;
  const bool terminal_;
  const std::string label_;
  const std::uint64_t total_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic_flag drawing_ = ATOMIC_FLAG_INIT;
  std::uint64_t shown_ = 0;
};

}  // namespace hocket::apps
