# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The planted bugs: where, what, and a scenario that finds each.

# --- the deque
hocket_plant_value(epoch-not-raised fork_expose sched/deque.cpp "the owner's slow steps leave the epoch as it is"
  [[pack(b.tail, split, b.epoch + 1)]] [[pack(b.tail, split, b.epoch)]])
hocket_plant(lim-after-cas fork_expose sched/deque.cpp "the owner moves the split, then stores lim"
  [[g->lim.store(lim_for(g, b.tail, split), std::memory_order_relaxed);]]
  [[const bool moved = g->ts.compare_exchange_strong(v, pack(b.tail, split, b.epoch + 1), std::memory_order_acq_rel);
    if (moved) g->lim.store(lim_for(g, b.tail, split), std::memory_order_relaxed);
    return moved;]])
hocket_plant(thief-takes-without-claim fork_give sched/deque.cpp "a thief runs a child that its parent gave away"
  [[if (s->state.compare_exchange_strong(free, taken, std::memory_order_acq_rel, std::memory_order_relaxed))
        return s;]]
  [[s->state.store(taken); return s;]])
hocket_plant(waiter-stored-plainly fork_steal sched/deque.cpp "the end of a stolen child is overwritten by its waiter"
  [[if (s->state.compare_exchange_weak(state, mine, std::memory_order_acq_rel, std::memory_order_acquire))
      return;]]
  [[s->state.store(mine); return;]])

# --- the queues
hocket_plant(thief-does-not-look lock_one_thief sched/biased_lock.hpp "a thief enters while the owner is inside"
  [[if (inside_.load(std::memory_order_acquire) == 0) return true;]] [[return true;]])
hocket_plant(owner-does-not-look lock_one_thief sched/biased_lock.hpp "the owner enters while a thief is inside"
  [[if (HOCKET_UNLIKELY(revoked_.load(std::memory_order_acquire) != 0)) wait_for_other();]] "")
hocket_plant(thieves-do-not-exclude lock_two_thieves sched/biased_lock.hpp "two thieves enter"
  [[if (others_.exchange(1, std::memory_order_acquire) != 0) return false;]] [[others_.store(1);]])

# --- waiting
hocket_plant_value(arm-overwrites wait_any sched/park.cpp "a task that waits overwrites the wake-up that came while it left"
  [[static_cast<parked*>(argument)->state.compare_exchange_strong(
          expected, parked::armed, std::memory_order_acq_rel, std::memory_order_acquire)]]
  [[(static_cast<parked*>(argument)->state.store(parked::armed), true)]])
hocket_plant(setter-does-not-pass event_limit sync/event.cpp "set() does not tell a waiter that timed out that it has passed"
  [[w->passed.store(1, std::memory_order_release);]] [[;]])
hocket_plant(waiter-does-not-wait event_limit sync/event.cpp "a waiter that timed out does not wait for set() to pass it"
  [[for (unsigned i = 0; w->passed.load(std::memory_order_acquire) == 0; ++i) back_off(i);]] "")
hocket_plant(end-overwrites-waiter handle_one_waiter sched/tasks.cpp "a task ends without having seen who came to wait"
  [[if (d->word.compare_exchange_weak(v, v + change, std::memory_order_acq_rel,
                                        std::memory_order_relaxed)) {
        if ((v + change) / reference == 0) destroy_descriptor(d);
        return nullptr;
      }]]
  [[if ((d->word.fetch_add(change) + change) / reference == 0) destroy_descriptor(d); return nullptr;]])

# --- lists of waiters
hocket_plant(found-before-it-left semaphore_two_resume sync/waiting.cpp "a waiter may be found before it has left its stack"
  [[suspend(note, release, argument);]]
  [[release(argument, t); suspend(note, [](void*, real_task*) {}, nullptr);]])
hocket_plant(back-before-all-is-there channel_meeting_limit sync/waiting.cpp "who is let go does not pass through the list's lock"
  [[const std::lock_guard g(*this);
  if (w.linked) remove(&w);
  return why;]]
  [[if (why == wake::done) return why;
  const std::lock_guard g(*this);
  if (w.linked) remove(&w);
  return why;]])

# --- locks
hocket_plant(late-waiter-keeps-permit semaphore_limit sync/semaphore.cpp "a permit is handed to one whose time was over"
  [[if (list_.let_go(w, go)) available -= wants;]] [[list_.let_go(w, go); available -= wants;]])
hocket_plant(those-behind-forgotten semaphore_leaves sync/semaphore.cpp "who leaves a semaphore does not let those behind in"
  [[if ((seen & waiting) != 0) hand_out(seen & ~waiting, go);]] "")
hocket_plant(writer-leaves-silently shared_leaves sync/shared_mutex.cpp "a writer that gives up does not let the readers behind in"
  [[if ((word_.load(std::memory_order_relaxed) & waiting) != 0)
    hand_over(go);]] "")
hocket_plant(late-waiter-holds shared_limit sync/shared_mutex.cpp "a shared mutex is handed to one whose time was over"
  [[if (!list_.let_go(w, go)) {
      word_.fetch_sub(alone ? held : reader, std::memory_order_relaxed);
      if (alone) set_owner(nullptr, 0);
    }]] [[list_.let_go(w, go);]])

