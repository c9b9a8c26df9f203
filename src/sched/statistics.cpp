// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums the counters of workers, of retired workers, and of the slots of every deque.
#include <hocket/stats.hpp>

#include "context/stack_arena.hpp"
#include "sched/depot.hpp"
#include "sched/kernel.hpp"
#include "sched/tracing.hpp"

namespace hocket {
namespace {
using namespace detail;

/// Slots fill from the bottom, so the first one never used ends the sum (and no page is touched that never
/// was).
void add_forks(char* area, void* sum) {
  auto* g = reinterpret_cast<segment*>(area + segment_offset);
  for (const slot& s : g->slots) {
    const std::uint64_t n = s.forks.read();
    if (n == 0) break;
    *static_cast<std::uint64_t*>(sum) += n;
  }
}

}  // namespace

statistics stats() {
  worker_counts c;
  the_depot().add_retired(c);
  if (const kernel_visit k; k) {
    k->add_apart(c);
    for (auto& w : k->workers)
      for_each_count(c, w->counts, [](tally& sum, const tally& one) { sum.add(one.read()); });
  }
  statistics s;
  for_each_stack(&add_forks, &s.forked);
  for_each_area(&add_forks, &s.forked);
  s.joined_stolen = c.joined_stolen.read();
  s.spawned = c.spawned.read();
  s.begun = c.begun.read();
  s.started = c.started.read();
  s.finished = c.finished.read();
  s.realised = c.realised.read();
  s.inlined = c.inlined.read();
  s.adopted = c.adopted.read();
  s.stolen = c.stolen.read();
  s.joined_inline = s.forked - s.stolen;
  s.exposed = c.exposed.read();
  s.queue_steals = c.queue_steals.read();
  s.switches = c.switches.read();
  s.yields = c.yields.read();
  s.slices = c.slices.read();
  s.suspended = c.suspended.read();
  s.resumed = c.resumed.read();
  s.sleeps = c.sleeps.read();
  s.wakes = c.wakes.read();
  s.stacks_made = c.stacks_made.read();
  s.stacks_reused = c.stacks_reused.read();
  s.stacks_released = c.stacks_released.read();
  s.descriptors_made = c.descriptors_made.read();
  s.reals = real_tasks();
  s.reals_at_once = most_real_tasks();
  return s;
}

void print(const statistics& s, std::FILE* to) {
  const struct {
    const char* name;
    std::uint64_t value;
  } rows[] = {
      {"forked", s.forked},
      {"joined inline", s.joined_inline},
      {"joined stolen", s.joined_stolen},
      {"spawned", s.spawned},
      {"begun", s.begun},
      {"started", s.started},
      {"finished", s.finished},
      {"realised", s.realised},
      {"inlined", s.inlined},
      {"adopted", s.adopted},
      {"stolen", s.stolen},
      {"exposed", s.exposed},
      {"queue steals", s.queue_steals},
      {"switches", s.switches},
      {"yields", s.yields},
      {"slices", s.slices},
      {"suspended", s.suspended},
      {"resumed", s.resumed},
      {"sleeps", s.sleeps},
      {"wakes", s.wakes},
      {"stacks made", s.stacks_made},
      {"stacks reused", s.stacks_reused},
      {"stacks released", s.stacks_released},
      {"descriptors made", s.descriptors_made},
      {"real tasks", s.reals},
      {"... at once", s.reals_at_once},
  };
  for (const auto& row : rows) {
    if (row.value != 0)
      std::fprintf(to, "hocket: %-17s %llu\n", row.name, static_cast<unsigned long long>(row.value));
  }
  for (const stack_mark& m : stack_marks()) {
    std::fprintf(to, "hocket: stack of '%s': at most %zu of %zu bytes in %llu tasks; %zu would do\n",
                 m.name.c_str(), m.most_bytes, m.stack_bytes, static_cast<unsigned long long>(m.tasks),
                 m.suggested_bytes);
  }
}

}  // namespace hocket
