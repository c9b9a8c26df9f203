// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full/empty words and sync variables: hand-overs between two tasks, on one worker and across two, and pairs
// that nobody waits for.
#include <hocket/full_empty.hpp>
#include <hocket/sync.hpp>

#include <sched.h>

#include <array>

#include "common/line_transfer.hpp"
#include "hocket_benches.hpp"
#include "hocket_kit.hpp"
#include "workloads/full_empty.hpp"

namespace hkbench {
namespace {

/// plain_word is a word of memory, which is full until it is emptied, and must be full at its end.
class plain_word {
 public:
  plain_word() { hocket::empty(word_); }
  ~plain_word() { hocket::fill(word_); }
  plain_word(const plain_word&) = delete;
  plain_word& operator=(const plain_word&) = delete;
  void put(long value) { hocket::writeEF(word_, value); }
  long take() { return hocket::readFE(word_); }

 private:
  long word_ = 0;
};

class sync_word {
 public:
  void put(long value) { variable_.writeEF(value); }
  long take() { return variable_.readFE(); }

 private:
  hocket::sync<long> variable_;
};

/// crossing_word also counts the values that are read on another worker than they were written on.
template <class Word>
class crossing_word {
 public:
  void put(long value) { word_.put(value * most_workers + worker()); }
  long take() {
    const long value = word_.take();
    crossings_ += value % most_workers != worker() ? 1 : 0;
    return value / most_workers;
  }
  long crossings() const { return crossings_; }

 private:
  static constexpr long most_workers = 1024;
  static long worker() { return static_cast<long>(hocket::this_task::worker()); }

  Word word_;
  long crossings_ = 0;  // written by the task that takes
};

template <class Word>
void feb_on_one_worker(request& rq) {
  in_run(rq, [&] {
    const hocket_kit kit;
    run_feb<Word>(rq, [&kit](long tasks, auto body) { return kit.run(tasks, body); });
  });
}

/// Each of two workers is a shepherd of its own and has one of the tasks. As many transfers of a bare line
/// between the same two cores are measured right after each sample: what they cost changes from minute to
/// minute.
template <class Word>
void sample_across_workers(const request& rq, long rounds) {
  check_equal("the number of shepherds", hocket::shepherds(), 2);
  const hocket_kit kit(task_place::in_turn);
  const auto handed = static_cast<double>(2 * rounds);
  for (unsigned round = 0; round <= rq.samples(); ++round) {
    alignas(cache_lines) crossing_word<Word> x;
    alignas(cache_lines) crossing_word<Word> y;
    std::array<int, 2> cpus{};
    const auto suspended = hocket::stats().suspended;
    const double seconds = hand_to_and_fro(x, y, rounds, [&](long tasks, auto body) {
      return kit.run(tasks, [&](long task) {
        cpus[static_cast<std::size_t>(task)] = sched_getcpu();
        body(task);
      });
    });
    const auto suspensions = static_cast<double>(hocket::stats().suspended - suspended);
    const long crossings = x.crossings() + y.crossings();
    check_at_least("the number of values that crossed", crossings, 2 * rounds * 99 / 100);
    const bool two_cores = cpus[0] != cpus[1];  // two threads on one would measure the system's scheduler
    const double line =
        two_cores ? hocket::blocking([&] { return line_transfer_ns(rounds, cpus[0], cpus[1]); }) : 0;
    if (round == 0) continue;  // to warm up
    const double ns = seconds * 1e9 / handed;
    rq.row("ns_per_handoff", "ns", ns);
    rq.row("crossings", "share", static_cast<double>(crossings) / handed);
    rq.row("suspensions", "share", suspensions / handed);
    if (two_cores) rq.row("ratio_to_line_floor", "ratio", ns / line);
  }
}

template <class Word>
void feb_across_workers(request& rq) {
  const long rounds = rq.number("rounds", 100000, 1, 1000000000);
  rq.check_all_read();
  hocket::options two_shepherds;
  two_shepherds.shepherds = 2;
  in_run(rq, [&] { sample_across_workers<Word>(rq, rounds); }, two_shepherds);
}

}  // namespace

void hocket_feb(request& rq) {
  const bool word = rq.choice("form", {"word", "sync"}) == "word";
  if (rq.threads() > 2) throw bad_usage("feb is measured on one worker or two: two tasks hand values over");
  if (rq.threads() == 1)
    word ? feb_on_one_worker<plain_word>(rq) : feb_on_one_worker<sync_word>(rq);
  else
    word ? feb_across_workers<plain_word>(rq) : feb_across_workers<sync_word>(rq);
}

void hocket_sync(request& rq) {
  const bool word = rq.choice("form", {"word", "sync"}) == "word";
  in_run(rq, [&] { word ? run_sync<plain_word>(rq) : run_sync<sync_word>(rq); });
}

}  // namespace hkbench
