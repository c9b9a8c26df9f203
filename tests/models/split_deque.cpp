// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the model of the split deque, or shows that a planted bug is found.  split_deque --help says how.
// Exit codes: 0 the expected outcome, 1 another outcome, 2 bad usage.
#include "split_deque.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "explore.h"

namespace {

using models::memory_order_model;
using models::variant;

struct change {
  const char* name;
  void (*set)(variant&);
  memory_order_model order;  // the order in which it must be found
  const char* what;
};

constexpr auto tso = memory_order_model::tso;
constexpr auto weak = memory_order_model::weak;

const change bugs[] = {
    {"lim-after-cas", [](variant& v) { v.lim_after_cas = true; }, tso,
     "slow path: CAS on ts, then lim; wipes out the ALWAYS of a thief that exposes"},
    {"publish-keeps-lim", [](variant& v) { v.publish_keeps_lim = true; }, tso,
     "publish gives up after a failed CAS and leaves lim as it stored it for that CAS"},
    {"slow-cas-relaxed", [](variant& v) { v.cas_relaxed = true; }, weak,
     "slow path: the CAS on ts is relaxed"},
    {"no-membarrier", [](variant& v) { v.no_membarrier = true; }, tso, "expose: a fence of the thief alone"},
    {"ts-read-after-lim", [](variant& v) { v.ts_after_lim = true; }, tso,
     "expose: lim is stored before ts is read"},
    {"ts-read-after-head", [](variant& v) { v.ts_after_head = true; }, tso, "expose: ts is read last"},
    {"thief-reads-slot-before-cas", [](variant& v) { v.read_before_cas = true; }, tso,
     "steal: the closure is read before the CAS on ts"},
    {"join-does-not-poll", [](variant& v) { v.join_ignores_lim = true; }, tso,
     "join compares with the owner's own copy of split"},
    {"join-polls-before-head", [](variant& v) { v.join_polls_first = true; }, tso,
     "join: lim is loaded before head is stored"},
    {"head-stored-before-slot", [](variant& v) { v.head_before_slot = true; }, tso,
     "fork: head is stored before the closure"},
    {"no-epoch-in-private-join", [](variant& v) { v.epoch_private = false; }, tso,
     "slow join of a private child: the epoch stays"},
    {"no-epoch-in-shared-join", [](variant& v) { v.epoch_shared = false; }, tso,
     "slow join of a shared child: the epoch stays"},
    {"no-epoch-in-stolen-join", [](variant& v) { v.epoch_stolen = false; }, tso,
     "stolen join: the epoch stays"},
    {"renewed-epoch-restarts", [](variant& v) { v.renew_restarts = true; }, tso,
     "a segment that is used again begins with an epoch that was there before"},
    {"stolen-join-keeps-tail", [](variant& v) { v.keep_tail = true; }, tso, "stolen join: ts is not reset"},
    {"waiter-stored-plainly", [](variant& v) { v.waiter_plain = true; }, tso,
     "stolen join: the waiter is stored, not exchanged in by CAS"},
    {"epoch-of-one-bit", [](variant& v) { v.epoch_bits = 1; }, tso, "the epoch wraps around at 2"},
    {"thief-takes-without-claim", [](variant& v) { v.give = v.no_claim = true; }, tso,
     "give: a thief starts the child in the slot it passed without a claim"},
    {"no-pass-accounting", [](variant& v) { v.give = v.no_accounting = true; }, tso,
     "give: a stolen join does not wait for the thieves that passed given children"},
    {"take-back-below-given", [](variant& v) { v.give = v.take_back_all = true; }, tso,
     "give: a shared join takes back a child that was given away"},
    {"waiter-not-marked", [](variant& v) { v.give = v.waiter_unmarked = true; }, tso,
     "give: a thief takes the waiter of a given child for that of its own"},
    {"epoch-of-two-bits", [](variant& v) { v.epoch_bits = 2; }, tso, "the epoch wraps around at 4"},
};

// Changes that the algorithm must survive: what is not needed for safety.
const change allowed[] = {
    {"fork-ignores-lim", [](variant& v) { v.fork_ignores_lim = true; }, tso, "fork is always fast"},
    {"head-relaxed", [](variant& v) { v.head_relaxed = true; }, weak, "fork: head.store is relaxed"},
    {"stolen-reset-relaxed", [](variant& v) { v.reset_relaxed = true; }, weak,
     "stolen join: ts.store is relaxed"},
    {"epoch-in-joins-only", [](variant& v) { v.epoch_fork = v.epoch_publish = false; }, tso,
     "slow fork and publish: the epoch stays"},
    {"membarrier-to-owner", [](variant& v) { v.membarrier_to_owner = true; }, tso,
     "expose: membarrier reaches the owner alone, so when it reaches others does not matter"},
    {"head-before-lim", [](variant& v) { v.head_before_lim = true; }, weak,
     "fork: head is stored, then lim is loaded: no child escapes a worker that falls asleep"},
    {"epoch-in-expose", [](variant& v) { v.epoch_expose = true; }, tso, "expose advances the epoch"},
};

void usage(std::FILE* out) {
  std::fputs(
      "usage: split_deque [--slots 1|2|3] [--thieves 1|2] [--give] [--weak]\n"
      "                   [--bug NAME | --allow NAME] [--quiet]\n"
      "Visits every state of one owner and the thieves (default 2) on a deque of that many slots\n"
      "(default 2).\n"
      "  --give        the owner may give its newest child away when it is suspended\n"
      "  --weak        stores overtake each other (default: x86-TSO)\n"
      "  --bug NAME    plants a bug; success means that it was found; picks the memory order itself\n"
      "  --allow NAME  makes a change that must do no harm; picks the memory order itself\n"
      "  --quiet       no trace\n"
      "Exit code: 0 as expected, 1 not as expected, 2 bad usage.\nBugs:\n",
      out);
  for (const change& c : bugs) std::fprintf(out, "  %-28s %s\n", c.name, c.what);
  std::fputs("Harmless changes:\n", out);
  for (const change& c : allowed) std::fprintf(out, "  %-28s %s\n", c.name, c.what);
}

[[noreturn]] void bad(const std::string& sentence) {
  std::fprintf(stderr, "split_deque: %s; see split_deque --help.\n", sentence.c_str());
  std::exit(2);
}

template <std::size_t N>
const change& find(const change (&list)[N], const char* option, const char* name) {
  for (const change& c : list)
    if (std::strcmp(c.name, name) == 0) return c;
  bad(std::string(option) + " '" + name + "' is not a name in the list");
}

}  // namespace

