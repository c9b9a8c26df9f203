// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over ranges of indices by recursive halving: for_chunks() and reduce_chunks().
#pragma once

#include <hocket/hocket.hpp>

#include <cstddef>

namespace hocket::apps {

// for_chunks() calls body(begin, end) on pieces of at most `grain` (> 0) indices, in parallel.
template <class Body>
void for_chunks(std::size_t begin, std::size_t end, std::size_t grain, const Body& body) {
  if (begin == end) return;
  if (end - begin <= grain) {
    body(begin, end);
    return;
  }
  const std::size_t middle = begin + (end - begin) / 2;
  hocket::cobegin([&] { for_chunks(begin, middle, grain, body); },
                  [&] { for_chunks(middle, end, grain, body); });
}

// reduce_chunks() adds up (by +) what body(begin, end) returns for pieces of at most `grain` (> 0) indices.
template <class Body>
auto reduce_chunks(std::size_t begin, std::size_t end, std::size_t grain, const Body& body)
    -> decltype(body(begin, end)) {
  if (end - begin <= grain) return body(begin, end);
  const std::size_t middle = begin + (end - begin) / 2;
  auto [left, right] = hocket::fork_join([&] { return reduce_chunks(begin, middle, grain, body); },
                                         [&] { return reduce_chunks(middle, end, grain, body); });
  return left + right;
}

}  // namespace hocket::apps