# --- meetings
hocket_plant(latch-opens-early latch_polled sync/latch.cpp "a latch opens before who opens it has locked the list"
  [[ready_list go;
  const std::lock_guard g(list_);
  word_.fetch_sub(waiting, std::memory_order_acq_rel);  // now it is open
  while (list_waiter* w = list_.first()) list_.let_go(w, go);]]
  [[word_.fetch_sub(waiting);
  ready_list go;
  const std::lock_guard g(list_);
  while (list_waiter* w = list_.first()) list_.let_go(w, go);]])
hocket_plant(latch-ends-early latch_polled sync/latch.cpp "a latch ends while another is about to unlock its list"
  [[const std::lock_guard g(list_);  // who let go the last one may still be about to unlock
  if (HOCKET_UNLIKELY(!list_.empty())) refuse_end("a latch", this);]] "")
hocket_plant_value(latch-not-looked-at-again latch_threads sync/latch.cpp "who waits for a latch does not look again under the lock"
  [[seen <= 0]] [[false]])
hocket_plant_value(waiter-overwritten barrier_threads sync/barrier.cpp "the next phase of a barrier overwrites who came to wait"
  [[word_.compare_exchange_strong(seen, next, std::memory_order_release, std::memory_order_relaxed)]]
  [[(word_.store(next), true)]])
hocket_plant_value(phase-not-looked-at-again barrier_two_workers sync/barrier.cpp "who waits for a phase does not look again under the lock"
  [[phase_in(seen) != phase]] [[false]])
hocket_plant(not-listed-before-unlock condition_threads sync/condition_variable.cpp "who waits for a condition gives up the lock before it is listed"
  [[const std::lock_guard g(list_);
    list_.push_back(&me);
    waiting_.store(1, std::memory_order_release);]]
  [[lock.unlock(lock.object);
    {
      const std::lock_guard g(list_);
      list_.push_back(&me);
      waiting_.store(1, std::memory_order_release);
    }
    lock.lock(lock.object);]])
hocket_plant_value(late-waiter-notified condition_limit sync/condition_variable.cpp "a notification goes to one whose time was over"
  [[list_.let_go(w, go)]] [[(list_.let_go(w, go) || (list_.push_front(w), true))]])

# --- channels
hocket_plant(late-receiver-served channel_limit sync/channel_core.cpp "a value is handed to one whose time was over"
  [[if (!fire(w->record, wake::done, ready)) return false;]] [[fire(w->record, wake::done, ready);]])
hocket_plant(select-not-at-once select_meeting sync/channel_select.cpp "a select unlocks the channels before it waits in them"
  [[for (std::size_t i = 0; i < n_; ++i) {
      waiters[i].asks(cases_[i].sends, cases_[i].place, &me);
      cases_[i].channel->waiting_.push_back(&waiters[i]);
    }
    lock.unlock();]]
  [[lock.unlock();
    for (std::size_t i = 0; i < n_; ++i) {
      waiters[i].asks(cases_[i].sends, cases_[i].place, &me);
      const std::lock_guard g(cases_[i].channel->waiting_);
      cases_[i].channel->waiting_.push_back(&waiters[i]);
    }]])
hocket_plant_value(select-locks-in-any-order select_meets_select sync/channel_select.cpp "selects lock their channels in the order of the cases"
  [[cases[k - 1].in_order > cases[i].channel]] [[false]])

# --- words, counters and futures
hocket_plant(late-waiter-counts word_limit sync/full_empty_cell.hpp "a reader that timed out takes the value with it"
  [[if (let_go(w, go)) full_ = false;]] [[let_go(w, go); full_ = false;]])
hocket_plant(late-waiter-stays variable_limit sync/full_empty_state.cpp "who timed out stays in the list"
  [[if (me.linked) {
    cell = cell_of(seen, variable, bytes);
    cell.remove(me);
    seen = word_of(cell);
  }]] "")
hocket_plant(zero-unseen counter_threads sync/counter.cpp "the last one to count down does not see who waits"
  [[if (HOCKET_UNLIKELY(v - n * one == waited_for)) return reach_zero(n);]] "")
hocket_plant(begins-early future_of_three sched/held_task.cpp "a future begins when the first of its requirements holds"
  [[if (h->left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;]]
  [[if (h->left.load() == 0) return; h->left.store(0);]])

# --- sleep
hocket_plant_value(no-second-look sleep_begin sched/idle.cpp "a worker sleeps without having looked again"
  [[anything_to_do(w)]] [[false]])
hocket_plant(no-chain-of-wakes sleep_two_sleepers sched/idle.cpp "a worker that has found something wakes no other"
  [[if (searching_.fetch_sub(1, std::memory_order_seq_cst) == 1) wake_one();]] [[searching_.fetch_sub(1);]])
hocket_plant(bound-work-wakes-anyone sleep_inside sched/shepherds.cpp "a worker that may not take it is woken for a bound task"
  [[if (w->asleep.load(std::memory_order_relaxed) != worker::is_awake && wake_this(w)) return;]]
  [[static_cast<void>(w); wake_one(); return;]])

# --- the end
hocket_plant(closed-unseen end_foreign sched/idle.cpp "a task is admitted after the end"
  [[if (late) return false;]]
  [[static_cast<void>(late);]])
