// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wavefront: a grid whose cells need their upper and left neighbours, by counts of dependencies, full/empty
// words, futures or serially; checked against the serial sweep, with the time of a cell and peak memory.
#include "common/process_use.hpp"
#include "common/program.hpp"
#include "wavefront/by_counter.hpp"
#include "wavefront/by_future.hpp"
#include "wavefront/by_word.hpp"
#include "wavefront/wavefront.hpp"

namespace {

using namespace hocket::apps;

struct arguments {
  std::size_t rows = 3162;
  std::size_t columns = 3162;
  std::string by = "counter";
  std::size_t block = 1;
  std::string onward_name = "right";
  int repeat = 1;
  bool json = false;

  std::size_t cells() const { return rows * columns; }
  onward way() const { return onward_name == "right" ? onward::right : onward::below; }
};

constexpr std::size_t longest = 1'000'000'000;

struct outcome {
  double seconds = 0;
  std::optional<double> emptying_seconds;
  std::uint64_t tasks = 0;  // of one sweep
  long last = 0;
};

// What a sweep needs at most, in bytes.
double bytes_needed(const arguments& given) {
  const auto rows = static_cast<double>(given.rows);
  const double cells = rows * static_cast<double>(given.columns);
  if (given.by == "counter") return 9 * cells;
  if (given.by == "word") return 60 * cells + 4096 * rows;  // an empty word is in a table; rows have stacks
  if (given.by == "future") return 260 * cells;
  return 8 * cells;
}

void check_memory(const arguments& given) {
  constexpr double gib = 1 << 30;
  const double needed = bytes_needed(given);
  const auto there = static_cast<double>(physical_bytes());
  if (needed > there)
    throw input_error(fmt::format(
        "--rows {} and --columns {} with --by {} need more memory than this machine has: some {:.1f} "
        "GiB, and it has {:.1f} GiB",
        given.rows, given.columns, given.by, needed / gib, there / gib));
}

void sweep_by(const arguments& given, wave_grid& grid) {
  if (given.by == "counter") {
    sweep_by_counter(grid, given.block, given.way());
  } else if (given.by == "word") {
    word_sweep(grid).run();
  } else if (given.by == "future") {
    sweep_by_future(grid);
  } else {
    grid.sweep();
  }
}

void check(const wave_grid& grid) {
  if (const auto wrong = grid.first_wrong())
    check_failed(fmt::format("the cell in row {}, column {} is {}, which the serial sweep does not give",
                             wrong->first, wrong->second, grid.at(wrong->first, wrong->second)));
}

outcome sweep_and_check(const arguments& given) {
  wave_grid grid(given.rows, given.columns);
  std::vector<double> emptying;
  outcome result;
  result.seconds = median_of_repeats(given.repeat, [&] {
    grid.clear();
    stopwatch watch;
    if (given.by == "word") {
      empty_cells(grid);
      emptying.push_back(watch.seconds());
    }
    const counted_span span;
    watch.restart();
    sweep_by(given, grid);
    const double gone = watch.seconds();
    result.tasks = span.count(&hocket::statistics::begun) + span.count(&hocket::statistics::spawned);
    check(grid);
    return gone;
  });
  if (!emptying.empty()) result.emptying_seconds = median(emptying);
  result.last = grid.last();
  return result;
}

void report(const arguments& given, unsigned workers, const outcome& is) {
  const double cells = static_cast<double>(given.cells());
  const double ns = is.seconds * 1e9 / cells;
  const std::uint64_t peak = peaks_of_memory().resident;
  const std::uint64_t stacks = hocket::stats().stacks_made;
  if (given.json) {
    const nlohmann::ordered_json out = {{"program", "wavefront"},
                                        {"rows", given.rows},
                                        {"columns", given.columns},
                                        {"by", given.by},
                                        {"block", given.block},
                                        {"threads", workers},
                                        {"last", is.last},
                                        {"tasks", is.tasks},
                                        {"emptying_seconds", json_or_null(is.emptying_seconds)},
                                        {"seconds", is.seconds},
                                        {"ns_per_cell", ns},
                                        {"peak_bytes", peak},
                                        {"stacks_made", stacks}};
    fmt::print("{}\n", out.dump());
    return;
  }
  fmt::print("{} x {} cells, the last is {}  (by {} on {} workers, {:.6f} s, {:.2f} ns per cell", given.rows,
             given.columns, is.last, given.by, workers, is.seconds, ns);
  if (is.emptying_seconds)
    fmt::print(", before that {:.2f} ns per cell to empty it", *is.emptying_seconds * 1e9 / cells);
  fmt::print(", {} tasks, {:.1f} MiB at most, {} stacks made)\n", is.tasks,
             static_cast<double>(peak) / (1 << 20), stacks);
}

constexpr const char* notes =
    "counter: a byte for each cell counts the neighbours that are done; the task that brings it to what the\n"
    "cell needs goes on with the cell; where it could go on with two, one becomes a virtual task.\n"
    "word: each cell is a full/empty word, first emptied (timed apart); a task for each row reads the cells\n"
    "above as they are filled. future: a task for each cell, made at once, which requires its neighbours'.\n"
    "serial: a loop. The grid has 8 bytes for each cell; a word that is empty some 50 more, a future 250.";

}  // namespace

int main(int argc, char** argv) {
  return program("wavefront", [&] {
    const hocket::options runtime = hocket::options::from(argc, argv);
    arguments given;
    CLI::App app(
        "A wavefront: each cell of a grid needs its upper and its left neighbour; its value is the larger\n"
        "of theirs and a hash of its place. Every cell is checked against the serial sweep.",
        "wavefront");
    app.footer(notes);
    app.add_option("--rows", given.rows, "how many rows")
        ->check(CLI::Range(std::size_t{1}, longest))
        ->capture_default_str();
    app.add_option("--columns", given.columns, "how many columns")
        ->check(CLI::Range(std::size_t{1}, longest))
        ->capture_default_str();
    app.add_option("--by", given.by, "how cells wait for one another: counter, word, future or serial")
        ->check(CLI::IsMember({"counter", "word", "future", "serial"}))
        ->capture_default_str();
    auto* const block = app.add_option("--block", given.block,
                                       "counter: a count for each square of so many times so many cells")
                            ->check(CLI::Range(std::size_t{1}, longest))
                            ->capture_default_str();
    auto* const way = app.add_option("--onward", given.onward_name,
                                     "counter: where a task goes on itself if it can: right or below")
                          ->check(CLI::IsMember({"right", "below"}))
                          ->capture_default_str();
    add_repeat_option(app, given.repeat);
    parse(app, argc, argv, given.json);
    for (const CLI::Option* option : {block, way}) {
      if (option->count() > 0 && given.by != "counter")
        throw input_error(fmt::format("{} is for --by counter", option->get_name()));
    }
    check_memory(given);
    return hocket::run(runtime, [&] {
      report(given, worker_count(runtime), sweep_and_check(given));
      return exit_success;
    });
  });
}
