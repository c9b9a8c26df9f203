// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stop scopes: a chain of links in a task's frames, which thieves of its children read under a lock.
#include <hocket/stop.hpp>

#include <mutex>

#include <hocket/this_task.hpp>

#include "sched/kernel.hpp"
#include "sched/park.hpp"
#include "sched/real_task.hpp"
#include "sched/scheduler.hpp"
#include "sched/stopping.hpp"

namespace hocket {

cancelled::cancelled() : error(errc::cancelled, "the task was asked to stop while it waited") {}

namespace detail {

void stop_link::enter() {
  task = current_task();
  if (task == nullptr) throw_not_a_task("a stop scope");
  outer = task->scope.load(std::memory_order_relaxed);
  floor = top_segment()->head.load(std::memory_order_relaxed);
  const std::lock_guard lock(task->scope_lock);
  task->scope.store(this, std::memory_order_relaxed);
}

void stop_link::leave() {
  if (forked_away()) return;  // a thief that is not here may have held the lock
  const std::lock_guard lock(task->scope_lock);
  task->scope.store(outer, std::memory_order_relaxed);
}

const std::stop_token* token_in_force(real_task* t) {
  const stop_link* link = t->scope.load(std::memory_order_relaxed);
  return link == nullptr || link->shielded || !link->token.stop_possible() ? nullptr : &link->token;
}

bool stop_wanted() {
  real_task* t = current_task();
  if (HOCKET_UNLIKELY(t == nullptr)) {
    if (forked_away()) throw_outside_run("a wait was begun");
    return false;
  }
  const std::stop_token* token = token_in_force(t);
  return token != nullptr && token->stop_requested();
}

void throw_cancelled() { throw cancelled(); }

std::stop_token token_at_fork(slot* s) {
  segment* g = segment_of(s);
  real_task* parent = g->owner;
  const std::lock_guard lock(parent->scope_lock);
  for (const stop_link* link = parent->scope.load(std::memory_order_relaxed); link != nullptr;
       link = link->outer) {
    // Inside, if the child lies at or above the floor: in its segment, or in one further up the chain.
    segment* at = segment_of(link->floor);
    for (segment* below = g; below != nullptr; below = below->previous) {
      if (below != at) continue;
      if (below != g || s >= link->floor) return link->token;
      break;
    }
  }
  return {};
}

}  // namespace detail

namespace {
std::stop_token current_token() {
  detail::real_task* t = detail::current_task();
  if (t == nullptr) return {};
  const detail::stop_link* link = t->scope.load(std::memory_order_relaxed);
  return link == nullptr ? std::stop_token{} : link->token;
}
}  // namespace

stop_scope::stop_scope() : stop_scope(std::stop_token{}) {}

stop_scope::stop_scope(std::stop_token token)
    : from_outer_(current_token(), pass_on{source_}), from_given_(std::move(token), pass_on{source_}) {
  link_.token = source_.get_token();
  link_.enter();
}

stop_scope::~stop_scope() { link_.leave(); }

stop_shield::stop_shield() {
  link_.token = current_token();
  link_.shielded = true;
  link_.enter();
}

std::stop_token this_task::stop_token() { return current_token(); }

}  // namespace hocket
