// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pingpong: pairs of tasks hand a value to and fro; every value is checked, and the time of a hand-off
// printed.
#include "common/process_use.hpp"
#include "common/program.hpp"
#include "pingpong/pingpong.hpp"

#include <map>

namespace {

using namespace hocket::apps;

using game = pingpong_tally (*)(std::size_t pairs, std::uint64_t rounds, bool pin);

const std::map<std::string, game> games = {{"word", &play_pingpong<by_word>},
                                           {"sync", &play_pingpong<by_sync>},
                                           {"channel", &play_pingpong<by_channel>},
                                           {"condition", &play_pingpong<by_condition>},
                                           {"event", &play_pingpong<by_event>}};

struct arguments {
  std::uint64_t rounds = 1'000'000;
  std::string by = "word";
  std::size_t pairs = 1;
  bool pin = false;
  int repeat = 1;
  bool json = false;

  std::uint64_t handoffs() const { return 2 * rounds * pairs; }
};

struct outcome {
  double seconds = 0;
  std::uint64_t crossed = 0, switches = 0;  // of the last repetition
};

outcome play_and_check(const arguments& given) {
  outcome result;
  result.seconds = median_of_repeats(given.repeat, [&] {
    const counted_span span;
    const stopwatch watch;
    const pingpong_tally is = games.at(given.by)(given.pairs, given.rounds, given.pin);
    const double gone = watch.seconds();
    if (is.handoffs != given.handoffs() || is.wrong != 0)
      check_failed(fmt::format("{} hand-offs were due, but there were {}, {} of them with another value",
                               given.handoffs(), is.handoffs, is.wrong));
    if (given.pin && is.crossed != is.handoffs)
      check_failed(
          fmt::format("all of {} hand-offs should cross workers, but {} did", is.handoffs, is.crossed));
    result.crossed = is.crossed;
    result.switches = span.count(&hocket::statistics::switches);
    return gone;
  });
  return result;
}

void report(const arguments& given, unsigned workers, const outcome& is) {
  const std::uint64_t handoffs = given.handoffs();
  std::optional<double> ns;
  if (handoffs > 0) ns = is.seconds * 1e9 / static_cast<double>(handoffs);
  const std::uint64_t peak = peaks_of_memory().resident;
  if (given.json) {
    const nlohmann::ordered_json out = {{"program", "pingpong"},
                                        {"by", given.by},
                                        {"pairs", given.pairs},
                                        {"rounds", given.rounds},
                                        {"pinned", given.pin},
                                        {"threads", workers},
                                        {"handoffs", handoffs},
                                        {"crossed", is.crossed},
                                        {"switches", is.switches},
                                        {"seconds", is.seconds},
                                        {"ns_per_handoff", json_or_null(ns)},
                                        {"peak_bytes", peak}};
    fmt::print("{}\n", out.dump());
    return;
  }
  fmt::print("{} hand-offs by {}, {} of them to another worker  ({} pair{} on {} workers, {:.6f} s", handoffs,
             given.by, is.crossed, given.pairs, given.pairs == 1 ? "" : "s", workers, is.seconds);
  if (ns) fmt::print(", {:.2f} ns per hand-off", *ns);
  fmt::print(", {} switches, {:.1f} MiB at most)\n", is.switches, static_cast<double>(peak) / (1 << 20));
}

// With --pin each worker is a shepherd, to which tasks can be bound.
void separate_workers(hocket::options& runtime) {
  const unsigned workers = worker_count(runtime);
  if (workers < 2)
    throw input_error("--pin puts the ends of a pair on two workers, and there is one: give --hk-workers 2");
  if (runtime.shepherds != 0 && runtime.shepherds != workers)
    throw input_error(fmt::format(
        "--pin makes each of the {} workers a shepherd: leave out --hk-shepherds (HOCKET_SHEPHERDS) {}",
        workers, runtime.shepherds));
  runtime.shepherds = workers;
}

constexpr const char* notes =
    "A hand-off is a value put by one task and taken by the other; a round is two. The time includes making\n"
    "the tasks. Which hand-offs cross workers is up to the runtime, but with --pin all do. Crossings and\n"
    "switches are those of the last repetition.";

}  // namespace

int main(int argc, char** argv) {
  return program("pingpong", [&] {
    hocket::options runtime = hocket::options::from(argc, argv);
    arguments given;
    CLI::App app(
        "Ping-pong: pairs of tasks hand a value to and fro, and every value is checked: what it costs that\n"
        "one task waits for another.",
        "pingpong");
    app.footer(notes);
    app.add_option("--rounds", given.rounds, "how often each pair hands a value there and back")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000'000}))
        ->capture_default_str();
    app.add_option("--by", given.by,
                   "word (full/empty word), sync (sync variable), channel (of capacity 1), condition (mutex\n"
                   "and condition variable), event")
        ->check(CLI::IsMember({"word", "sync", "channel", "condition", "event"}))
        ->capture_default_str();
    app.add_option("--pairs", given.pairs, "how many pairs play at once")
        ->check(CLI::Range(std::size_t{1}, most_pairs))
        ->capture_default_str();
    app.add_flag("--pin", given.pin, "the ends of a pair stay on two workers");
    add_repeat_option(app, given.repeat);
    parse(app, argc, argv, given.json);
    if (given.pin) separate_workers(runtime);
    refuse_too_many_stacks(fmt::format("--pairs {}", given.pairs), 2 * given.pairs);
    return hocket::run(runtime, [&] {
      report(given, worker_count(runtime), play_and_check(given));
      return exit_success;
    });
  });
}
