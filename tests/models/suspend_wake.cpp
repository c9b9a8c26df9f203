// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the model of parking, or shows that a planted bug is found.  suspend_wake --help says how.
#include "suspend_wake.h"

namespace models::parking {

state suspend_wake::initial() const {
  state s{};
  for (int w = 0; w < waiters; ++w) s.waiter[w].pc = sources_of(w) != 0 ? at::begin : at::done;
  for (int t = waiters; t < threads; ++t) {
    state::firer_state& f = s.firer[t - waiters];
    f.whom = f.first = nobody;
    f.pc = t < timer ? at::finish : t == timer ? at::timer_take : at::stop_ask;
  }
  for (int d = 0; d < descriptors; ++d) {
    int references = 1;
    for (int w = 0; w < waiters; ++w) references += sources_of(w) >> d & 1;
    s.shared.memory[word0 + d] = static_cast<std::uint8_t>(references * ref_one);
  }
  return s;
}

const char* suspend_wake::violation(const state& s) const {
  static const char* const text[] = {
      nullptr,
      "a task is made ready before its registers are saved",
      "a task is made ready twice for one suspension",
      "a record is touched after its owner has left the wait",
      "a descriptor is touched after its last reference was dropped",
      "a waiter reads another reason than the first one",
  };
  return text[s.broken_promise];
}

bool suspend_wake::finished(const state& s) const {
  for (const auto& w : s.waiter)
    if (w.pc != at::done) return false;
  for (const auto& f : s.firer)
    if (f.pc != at::done) return false;
  return s.shared.empty() && s.freed[0] != 0 && s.freed[1] != 0;
}

const char* suspend_wake::name(int who) const {
  static const char* const names[] = {"waiter", "waiter 2", "runner 1", "runner 2", "timer", "stopper"};
  return names[who];
}

std::string suspend_wake::print(const state& s) const {
  static const char* const names[] = {"arming", "armed", "fired:done", "fired:timed out", "fired:stopped"};
  std::string text;
  for (int w = 0; w < waiters; ++w) {
    if (sources_of(w) == 0) continue;
    text += (w == 0 ? "" : " | ") +
            std::string(s.waiter[w].alive != 0 ? names[s.shared.memory[record0 + w]] : "-");
    if (s.waiter[w].ready != 0) text += ",ready";
  }
  for (int d = 0; d < descriptors; ++d) {
    const std::uint8_t v = s.shared.memory[word0 + d];
    text += " | d" + std::to_string(d) + ":" + ((v & w_done) != 0 ? "done," : "") +
            ((v & w_locked) != 0 ? "locked," : "") + ((v & w_has_waiters) != 0 ? "waiters," : "") +
            std::to_string(v / ref_one) + " refs";
  }
  return text;
}

namespace {

const setting<variant> settings[] = {
    {"--sources", &variant::sources, 1, 15, "first waiter: 1, 2 descriptors, 4 timer, 8 stop"},
    {"--others", &variant::others, 0, 3, "second waiter: 1, 2 descriptors; 0: there is none"},
    {"--thread", &variant::thread, 0, 0, "the first waiter is a thread, the second a task"},
    {"--links-in-hook", &variant::links_in_hook, 0, 0, "the waiter hangs itself in after it was suspended"},
};

const change<variant> bugs[] = {
    {"arm-by-store", [](variant& v) { v.arm_by_store = true; }, "arm: a store wipes out what has fired"},
    {"no-arming", [](variant& v) { v.starts_armed = true; }, "the record is armed from the beginning"},
    {"armed-before-saved", [](variant& v) { v.saved_late = true; },
     "the hook runs before the registers are saved"},
    {"fire-in-two-steps", [](variant& v) { v.fire_in_two = true; }, "fire: load, then store"},
    {"ready-though-arming", [](variant& v) { v.ready_if_arming = true; },
     "fire makes ready what is not armed"},
    {"reason-overwritten", [](variant& v) { v.overwrites_reason = true; },
     "fire: exchange; the last one wins"},
    {"leaves-without-unlinking", [](variant& v) { v.no_unlink = true; },
     "the owner does not take itself off"},
    {"unlink-looks-without-lock", [](variant& v) { v.looks_without_lock = true; },
     "unlink does not wait for a firer inside the lock, since `linked` is false"},
    {"callback-not-waited-for", [](variant& v) { v.callback_not_waited = true; },
     "the owner leaves while the stop callback runs"},
    {"link-without-check", [](variant& v) { v.no_check_in_link = true; },
     "link does not look, under the lock, whether the task has ended"},
    {"finish-ignores-lock", [](variant& v) { v.finish_ignores_lock = true; },
     "finish: no waiters in the word, so it does not mind who is hanging himself in"},
    {"fires-after-unlock", [](variant& v) { v.fires_unlocked = true; },
     "finish takes the list, unlocks, fires"},
    {"futex-without-compare", [](variant& v) { v.futex_blind = true; },
     "a thread sleeps whatever its word says"},
};

const change<variant> allowed[] = {
    {"own-fire-by-store", [](variant& v) { v.own_fire_by_store = true; },
     "what has happened before the wait is stored into the record: nobody else acts on `arming`"},
    {"flag-stays", [](variant& v) { v.keeps_flag = true; }, "unlink leaves has_waiters with an empty list"},
};

}  // namespace
}  // namespace models::parking

int main(int argc, char** argv) {
  using namespace models;
  return model_main<parking::suspend_wake>(
      description<parking::variant>{
          "suspend_wake", "Visits every state of waiters that wait for the first of several things.",
          parking::settings, parking::bugs, parking::allowed},
      argc, argv);
}
