// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the model of sleeping and waking, or shows that a planted bug is found.  sleep_submit --help says
// how.
#include "sleep_submit.h"

namespace models::sleeping {

state sleep_submit::initial() const {
  state s{};
  for (int t = 0; t < threads; ++t)
    s.thread[t].pc = t == 0 ? at::program : t < how_.workers ? at::loop : at::done;
  if (how_.injects > 0) s.thread[thread_id].pc = at::program;
  s.pushes = static_cast<std::uint8_t>(how_.pushes);
  s.injects = static_cast<std::uint8_t>(how_.injects);
  s.forks = static_cast<std::uint8_t>(how_.forks);
  s.shared.memory[lim] = always;
  return s;
}

// Whether worker w is counted in searching_, by itself or by who woke it.
bool sleep_submit::counted(const state& s, int w) {
  const auto& me = s.thread[w];
  if (me.pc == at::look_limit && me.v != 0) return false;  // took a child without a search
  if ((me.pc >= at::look_inject && me.pc <= at::nothing) || (me.pc == at::taken && me.next == at::found))
    return true;
  if (me.pc >= at::wake_load && me.pc <= at::wake_again && me.next == at::found) return true;
  return me.pc >= at::fall_count && me.pc <= at::sleep && me.pc != at::awake_count &&
         me.pc != at::awake_search && s.shared.memory[asleep0 + w] == 0;
}

// What sleeping_ must be: raised and not yet lowered, by the worker or by who wakes it. A worker that was
// woken between its flag and its count raises the count all the same, after or before it was lowered for it.
int sleep_submit::raised(const state& s) const {
  int n = 0;
  for (int t = 0; t < threads; ++t) {
    const at pc = s.thread[t].pc;
    const bool flag = t < how_.workers && s.shared.memory[asleep0 + t] == 1;
    if (pc == at::wake_lower || pc == at::wake_count) ++n;
    if (pc == at::fall_count && !flag) --n;
    if (pc == at::awake_count || (flag && pc != at::fall_count)) ++n;
  }
  return n;
}

const char* sleep_submit::violation(const state& s) const {
  int expected = 0;
  for (int t = 0; t < threads; ++t) {
    if (t < how_.workers && counted(s, t)) ++expected;
    if (s.thread[t].pc == at::wake_scan || s.thread[t].pc == at::wake_undo) ++expected;
  }
  if (raised(s) != static_cast<std::int8_t>(s.shared.memory[sleeping]))
    return "sleeping_ is not the number of workers that sleep or are about to";
  if (!how_.look_before_raise && expected != static_cast<std::int8_t>(s.shared.memory[searching]))
    return "searching_ is not the number of workers that search or are being woken";
  return nullptr;
}

bool sleep_submit::finished(const state& s) const {
  for (int w = 0; w < how_.workers; ++w)
    if (s.thread[w].pc != at::sleep || s.shared.memory[asleep0 + w] != 1 || s.queue[w] != 0) return false;
  return s.thread[thread_id].pc == at::done && s.shared.empty() && s.main_ended != 0 &&
         s.started == total() && s.shared.memory[injected] == 0 &&
         s.shared.memory[sleeping] == how_.workers && s.shared.memory[searching] == 0;
}

const char* sleep_submit::name(int who) const {
  static const char* const names[] = {"worker 0", "worker 1", "worker 2", "thread"};
  return names[who];
}

std::string sleep_submit::print(const state& s) const {
  const auto& m = s.shared.memory;
  std::string text = "sleeping=" + std::to_string(static_cast<std::int8_t>(m[sleeping])) +
                     " searching=" + std::to_string(static_cast<std::int8_t>(m[searching])) +
                     " injected=" + std::to_string(m[injected]);
  for (int w = 0; w < how_.workers; ++w)
    text += " | w" + std::to_string(w) + (m[asleep0 + w] != 0 ? " asleep" : "") +
            " hint=" + std::to_string(m[hint0 + w]) + (s.shared.count[w] != 0 ? " (stores pending)" : "");
  if (how_.forks > 0)
    text += " | head=" + std::to_string(m[head]) +
            " lim=" + (m[lim] == always ? "ALWAYS" : std::to_string(m[lim])) + " ts={" +
            std::to_string(m[ts] & 3) + "," + std::to_string(m[ts] >> 2 & 3) + "}";
  return text;
}

namespace {

const setting<variant> settings[] = {
    {"--workers", &variant::workers, 1, max_workers, "workers"},
    {"--pushes", &variant::pushes, 0, 3, "works that the main task pushes"},
    {"--injects", &variant::injects, 0, 3, "works that a thread injects"},
    {"--forks", &variant::forks, 0, 4, "children that the main task forks"},
    {"--listed", &variant::listed, 0, 0, "children are also taken without a search, as from a queue's entry"},
};

const change<variant> bugs[] = {
    {"no-heavy-fence", [](variant& v) { v.no_heavy_fence = true; },
     "fall_asleep: a fence of the sleeper alone; the work lies in the maker's store buffer"},
    {"no-last-look", [](variant& v) { v.no_last_look = true; }, "fall_asleep does not look again"},
    {"look-before-raise", [](variant& v) { v.look_before_raise = true; },
     "fall_asleep looks, then raises the count"},
    {"woken-not-counted", [](variant& v) { v.woken_uncounted = true; },
     "who wakes does not count the woken as searching"},
    {"counted-after-waking", [](variant& v) { v.counted_late = true; },
     "who wakes clears the flag, then counts the woken: the count wraps around"},
    {"finder-wakes-nobody", [](variant& v) { v.finder_wakes_nobody = true; },
     "the last one that searched does not wake another"},
    {"push-after-wake", [](variant& v) { v.push_after_wake = true; }, "wake_one before the work is there"},
    {"transit-unseen", [](variant& v) { v.transit_unseen = true; },
     "take_injected does not wake: while it moved the works, nobody saw them"},
    {"waker-gives-up", [](variant& v) { v.gives_up = true; },
     "who found nobody asleep does not look at sleeping_ once more"},
    {"inject-without-fence", [](variant& v) { v.inject_unfenced = true; },
     "a thread's push is a plain store, without a fence before it looks"},
    {"no-request", [](variant& v) { v.no_request = true; }, "the sleeper does not set lim"},
    {"head-after-lim", [](variant& v) { v.head_after_lim = true; },
     "fork loads lim, then stores head: a child between the two is seen by nobody"},
    {"slow-join-drops-request", [](variant& v) { v.join_drops_request = true; },
     "a slow join overwrites a sleeper's ALWAYS and does not look at sleeping_"},
};

}  // namespace
}  // namespace models::sleeping

int main(int argc, char** argv) {
  using namespace models;
  return model_main<sleeping::sleep_submit>(
      description<sleeping::variant>{"sleep_submit",
                                     "Visits every state of workers that make work, search, sleep and wake.",
                                     sleeping::settings,
                                     sleeping::bugs,
                                     {}},
      argc, argv);
}
