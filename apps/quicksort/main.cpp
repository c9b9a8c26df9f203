// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// quicksort: sorts numbers made on the spot, or the lines of a text file, by the naive parallel quicksort.
#include "common/program.hpp"
#include "quicksort/progress_bar.hpp"
#include "quicksort/sort_file.hpp"
#include "quicksort/sort_numbers.hpp"
#include "quicksort/text_file.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace {

using namespace hocket::apps;
using json = nlohmann::ordered_json;

struct arguments {
  std::uint64_t size = std::uint64_t{1} << 24;
  std::uint64_t seed = 1;
  std::string input;
  std::string output;
  int depth = -1;  // < 0: by size
  bool never_serialise = false;
  bool progress = false;
  bool as_json = false;

  std::optional<quicksort_limits> limits() const {
    if (never_serialise) return quicksort_limits::never_serialise();
    if (depth >= 0) return quicksort_limits::of_depth(depth);
    return std::nullopt;
  }
};

constexpr int deepest = 1000;

double millions_per_second(std::size_t n, double seconds) {
  return seconds > 0 ? static_cast<double>(n) / seconds * 1e-6 : 0;
}

json depth_for_json(const quicksort_limits& limits) {
  return limits.depth > 2 * deepest ? json("unlimited") : json(limits.depth);
}

std::string depth_for_people(const quicksort_limits& limits) {
  return limits.depth > 2 * deepest ? "never serialising" : fmt::format("{} levels forked", limits.depth);
}

int sort_text(const arguments& given, unsigned workers) {
  const sort_file_result done = sort_file(given.input, given.output, given.limits(), given.progress);
  const sort_file_times& seconds = done.seconds;
  const double rate = millions_per_second(done.lines, seconds.sort);
  if (given.as_json) {
    const json out = {{"program", "quicksort"},     {"mode", "text"},
                      {"bytes", done.bytes},        {"lines", done.lines},
                      {"threads", workers},         {"depth", depth_for_json(done.limits)},
                      {"read_s", seconds.read},     {"index_s", seconds.index},
                      {"sort_s", seconds.sort},     {"write_s", seconds.write},
                      {"total_s", seconds.total()}, {"mkeys_per_s", rate}};
    fmt::print("{}\n", out.dump());
    return exit_success;
  }
  fmt::print("sorted {} lines, {} bytes, on {} workers ({})\n", done.lines, done.bytes, workers,
             depth_for_people(done.limits));
  fmt::print(
      "read {:.3f} s, index {:.3f} s, sort {:.3f} s ({:.1f} Mkeys/s), write {:.3f} s; total {:.3f} s\n",
      seconds.read, seconds.index, seconds.sort, rate, seconds.write, seconds.total());
  return exit_success;
}

void check_memory(std::uint64_t size) {
  const std::uint64_t most = physical_bytes() / sizeof(std::uint32_t);
  if (size > most)
    throw input_error(
        fmt::format("--size {} needs more memory than this machine has: at most {}", size, most));
}

int sort_numbers(const arguments& given, unsigned workers) {
  const std::size_t n = given.size;
  const page_buffer memory(n * sizeof(std::uint32_t));
  auto* const first = reinterpret_cast<std::uint32_t*>(memory.data());
  stopwatch watch;
  const multiset_digest made = generate_numbers(first, n, given.seed);
  const double generate_s = watch.seconds();

  const quicksort_limits limits = given.limits().value_or(quicksort_limits::for_size(n));
  watch.restart();
  if (given.progress) {
    progress_bar bar(true, "sort", n);
    quicksort(first, first + n, limits, bar);
    bar.finish();
  } else {
    quicksort(first, first + n, limits);
  }
  const double sort_s = watch.seconds();

  watch.restart();
  const std::size_t descents = count_descents(first, n);
  const bool same = digest_of(first, n) == made;
  const double check_s = watch.seconds();
  if (descents != 0) check_failed(fmt::format("{} numbers are less than the one before", descents));
  if (!same) check_failed("the sorted numbers are not the ones that were made");
  const double rate = millions_per_second(n, sort_s);
  if (given.as_json) {
    const json out = {{"program", "quicksort"},   {"mode", "numbers"},  {"size", n},
                      {"seed", given.seed},       {"threads", workers}, {"depth", depth_for_json(limits)},
                      {"generate_s", generate_s}, {"sort_s", sort_s},   {"check_s", check_s},
                      {"mkeys_per_s", rate}};
    fmt::print("{}\n", out.dump());
    return exit_success;
  }
  fmt::print("sorted {} numbers (seed {}) on {} workers ({}), checked\n", n, given.seed, workers,
             depth_for_people(limits));
  fmt::print("generate {:.3f} s, sort {:.3f} s ({:.1f} Mkeys/s), check {:.3f} s\n", generate_s, sort_s, rate,
             check_s);
  return exit_success;
}

constexpr const char* notes =
    "Text: lines come out as from `LC_ALL=C sort`: compared as unsigned bytes, NUL and carriage return like "
    "any\n"
    "other, a line before its own continuations; a missing last newline is added. Input and output may be "
    "the\n"
    "same file: the output takes its name only when it is complete. Memory: the file and 16 bytes a line.";

}  // namespace

int main(int argc, char** argv) {
  return program("quicksort", [&] {
    const hocket::options runtime = hocket::options::from(argc, argv);
    arguments given;
    CLI::App app(
        "Parallel quicksort: a pivot, a serial partition, and a task for each side, down to a depth.\n"
        "Sorts 32-bit numbers made on the spot, or the lines of a text file.",
        "quicksort");
    app.footer(notes);
    auto* const size = app.add_option("--size", given.size, "how many numbers")
                           ->check(CLI::NonNegativeNumber)
                           ->capture_default_str();
    auto* const seed = app.add_option("--seed", given.seed, "which numbers")
                           ->check(CLI::NonNegativeNumber)
                           ->capture_default_str();
    auto* const input = app.add_option("--input", given.input, "text file to sort, instead of numbers");
    auto* const output = app.add_option("--output", given.output, "where its sorted lines go");
    auto* const depth =
        app.add_option(
               "--depth", given.depth,
               "levels of the recursion that fork; 0: none (default: by size, down to some 2,048 elements)")
            ->check(CLI::Range(0, deepest));
    app.add_flag("--never-serialise", given.never_serialise,
                 "fork down to single elements, as in the Qthreads paper")
        ->excludes(depth);
    app.add_flag("--progress", given.progress, "show progress on stderr: a bar on a terminal, else lines");
    parse(app, argc, argv, given.as_json);

    const bool text = input->count() > 0 || output->count() > 0;
    if (text && (input->count() == 0 || output->count() == 0))
      throw input_error(fmt::format("{} is missing: a text is sorted from --input FILE to --output FILE",
                                    input->count() == 0 ? "--input" : "--output"));
    if (text && (size->count() > 0 || seed->count() > 0))
      throw input_error("--size and --seed make numbers: leave them out to sort a text file");
    if (!text) check_memory(given.size);
    const unsigned workers = worker_count(runtime);
    return hocket::run(runtime,
                       [&] { return text ? sort_text(given, workers) : sort_numbers(given, workers); });
  });
}
