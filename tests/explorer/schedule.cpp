// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The baton: real threads of which one runs at a time, and the seeded choice of who gets it.
//
// A thread keeps the baton until it blocks, pauses or ends (then the choice is free), or until a step that
// the seed has chosen for a preemption. All state here belongs to the thread that holds the baton.
#include "schedule.hpp"

#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace explorer {
namespace {

enum class mood { ready, pausing, blocked, ended };

struct explored_thread {
  sem_t baton;
  mood now = mood::ready;
  const void* waits_for = nullptr;
  std::int64_t until = no_limit;  // of a blocked thread with a time limit
  bool in_time = false;           // it was woken, not timed out
  std::uint64_t paused_at = 0;    // changes() when it last paused
  pthread_t handle{};
  void* (*body)(void*) = nullptr;
  void* argument = nullptr;
};

constexpr unsigned most_preemptions = 16;
constexpr unsigned most_idle_pauses = 20'000;
constexpr std::int64_t near_limit = 5'000;  // nanoseconds

explored_thread threads[most_threads];
std::size_t thread_count = 0;
record* out = nullptr;
std::uint64_t random_state = 0;
std::uint64_t changes = 0;              // steps that may have changed something
unsigned idle_pauses = 0;               // pauses since the last change
std::int64_t time_now = 1'000'000'000;  // nanoseconds, virtual
bool counting = false;
std::size_t change_points[most_preemptions];
unsigned change_count = 0, changes_made = 0;
bool last_was_preempted = false;
pid_t leaving = 0;  // the thread that has passed the baton on for the last time
thread_local explored_thread* self = nullptr;

std::uint64_t random_below(std::uint64_t n) {  // splitmix64
  std::uint64_t z = (random_state += 0x9e3779b97f4a7c15u);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (z ^ z >> 31) % n;
}

std::uint8_t number_of(const explored_thread* t) { return static_cast<std::uint8_t>(t - threads); }

/// A pausing thread is worth a turn again when something has changed since it looked.
bool has_a_turn(const explored_thread& t) {
  return t.now == mood::ready || (t.now == mood::pausing && t.paused_at != changes);
}

template <class Admits>
explored_thread* any_other(Admits admits) {
  explored_thread* found = nullptr;
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < thread_count; ++i) {
    explored_thread& t = threads[i];
    if (&t != self && admits(t) && random_below(++n) == 0) found = &t;
  }
  return found;
}

bool has_limit(const explored_thread& t) { return t.now == mood::blocked && t.until != no_limit; }

/// A limit that is near may be reached while others are busy.
bool is_soon_over(const explored_thread& t) { return has_limit(t) && t.until < time_now + near_limit; }

bool could_preempt() {
  return std::any_of(threads, threads + thread_count, [](const explored_thread& t) {
    return &t != self && (has_a_turn(t) || is_soon_over(t));
  });
}

/// Time passes until t's limit.
explored_thread* time_out(explored_thread* t) {
  if (t == nullptr) return nullptr;
  time_now = std::max(time_now, t->until);
  t->now = mood::ready;
  t->in_time = false;
  return t;
}

/// The one of all that wait with a limit whose limit comes first.
explored_thread* first_to_time_out() {
  explored_thread* first = nullptr;
  for (std::size_t i = 0; i < thread_count; ++i) {
    if (has_limit(threads[i]) && (first == nullptr || threads[i].until < first->until)) first = &threads[i];
  }
  return first;
}

/// Another thread that can go on, or null. A limit may be reached at any time: seldom, though others can run.
explored_thread* pick() {
  explored_thread* first = first_to_time_out();
  if (first != nullptr && first != self && random_below(8) == 0) return time_out(first);
  return any_other(has_a_turn);
}

/// A thread that goes on in place of one that could, too; or null.
explored_thread* pick_to_preempt() {
  if (explored_thread* t = pick()) return t;
  explored_thread* first = first_to_time_out();
  return first != nullptr && first != self && is_soon_over(*first) ? time_out(first) : nullptr;
}

