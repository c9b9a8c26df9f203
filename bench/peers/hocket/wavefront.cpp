// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wavefront in the forms of the program `wavefront`: by counts of what a cell still needs, by full/empty
// words, and with a future for each cell (a task a cell, as a flow graph has a node).
#include "workloads/wavefront.hpp"
#include "hocket_benches.hpp"
#include "wavefront/by_counter.hpp"
#include "wavefront/by_future.hpp"
#include "wavefront/by_word.hpp"

namespace hkbench {
namespace {

void fill_by_counters(wave_grid& grid) {
  hocket::apps::sweep_by_counter(grid, 1, hocket::apps::onward::right);
}

/// With the emptying, which a program that has its grid from elsewhere must do, too.
void fill_by_words(wave_grid& grid) {
  hocket::apps::empty_cells(grid);
  hocket::apps::word_sweep(grid).run();
}

void fill_by_futures(wave_grid& grid) { hocket::apps::sweep_by_future(grid); }

}  // namespace

void hocket_wavefront(request& rq) {
  const std::string form = rq.choice("form", {"counter", "word", "future"});
  const auto fill = form == "counter" ? fill_by_counters : form == "word" ? fill_by_words : fill_by_futures;
  in_run(rq, [&] { run_wavefront(rq, 1, form == "future" ? 1000 : 3162, fill); });
}

}  // namespace hkbench
