// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// select: one wait in several channels. All are locked at once, in the order of their addresses, while the
// cases are tried and while the waiters are hung in, so that nothing can happen in between; one record, which
// the first channel to serve one of its cases fires, stands for all. When it goes on, it takes each channel's
// lock once to take its waiter off; by then the value is where it belongs (channel_core.cpp).
#include <memory>
#include <mutex>

#include "base/clock.hpp"
#include "sync/channel_waiter.hpp"
#include "sync/waiting.hpp"

namespace hocket::detail {

inline constexpr std::size_t most_in_frame = 4;  // waiters that a select has on the stack

/// Locks the channels of the cases, each once; works with std::unique_lock.
class channels_lock {
 public:
  channels_lock(channel_case* cases, std::size_t n) : cases_(cases), n_(n) {
    for (std::size_t i = 0; i < n; ++i) {  // few: sorted by insertion
      std::size_t k = i;
      for (; k != 0 && cases[k - 1].in_order > cases[i].channel; --k)
        cases[k].in_order = cases[k - 1].in_order;
      cases[k].in_order = cases[i].channel;
    }
  }
  void lock() {
    for (std::size_t i = 0; i < n_; ++i) {
      if (is_first(i)) cases_[i].in_order->waiting_.lock();
    }
  }
  void unlock() {
    for (std::size_t i = n_; i-- != 0;) {
      if (is_first(i)) cases_[i].in_order->waiting_.unlock();
    }
  }

 private:
  bool is_first(std::size_t i) const { return i == 0 || cases_[i - 1].in_order != cases_[i].in_order; }
  channel_case* cases_;
  std::size_t n_;
};

namespace {

/// A number for each call; not inlined, since a task may be on another thread afterwards.
HOCKET_NOINLINE std::size_t random_below(std::size_t n) {
  static atomic<std::uint64_t> threads{0};  // relaxed: each begins elsewhere
  static thread_local std::uint64_t state = threads.fetch_add(1, std::memory_order_relaxed) * 2 + 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<std::size_t>((state >> 32) * n >> 32);
}

}  // namespace

class select_operation {
 public:
  select_operation(channel_case* cases, std::size_t n) : cases_(cases), n_(n) {}

  /// Does one of the cases that can be done; n if there is none.
  std::size_t attempt(ready_list& go) {
    std::size_t i = n_ < 2 ? 0 : random_below(n_);
    for (std::size_t tried = 0; tried < n_; ++tried) {
      channel_case& c = cases_[i];
      c.outcome = c.channel->attempt(c.sends, c.place, go);
      if (c.outcome != transfer::would_block) return i;
      if (++i == n_) i = 0;
    }
    return n_;
  }

  /// Waits, with a waiter for each case; unlocks. n if the time is over.
  std::size_t wait(std::unique_lock<channels_lock>& lock, channel_waiter* waiters, deadline until) {
    parked me;
    for (std::size_t i = 0; i < n_; ++i) {
      waiters[i].asks(cases_[i].sends, cases_[i].place, &me);
      cases_[i].channel->waiting_.push_back(&waiters[i]);
    }
    lock.unlock();
    const wake why = n_ == 0 ? park(me, {wait_kind::timer}, until)
                             : park(me, {wait_kind::channel, cases_[0].channel, n_}, until);
    std::size_t done = n_;
    for (std::size_t i = 0; i < n_; ++i) {
      wait_list& list = cases_[i].channel->waiting_;
      const std::lock_guard g(list);
      if (waiters[i].linked) list.remove(&waiters[i]);
      cases_[i].outcome = waiters[i].outcome;
      if (waiters[i].outcome != transfer::would_block) done = i;
    }
    if (why == wake::stopped) throw_cancelled();
    return done;
  }

 private:
  channel_case* cases_;
  std::size_t n_;
};

namespace {

/// Apart, so that a select that need not wait has a small frame.
HOCKET_NOINLINE std::size_t wait_for_one(select_operation& s, std::unique_lock<channels_lock>& lock,
                                         channel_waiter* many, deadline until) {
  if (HOCKET_UNLIKELY(stop_wanted())) {
    lock.unlock();
    throw_cancelled();
  }
  if (many != nullptr) return s.wait(lock, many, until);
  channel_waiter few[most_in_frame];
  return s.wait(lock, few, until);
}

}  // namespace

std::size_t select_channels(channel_case* cases, std::size_t n, deadline until) {
  std::unique_ptr<channel_waiter[]> many;  // made before anything is locked
  if (n > most_in_frame && until != at_once) many = std::make_unique<channel_waiter[]>(n);
  select_operation s(cases, n);
  channels_lock channels(cases, n);
  ready_list go;
  std::unique_lock lock(channels);
  const std::size_t done = s.attempt(go);
  if (done != n || until == at_once || (until != never && until <= now_ns())) return done;
  return wait_for_one(s, lock, many.get(), until);
}

}  // namespace hocket::detail
