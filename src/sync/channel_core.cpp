// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels: ring and waiters under one lock.
//
// Senders and receivers lie in one list. Who comes to send has taken all receivers off before it queues
// itself, since it serves each, or finds that its time is over; and the other way round. So a sender and a
// receiver in the list are cases of one select, and the search for one kind can stop at a waiter of the other
// kind that stands alone. Values go from the oldest end: the ring, then the senders that wait; a sender waits
// only while the ring is full, so whoever takes from the ring fills it again from the oldest sender.
//
// A hand-over must not be undone: a value is moved only when the waiter is sure to take it. A waiter that
// only the list knows is. Any other is claimed first, by firing its record: if that fails, its time is over,
// it was asked to stop, or (a select) another channel was faster, and it counts no more. But then it may go
// on at once, before the value has been moved. So it passes through the channel's lock (wait_list::wait
// does) before it looks at its place: who claims a waiter keeps the lock until value and outcome are there.
// The channel, too, is not touched by the other side after that.
#include <hocket/detail/channel_core.hpp>

#include <limits>
#include <new>

#include <hocket/error.hpp>

#include "sync/channel_waiter.hpp"
#include "sync/waiting.hpp"

namespace hocket::detail {

channel_core::channel_core(std::size_t capacity, const element_operations& operations)
    : operations_(operations), capacity_(capacity) {
  if (capacity == 0) return;
  if (capacity > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / operations.bytes)
    throw std::bad_array_new_length();
  ring_ = static_cast<unsigned char*>(
      ::operator new(capacity * operations.bytes, std::align_val_t{operations.alignment}));
}

channel_core::~channel_core() {
  {
    const std::lock_guard g(waiting_);
    if (HOCKET_UNLIKELY(!waiting_.empty())) refuse_end("a channel", this);
  }
  for (std::size_t n = size(); n != 0; --n) {
    operations_.destroy(slot(first_));
    if (++first_ == capacity_) first_ = 0;
  }
  if (ring_ != nullptr) ::operator delete(ring_, std::align_val_t{operations_.alignment});
}

/// Makes the waiter, which has been taken off, go on after the unlock; false if it does not wait any more.
static bool claim(channel_waiter* w, ready_list& go) {
  if (HOCKET_LIKELY(w->only_listed)) {
    go.add(w->who.task);
    return true;
  }
  real_task* ready = nullptr;
  if (!fire(w->record, wake::done, ready)) return false;
  if (ready != nullptr) go.add(ready);
  return true;
}

/// Takes the oldest waiter of a kind off, to be served; null if there is none.
channel_waiter* channel_core::claim_first(bool sends, ready_list& go) {
  const parked* of_select = nullptr;  // whose cases are of both kinds
  for (list_waiter* next = waiting_.first(); next != nullptr;) {
    auto* w = static_cast<channel_waiter*>(next);
    next = w->next;
    if (w->sends == sends) {
      waiting_.remove(w);
      if (claim(w, go)) return w;
    } else if (w->record == &w->who || (of_select != nullptr && w->record != of_select)) {
      return nullptr;
    } else {
      of_select = w->record;
    }
  }
  return nullptr;
}

/// Where the next value goes in the ring, which is not full.
void* channel_core::push_slot() {
  const std::size_t n = size();
  count_.store(n + 1, std::memory_order_relaxed);
  const std::size_t room = capacity_ - first_;
  return slot(n < room ? first_ + n : n - room);
}

transfer channel_core::try_send(void* from, ready_list& go) {
  if (HOCKET_UNLIKELY(closed_.load(std::memory_order_relaxed))) return transfer::closed;
  if (channel_waiter* w = claim_first(false, go)) {
    operations_.move(w->place, from);
    w->outcome = transfer::done;
    return transfer::done;
  }
  if (size() == capacity_) return transfer::would_block;
  operations_.move(push_slot(), from);
  return transfer::done;
}

transfer channel_core::try_receive(void* to, ready_list& go) {
  const std::size_t n = size();
  if (n == 0) {
    channel_waiter* w = claim_first(true, go);
    if (w == nullptr)
      return closed_.load(std::memory_order_relaxed) ? transfer::closed : transfer::would_block;
    operations_.move(to, w->place);
    w->outcome = transfer::done;
    return transfer::done;
  }
  void* oldest = slot(first_);
  operations_.move(to, oldest);
  operations_.destroy(oldest);
  if (++first_ == capacity_) first_ = 0;
  count_.store(n - 1, std::memory_order_relaxed);
  if (channel_waiter* w = claim_first(true, go)) {
    operations_.move(push_slot(), w->place);
    w->outcome = transfer::done;
  }
  return transfer::done;
}

/// Looks for a while whether there is a place (a value) in the ring.
void channel_core::look(bool sends, unsigned looks) const {
  const std::size_t useless = sends ? capacity_ : 0;
  for (; looks != 0 && size() == useless && !closed(); --looks) cpu_pause();
}

/// Waits for what could not be done at once; unlocks, if it waits.
HOCKET_NOINLINE transfer channel_core::wait(std::unique_lock<wait_list>& lock, ready_list& go, bool sends,
                                            void* place, deadline until) {
  if (is_over(until)) return transfer::would_block;
  if (HOCKET_UNLIKELY(stop_wanted())) {
    lock.unlock();
    throw_cancelled();
  }
  if (const unsigned looks = capacity_ == 0 ? 0 : looks_before_waiting(current_task())) {
    lock.unlock();
    look(sends, looks);
    lock.lock();
    if (const transfer outcome = attempt(sends, place, go); outcome != transfer::would_block) return outcome;
  }
  channel_waiter me;
  me.asks(sends, place, &me.who);
  waiting_.push_back(&me);
  lock.release();
  const wake why = waiting_.wait(me, {wait_kind::channel, this}, until, true);
  if (why == wake::stopped) throw_cancelled();
  if (why == wake::timed_out) return transfer::would_block;
  return me.outcome;  // it came back through the lock, if need be: all is there
}

/// Without room for a second value, the other side's turn comes next anyway.
static ready_list::caller caller_of(std::size_t capacity, deadline until) {
  return capacity <= 1 && until != at_once ? ready_list::caller::may_block : ready_list::caller::stays;
}

bool channel_core::send(void* from, deadline until) {
  transfer outcome;
  {
    ready_list go(caller_of(capacity_, until));
    std::unique_lock lock(waiting_);
    outcome = try_send(from, go);
    if (outcome == transfer::would_block) outcome = wait(lock, go, true, from, until);
  }
  if (HOCKET_UNLIKELY(outcome == transfer::closed)) throw_closed();
  return outcome == transfer::done;
}

bool channel_core::receive(void* to, deadline until) {
  ready_list go(caller_of(capacity_, until));
  std::unique_lock lock(waiting_);
  transfer outcome = try_receive(to, go);
  if (outcome == transfer::would_block) outcome = wait(lock, go, false, to, until);
  return outcome == transfer::done;
}

void channel_core::close() {
  ready_list go;
  const std::lock_guard g(waiting_);
  closed_.store(true, std::memory_order_release);
  while (!waiting_.empty()) {
    auto* w = static_cast<channel_waiter*>(waiting_.first());
    waiting_.remove(w);
    if (claim(w, go)) w->outcome = transfer::closed;
  }
}

void throw_closed() {
  throw error(errc::closed, "a value was sent into a channel that is closed; close it after the last send");
}

}  // namespace hocket::detail
