// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Program: runs a scenario of the library's real code under many seeded schedules; each in a child process,
// so that all begin in the same state and a crash is a failed schedule.
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include <hocket/hocket.hpp>

#include "options.hpp"
#include "planted_bugs.hpp"
#include "report.hpp"
#include "scenario.hpp"
#include "schedule.hpp"

namespace explorer {
namespace {

constexpr unsigned seconds_at_most = 60;  // for a schedule, which takes a millisecond

const planted_bug* the_bug = nullptr;

scenarios all_scenarios() {
  scenarios all;
  for (const auto& part : {deque_scenarios(), queue_scenarios(), wait_scenarios(), mutex_scenarios(),
                           lock_scenarios(), meeting_scenarios(), channel_scenarios(), full_empty_scenarios(),
                           counter_scenarios(), sleep_scenarios(), end_scenarios()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

record* shared_record() {
  void* p = mmap(nullptr, sizeof(record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) {
    std::perror("explore: no memory for the record of a schedule");
    std::exit(1);
  }
  return static_cast<record*>(p);
}

/// Starts the program anew at fixed addresses, where the system allows it: a schedule may depend on them.
void fix_addresses(char** argv) {
  const int now = personality(0xffffffff);
  if (now == -1 || (now & ADDR_NO_RANDOMIZE) != 0) return;
  if (personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) == -1) return;
  execv("/proc/self/exe", argv);
}

/// What a process does once and then knows is done here: all schedules begin alike.
void warm_up() {
  mallopt(M_ARENA_MAX, 1);  // or each thread of each schedule maps an arena of its own
  hocket::run(hocket::options{.workers = 1, .pin = false}, [] {
    hocket::event set;
    auto child = hocket::start([&] { set.wait(); });
    hocket::begin([&] { set.set(); });
    child.wait();
    hocket::fork_join([] {}, [] {});
  });
}

/// Runs one schedule; true if it passed.
bool run_schedule(const scenario& s, const plan& p, record* r) {
  r->how = outcome::running;
  r->steps = r->counted = r->preemptions = 0;
  r->digest = 0xcbf29ce484222325u;
  r->message[0] = '\0';
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) {
    std::perror("explore: fork");
    std::exit(1);
  }
  if (child == 0) {
    alarm(seconds_at_most);
    begin_schedule(p, r);
    s.run();
    end_schedule();
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (r->how == outcome::running) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
      std::snprintf(r->message, sizeof r->message,
                    "it hangs: a loop without a step, or a call that blocks for ever");
    } else if (WIFSIGNALED(status)) {
      std::snprintf(r->message, sizeof r->message, "it crashed: %s", strsignal(WTERMSIG(status)));
    } else {
      std::snprintf(r->message, sizeof r->message, "it ended the process with exit code %d",
                    WEXITSTATUS(status));
    }
    r->how = outcome::failed;
  }
  return r->how == outcome::passed;
}

void report_failure(const scenario& s, const plan& p, const record& r, const options& o) {
  std::printf("%s: schedule %llu FAILED: %s\n", s.name, static_cast<unsigned long long>(p.seed), r.message);
  print_steps(r, o.steps_shown);
  std::printf("%s: schedule %llu FAILED: %s (%zu steps, %zu preemptions, digest %016llx)\n", s.name,
              static_cast<unsigned long long>(p.seed), r.message, r.steps, r.preemptions,
              static_cast<unsigned long long>(r.digest));
  std::printf("replay: explore %s --seed %llu --preemptions %u", s.name,
              static_cast<unsigned long long>(p.seed), o.preemptions);
  if (the_bug != nullptr) std::printf(" --bug %s", the_bug->name);
  std::printf("\n");
}

bool explore(const scenario& s, const options& o, record* r) {
  plan p;  // the first schedule, without preemptions, tells how long one is
  if (!run_schedule(s, p, r)) {
    report_failure(s, p, *r, o);
    return false;
  }
  p.length = r->counted;
  if (p.length == 0) {
    std::printf("%s: the scenario does not say where its preparations end (counts_from_here)\n", s.name);
    return false;
  }
  p.preemptions = o.preemptions;
  std::size_t steps = 0, longest = 0;
  for (std::uint64_t i = 0; i < o.schedules; ++i) {
    p.seed = o.first_seed + i;
    if (!run_schedule(s, p, r)) {
      report_failure(s, p, *r, o);
      return false;
    }
    steps += r->steps;
    longest = std::max(longest, r->steps);
  }
  std::printf("%s: %llu schedules passed (seeds %llu to %llu, %u preemptions), %zu steps each, at most %zu\n",
              s.name, static_cast<unsigned long long>(o.schedules),
              static_cast<unsigned long long>(o.first_seed), static_cast<unsigned long long>(p.seed),
              o.preemptions, steps / o.schedules, longest);
  if (o.schedules == 1) {
    std::printf("%zu preemptions, digest %016llx\n", r->preemptions,
                static_cast<unsigned long long>(r->digest));
  }
  return true;
}

void list() {
  std::printf("scenarios:\n");
  for (const scenario& s : all_scenarios()) std::printf("  %-20s %s\n", s.name, s.about);
  if (planted_bug_count == 0) return;
  std::printf("planted bugs:\n");
  for (std::size_t i = 0; i < planted_bug_count; ++i) {
    std::printf("  %-32s %s\n", planted_bugs[i].name, planted_bugs[i].about);
  }
}

void choose_bug(const std::string& name) {
  if (name.empty()) return;
  for (std::size_t i = 0; i < planted_bug_count; ++i) {
    if (name == planted_bugs[i].name) the_bug = &planted_bugs[i];
  }
  if (the_bug == nullptr) {
    throw usage_error("there is no planted bug '" + name + "'; --list names all.");
  }
}

int main_program(int argc, char** argv) {
  const options o = read_options(argc, argv);
  if (o.help) {
    std::fputs(help_text, stdout);
    return 0;
  }
  if (o.list) {
    list();
    return 0;
  }
  scenarios chosen = all_scenarios();
  if (o.scenario != "all") {
    std::erase_if(chosen, [&](const scenario& s) { return o.scenario != s.name; });
    if (chosen.empty()) throw usage_error("there is no scenario '" + o.scenario + "'; --list names all.");
  }
  fix_addresses(argv);
  warm_up();
  choose_bug(o.bug);
  record* r = shared_record();
  bool good = true;
  for (const scenario& s : chosen) good = explore(s, o, r) && good;
  return good ? 0 : 1;
}

}  // namespace

bool planted(const char* name) { return the_bug != nullptr && std::strcmp(the_bug->name, name) == 0; }

}  // namespace explorer

int main(int argc, char** argv) {
  try {
    return explorer::main_program(argc, argv);
  } catch (const explorer::usage_error& e) {
    std::fprintf(stderr, "explore: %s\n", e.what());
    return 2;
  }
}
