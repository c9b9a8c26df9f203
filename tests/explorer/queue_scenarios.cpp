// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios of a worker's queues under the biased lock: the owner pushes and pops while others steal. Nothing
// is lost, nothing comes out twice.
#include <memory>
#include <thread>

#include "scenario.hpp"
#include "sched/local_queues.hpp"
#include "sched/worker.hpp"

namespace explorer {
namespace {
using namespace hocket::detail;

constexpr int items = 4;

/// Tasks and descriptors that are only carried about, of several levels.
struct cargo {
  cargo() {
    for (int i = 0; i < items; ++i) tasks[i].level.store(level_of(i));
  }
  static unsigned level_of(int i) { return i == 2 ? usual + 1 : usual; }
  real_task tasks[items]{};
  alignas(64) unsigned char descriptors[items][64]{};
  int tasks_out[items]{}, descriptors_out[items]{};

  descriptor* numbered(int i) { return reinterpret_cast<descriptor*>(descriptors[i]); }
  void take(real_task* t) { ++tasks_out[t - tasks]; }
  void take(virtual_entry e) {
    ++descriptors_out[(reinterpret_cast<unsigned char*>(e.as_descriptor()) - descriptors[0]) / 64];
  }
  void take(const work& w) {
    if (w.ready != nullptr) take(w.ready);
    if (w.entry) take(w.entry);
  }
  void push_task(local_queues& q, int i) { q.push_ready(&tasks[i]); }
  void push_entry(local_queues& q, int i) { q.push_virtual(virtual_entry(numbered(i)), level_of(i)); }
  /// Takes all that is left; only when nobody else uses the queues. The hints must say what lies there.
  void drain(local_queues& q) {
    while (q.ready_hint() + q.virtual_hint() != 0) {
      const work w = q.pop_best(0, false);
      check(static_cast<bool>(w), "the hints of idle queues are exact");
      take(w);
    }
    check(!q.pop_best(0, false), "the hints of idle queues are exact");
    check(!q.has_levels(), "an empty queue has no levels");
  }
  void expect_all() const {
    for (int i = 0; i < items; ++i) {
      check(tasks_out[i] == 1, "every ready task comes out of the queues exactly once");
      check(descriptors_out[i] == 1, "every virtual task comes out of the queues exactly once");
    }
  }
};

void owner(cargo& c, local_queues& q) {
  for (int i = 0; i < items; ++i) {
    c.push_task(q, i);
    c.push_entry(q, i);
    if (i % 2 == 0) continue;
    if (real_task* t = q.pop_ready()) c.take(t);
    if (const virtual_entry e = q.pop_virtual(i == 1)) c.take(e);
  }
}

void thief(cargo& c, local_queues& mine, local_queues& victim) {
  for (int i = 0; i < 2; ++i) {
    mine.steal_from(victim);
    c.take(mine.pop_best(0, i == 1));
    pause();
  }
}

void against(int thieves) {
  // In workers: what the queues need around them is there.
  auto c = std::make_unique<cargo>();
  auto victim = std::make_unique<worker>();
  std::unique_ptr<worker> other[2];
  std::thread threads[2];
  for (int i = 0; i < thieves; ++i) {
    other[i] = std::make_unique<worker>();
    threads[i] = std::thread([&, i] { thief(*c, other[i]->queues, victim->queues); });
  }
  counts_from_here();
  owner(*c, victim->queues);
  for (int i = 0; i < thieves; ++i) threads[i].join();
  c->drain(victim->queues);
  for (int i = 0; i < thieves; ++i) c->drain(other[i]->queues);
  c->expect_all();
}

/// The lock alone. Its steps are few, and one lies inside: queues change between steps, all at once.
void lock_against(int thieves) {
  biased_lock lock;
  int inside = 0;
  const auto visit = [&inside] {
    check(++inside == 1, "the lock lets in one at a time");
    pause();
    check(--inside == 0, "the lock lets in one at a time");
  };
  std::thread threads[2];
  for (int i = 0; i < thieves; ++i) {
    threads[i] = std::thread([&] {
      for (int n = 0; n < 2; ++n) {
        if (!lock.try_enter_other()) continue;
        visit();
        lock.leave_other();
      }
    });
  }
  counts_from_here();
  for (int n = 0; n < 3; ++n) {
    lock.enter();
    visit();
    lock.leave();
  }
  for (int i = 0; i < thieves; ++i) threads[i].join();
}

void lock_one_thief() { lock_against(1); }
void lock_two_thieves() { lock_against(2); }
void queues_one_thief() { against(1); }
void queues_two_thieves() { against(2); }

/// Two workers steal from each other.
void queues_mutual() {
  auto c = std::make_unique<cargo>();
  auto a = std::make_unique<worker>(), b = std::make_unique<worker>();
  std::thread other([&] {
    for (int i = 0; i < items; i += 2) c->push_entry(b->queues, i);
    for (int i = 0; i < items; i += 2) c->push_task(b->queues, i);
    b->queues.steal_from(a->queues);
    if (real_task* t = b->queues.pop_ready()) c->take(t);
  });
  counts_from_here();
  for (int i = 1; i < items; i += 2) c->push_task(a->queues, i);
  for (int i = 1; i < items; i += 2) c->push_entry(a->queues, i);
  a->queues.steal_from(b->queues);
  if (const virtual_entry e = a->queues.pop_virtual(false)) c->take(e);
  other.join();
  c->drain(a->queues);
  c->drain(b->queues);
  c->expect_all();
}

}  // namespace

scenarios queue_scenarios() {
  return {{"lock_one_thief", "the biased lock: its owner against one thief", lock_one_thief},
          {"lock_two_thieves", "the same against two thieves", lock_two_thieves},
          {"queues_one_thief", "a worker pushes and pops while a thief steals halves", queues_one_thief},
          {"queues_two_thieves", "the same against two thieves", queues_two_thieves},
          {"queues_mutual", "two workers that steal from each other", queues_mutual}};
}

}  // namespace explorer
