// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A double-ended queue of words in one growing power-of-two array; no synchronisation of its own.
#pragma once
#include <cstddef>
#include <memory>

namespace hocket::detail {

template <class T>
class ring {
 public:
  bool empty() const { return first_ == end_; }
  std::size_t size() const { return end_ - first_; }
  /// Without memory to grow, the program ends: what could not be queued would never run, and the run would
  /// never end.
  void push_back(T v) noexcept {
    if (end_ - first_ > mask_) grow();
    cells_[end_++ & mask_] = v;
  }
  T pop_front() { return cells_[first_++ & mask_]; }
  T pop_back() { return cells_[--end_ & mask_]; }
  T back() const { return cells_[(end_ - 1) & mask_]; }
  /// Takes out the first that equals v; false if there is none. Linear.
  bool remove(T v) {
    for (std::size_t i = first_; i != end_; ++i) {
      if (cells_[i & mask_] != v) continue;
      for (; i + 1 != end_; ++i) cells_[i & mask_] = cells_[(i + 1) & mask_];
      --end_;
      return true;
    }
    return false;
  }
  T peek(std::size_t i) const { return cells_[(first_ + i) & mask_]; }

 private:
  void grow() {
    const std::size_t capacity = (mask_ + 1) * 2;
    auto bigger = std::make_unique_for_overwrite<T[]>(capacity);
    const std::size_t n = size();
    for (std::size_t i = 0; i < n; ++i) bigger[i] = cells_[(first_ + i) & mask_];
    cells_ = std::move(bigger);
    first_ = 0;
    end_ = n;
    mask_ = capacity - 1;
  }
  std::size_t first_ = 0, end_ = 0, mask_ = 255;
  std::unique_ptr<T[]> cells_ = std::make_unique_for_overwrite<T[]>(mask_ + 1);
};

}  // namespace hocket::detail