int main(int argc, char** argv) {
  variant how;
  auto order = tso;
  int slots = 2, thieves = 2;
  const change* changed = nullptr;
  bool expect_violation = false, quiet = false;
  for (int k = 1; k < argc; ++k) {
    const std::string option = argv[k];
    const auto value = [&] {
      if (k + 1 >= argc) bad(option + " needs a value after it");
      return argv[++k];
    };
    if (option == "--help") return usage(stdout), 0;
    if (option == "--weak")
      order = weak;
    else if (option == "--quiet")
      quiet = true;
    else if (option == "--give")
      how.give = true;
    else if (option == "--thieves") {
      const std::string n = value();
      if (n != "1" && n != "2") bad("--thieves is '" + n + "'; it must be 1 or 2");
      thieves = n[0] - '0';
    } else if (option == "--slots") {
      const std::string n = value();
      if (n != "1" && n != "2" && n != "3") bad("--slots is '" + n + "'; it must be 1, 2 or 3");
      slots = n[0] - '0';
    } else if (option == "--bug" || option == "--allow") {
      if (changed) bad("--bug and --allow take one change a run");
      expect_violation = option == "--bug";
      changed = expect_violation ? &find(bugs, "--bug", value()) : &find(allowed, "--allow", value());
    } else {
      bad("unknown argument '" + option + "'");
    }
  }
  if (changed) changed->set(how), order = changed->order;

  const models::split_deque model(how, order, slots, thieves, !expect_violation);
  const models::outcome result = models::explorer(model, models::limits{}).run();
  std::printf("split_deque%s%s: %d slots, %d thieves%s, %s order, %zu states, %zu steps, %zu deep\n",
              changed ? ", " : "", changed ? changed->name : "", slots, thieves, how.give ? ", give" : "",
              order == tso ? "x86-TSO" : "weak", result.states, result.steps, result.depth);
  if (result.violation.empty() && !result.complete) {
    std::printf("NOT FINISHED: more states than this program may keep, so nothing is proved.\n");
    return 1;
  }
  if (result.violation.empty())
    std::printf("%s: no violation in any state.\n", expect_violation ? "BUG NOT FOUND" : "holds");
  else
    std::printf("%s: %s\n%s", expect_violation ? "bug found" : "VIOLATION", result.violation.c_str(),
                quiet ? "" : result.trace.c_str());
  return result.violation.empty() == expect_violation ? 1 : 0;
}
