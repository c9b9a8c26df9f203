// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts by SACLIB's LBIBMS.
#include "listsort/saclib_sort.hpp"

#include "common/program.hpp"

extern "C" {
#include <saclib.h>
}

namespace hocket::apps {
namespace {

// Room for one list, a cell of two words a number, and for the cells that LBIBMS makes, fewer than one for
// five numbers: SACLIB's collector is not to run.
constexpr std::size_t words_a_number = 3;
constexpr std::size_t spare_words = 100'000;

Word list_of(const std::vector<std::int32_t>& numbers) {
  Word list = NIL;
  for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) list = COMP(*number, list);
  return list;
}

}  // namespace

bool saclib_is_here() { return true; }

saclib_result saclib_sort(const std::vector<std::int32_t>& numbers, int iterations) {
  saclib_result result;
  for (int i = 0; i < iterations; ++i) {
    // Begun anew each time, so that each list lies in fresh cells one behind the other, as ours do.
    Word bottom_of_stack = 0;
    NU = static_cast<Word>(words_a_number * numbers.size() + spare_words);
    BEGINSACLIB(&bottom_of_stack);
    Word list = list_of(numbers);
    const stopwatch watch;
    list = LBIBMS(list);
    result.seconds.push_back(watch.seconds());
    result.sorted.clear();
    for (; list != NIL; list = RED(list)) result.sorted.push_back(FIRST(list));
    ENDSACLIB(SAC_FREEMEM);
  }
  return result;
}

}  // namespace hocket::apps
