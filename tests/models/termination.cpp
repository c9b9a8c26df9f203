// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the model of the end of a run, or shows that a planted bug is found.  termination --help says how.
#include "termination_steps.h"

namespace models::ending {
namespace {

const setting<variant> settings[] = {
    {"--workers", &variant::workers, 1, max_workers, "workers"},
    {"--tasks", &variant::tasks, 1, max_tasks, "tasks, the main task among them"},
    {"--foreign", &variant::foreign, 0, max_foreign, "threads that make one task each"},
};

const change<variant> bugs[] = {
    {"makings-before-ends", [](variant& v) { v.makings_first = true; },
     "close reads the makings first: a task made and ended in between stands for one that runs"},
    {"push-before-count", [](variant& v) { v.push_before_count = true; },
     "spawn queues the task, then counts it: it may end uncounted"},
    {"end-before-last-spawn", [](variant& v) { v.end_before_spawns = true; },
     "a task's end is counted before the making of its last child"},
    {"closed-by-or", [](variant& v) { v.close_by_or = true; },
     "the foreign word is closed by fetch_or, whatever was counted meanwhile"},
    {"closed-by-store", [](variant& v) { v.close_by_store = true; }, "the foreign word is closed by a store"},
    {"inject-before-admit", [](variant& v) { v.inject_first = true; },
     "a thread queues its task before it is admitted"},
    {"no-visit", [](variant& v) { v.no_visit = true; }, "a thread does not keep the kernel from being freed"},
    {"visit-after-look", [](variant& v) { v.visit_after_look = true; },
     "kernel_visit reads the pointer before it counts itself"},
    {"foreign-does-not-wake", [](variant& v) { v.no_wake = true; }, "inject wakes nobody"},
    {"no-last-look", [](variant& v) { v.no_second_look = true; },
     "fall_asleep does not look into the queues after its fence"},
};

const change<variant> allowed[] = {
    {"no-main-done", [](variant& v) { v.no_main_done = true; },
     "close does not ask whether the main task has ended: it is counted as any other"},
    {"foreign-read-last", [](variant& v) { v.foreign_last = true; }, "close reads the foreign word last"},
    {"ends-relaxed", [](variant& v) { v.ends_relaxed = true; },
     "finished is stored relaxed: finish() before it is a locked instruction"},
};

}  // namespace
}  // namespace models::ending

int main(int argc, char** argv) {
  using namespace models;
  return model_main<ending::termination>(
      description<ending::variant>{"termination",
                                   "Visits every state of the end of a run: workers that run, make and end "
                                   "tasks,\nthreads that make tasks, and the decision that all have ended.",
                                   ending::settings, ending::bugs, ending::allowed},
      argc, argv);
}