void note(access what, const void* word, std::source_location place) {
  step_record& r = out->list[out->steps++];
  r = {place, word, 0, number_of(self), what, std::exchange(last_was_preempted, false), false};
  out->digest =
      (out->digest ^ (place.line() * 64u + static_cast<unsigned>(what) + number_of(self) * 65'536u)) *
      0x100000001b3u;
  if (out->steps == most_steps)
    fail_schedule("no end in sight: the schedule has more steps than are allowed");
}

/// Waits for the baton. A thread that has ended is gone from the process by then: explored code counts
/// threads.
void take_baton(explored_thread* me) {
  while (sem_wait(&me->baton) != 0) {
  }
  if (const pid_t gone = std::exchange(leaving, 0); gone != 0) {
    while (tgkill(getpid(), gone, 0) == 0) usleep(0);
  }
}

void hand_over_to(explored_thread* t) {
  explored_thread* me = self;
  sem_post(&t->baton);
  take_baton(me);
}

/// The calling thread cannot go on: another must.
explored_thread* pick_or_fail() {
  if (explored_thread* t = pick()) return t;
  if (explored_thread* t = any_other([](auto& o) { return o.now == mood::pausing; })) return t;
  if (explored_thread* t = time_out(first_to_time_out())) return t;
  fail_schedule("all threads are blocked: a wake-up was lost");
}

bool is_change(access what) { return what != access::load && what != access::pause; }

void place_preemptions(const plan& p) {
  change_count = std::min(p.preemptions, most_preemptions);
  if (p.length == 0) change_count = 0;
  for (unsigned i = 0; i < change_count; ++i) {
    // Anywhere, or soon after the one before: a race is often a few steps wide.
    const bool near = i != 0 && random_below(2) == 0;
    change_points[i] = near ? change_points[i - 1] + 1 + random_below(24) : 1 + random_below(p.length);
  }
  std::sort(change_points, change_points + change_count);
}

/// The last thing of an explored thread: made before every other thread-local object of it, it is destroyed
/// after them, and their destructors are steps of the schedule, too.
struct last_of_thread {
  bool begun = false;
  ~last_of_thread() {
    if (!begun) return;
    note(access::ends, nullptr, std::source_location::current());
    self->now = mood::ended;
    ++changes;
    wake_blocked(self, static_cast<int>(most_threads));
    explored_thread* next = pick_or_fail();
    self = nullptr;
    leaving = gettid();
    sem_post(&next->baton);
  }
};

void* thread_body(void* argument) {
  thread_local last_of_thread last;
  last.begun = true;
  self = static_cast<explored_thread*>(argument);
  take_baton(self);
  note(access::begins, nullptr, std::source_location::current());
  return self->body(self->argument);
}

}  // namespace

void begin_schedule(const plan& p, record* r) {
  out = r;
  random_state = p.seed * 0x9e3779b97f4a7c15u + 1;
  place_preemptions(p);
  thread_count = 1;
  self = &threads[0];
  sem_init(&self->baton, 0, 0);
}

void end_schedule() {
  out->how = outcome::passed;
  _exit(0);
}

void fail_schedule(const char* why) {
  std::snprintf(out->message, sizeof out->message, "%s", why);
  out->how = outcome::failed;
  _exit(1);
}

void check(bool held, const char* promise) {
  if (!held) fail_schedule(promise);
}

void counts_from_here() {
  out->counted = 0;
  counting = true;
}

void counts_until_here() { counting = false; }

bool is_explored() { return self != nullptr; }

void step(access what, const void* word, std::source_location place) {
  if (self == nullptr) return;
  const bool counts = counting && could_preempt();
  if (counts) ++out->counted;
  if (counts && changes_made < change_count && out->counted >= change_points[changes_made]) {
    if (explored_thread* t = pick_to_preempt()) {
      ++changes_made;
      ++out->preemptions;
      last_was_preempted = true;
      hand_over_to(t);
    }
  }
  self->now = mood::ready;
  if (is_change(what)) {
    ++changes;
    idle_pauses = 0;
  }
  time_now += 5;
  note(what, word, place);
}

void note_value(std::uint64_t value, bool failed) {
  if (self == nullptr) return;
  step_record& r = out->list[out->steps - 1];
  r.value = value;
  r.failed = failed;
}

void pause() {
  if (self == nullptr) return;
  note(access::pause, nullptr, std::source_location::current());
  self->now = mood::pausing;
  self->paused_at = changes;
  time_now += 50;
  if (++idle_pauses == most_idle_pauses) {
    fail_schedule("no thread gets on: those that are not blocked spin, and nothing changes");
  }
  explored_thread* next = pick();
  if (next == nullptr && random_below(8) == 0) {  // all look in vain: perhaps for time to pass
    next = random_below(2) == 0 ? any_other([](auto& t) { return t.now == mood::pausing; })
                                : time_out(first_to_time_out());
  }
  if (next != nullptr) hand_over_to(next);
}

bool block_on(const void* word, std::int64_t until) {
  self->now = mood::blocked;
  self->waits_for = word;
  self->until = until;
  explored_thread* me = self;
  explored_thread* next = pick_or_fail();
  if (next != me) hand_over_to(next);  // else its own time has come
  if (!me->in_time) note(access::timed_out, word, std::source_location::current());
  return me->in_time;
}

int wake_blocked(const void* word, int how_many) {
  int woken = 0;
  for (std::size_t i = 0; i < thread_count && woken < how_many; ++i) {
    explored_thread& t = threads[i];
    if (t.now != mood::blocked || t.waits_for != word) continue;
    t.now = mood::ready;
    t.in_time = true;
    ++woken;
  }
  return woken;
}

/// Reading the clock takes time, now more, now less.
std::int64_t virtual_time() {
  time_now += 100 + static_cast<std::int64_t>(random_below(600));
  return time_now;
}

int create_thread(real_create create, pthread_t* handle, const pthread_attr_t* attributes,
                  void* (*body)(void*), void* argument) {
  step(access::create, nullptr, std::source_location::current());
  if (thread_count == most_threads)
    fail_schedule("the scenario makes more threads than the explorer can hold");
  explored_thread& t = threads[thread_count];
  sem_init(&t.baton, 0, 0);
  t.body = body;
  t.argument = argument;
  const int problem = create(handle, attributes, &thread_body, &t);
  if (problem != 0) return problem;
  t.handle = *handle;
  ++thread_count;
  return 0;
}

void wait_for_end(pthread_t handle) {
  for (std::size_t i = 1; i < thread_count; ++i) {
    if (pthread_equal(threads[i].handle, handle) == 0) continue;
    step(access::join, &threads[i], std::source_location::current());
    if (threads[i].now != mood::ended) block_on(&threads[i], no_limit);
    threads[i].handle = {};  // the system may use the handle again
    return;
  }
}

}  // namespace explorer
