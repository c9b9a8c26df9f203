// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four policies of when a forked call becomes a real task: the runtime's own virtual and real tasks, and two
// that the PACLIB paper compares with: inlining by load (section 1) and virtual S-threads (section 3.2).
//
// All have the same face. fork(f) returns a child, which stays where it is; its join(), called once by the
// forking task, returns f's number. Children are joined newest first.
#pragma once

#include <hocket/hocket.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <utility>

namespace hocket::apps {

// census counts the real tasks of the policies below: those that exist, the most that did, all that ever
// were. The root is one from the start.
class census {
 public:
  void begins() {
    ever_.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t now = now_.fetch_add(1, std::memory_order_relaxed) + 1;
    for (std::uint64_t most = most_.load(std::memory_order_relaxed);
         now > most && !most_.compare_exchange_weak(most, now, std::memory_order_relaxed);) {
    }
  }
  void ends() { now_.fetch_sub(1, std::memory_order_relaxed); }

  std::uint64_t now() const { return now_.load(std::memory_order_relaxed); }
  std::uint64_t most() const { return most_.load(std::memory_order_relaxed); }
  std::uint64_t ever() const { return ever_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> now_{1}, most_{1}, ever_{1};
};

// Every fork a virtual task: made real by a worker that would idle, or run by a task that ends, or by the one
// that waits for it.
class virtual_tasks {
 public:
  struct child {
    hocket::task<std::uint64_t> task;
    std::uint64_t join() const { return task.get(); }
  };
  template <class F>
  child fork(F f) {
    return {hocket::spawn(f)};
  }
};

// Every fork a real task, with a stack at once.
class real_tasks {
 public:
  struct child {
    hocket::task<std::uint64_t> task;
    std::uint64_t join() const { return task.get(); }
  };
  template <class F>
  child fork(F f) {
    return {hocket::start(f)};
  }
};

// A real task if fewer than `threshold` exist at the moment of the fork, else a call. Hazardous: what was
// called is lost to a processor that runs out of work a moment later.
class load_inlining {
 public:
  explicit load_inlining(std::uint64_t threshold) : threshold_(threshold) {}

  struct child {
    hocket::task<std::uint64_t> task;  // empty if it was called
    std::uint64_t value = 0;
    std::uint64_t join() const { return task.valid() ? task.get() : value; }
  };
  template <class F>
  child fork(F f) {
    if (reals_.now() >= threshold_) return {{}, f()};
    reals_.begins();
    return {hocket::start([this, f] {
      const std::uint64_t value = f();
      reals_.ends();
      return value;
    })};
  }

  const census& reals() const { return reals_; }

 private:
  std::uint64_t threshold_;
  census reals_;
};

// Virtual S-threads (Kuechlin and Ward). A fork makes a record; join runs it as a call if nobody has begun
// it. Whenever fewer than `threshold` real tasks are active (exist, and do not wait in a join), the load
// check makes real tasks of the oldest records: at each fork, join that waits, and end of a real task, and in
// watch_load(), from time to time. A real task runs one record and ends: nobody takes on another.
class sthreads {
 public:
  explicit sthreads(std::uint64_t threshold) : threshold_(threshold) {
    oldest_.next = oldest_.previous = &oldest_;
  }
  sthreads(const sthreads&) = delete;
  sthreads& operator=(const sthreads&) = delete;

  template <class F>
  class child;
  template <class F>
  child<F> fork(F f) {
    return child<F>(*this, std::move(f));
  }

  // watch_load() checks the load each `interval`, until `over` is set.
  void watch_load(std::chrono::microseconds interval, hocket::event& over) {
    while (!over.wait_for(interval)) check_load();
  }

  const census& reals() const { return reals_; }

 private:
  // A virtual S-thread; it lies in its forker's frame. While nobody has begun it, it is in the queue.
  struct record {
    record* next = nullptr;  // null: begun. These two are guarded by lock_
    record* previous = nullptr;
    void (*run)(record*) = nullptr;
    hocket::event ended;
  };

  void add(record& r) {
    {
      const std::lock_guard hold(lock_);
      r.next = &oldest_;
      r.previous = oldest_.previous;
      r.previous->next = oldest_.previous = &r;
    }
    check_load();
  }

  static void take_out(record& r) {
    r.previous->next = r.next;
    r.next->previous = r.previous;
    r.next = nullptr;
  }

  // claim() is true for the one who is to run r.
  bool claim(record& r) {
    const std::lock_guard hold(lock_);
    if (r.next == nullptr) return false;
    take_out(r);
    return true;
  }

  record* claim_oldest() {
    const std::lock_guard hold(lock_);
    record* const r = oldest_.next;
    if (r == &oldest_) return nullptr;
    take_out(*r);
    return r;
  }

  void check_load() {
    while (active_.load(std::memory_order_relaxed) < threshold_) {
      // Counted first, so that two who check at once do not make one task too many.
      record* const r =
          active_.fetch_add(1, std::memory_order_relaxed) < threshold_ ? claim_oldest() : nullptr;
      if (r == nullptr) {
        active_.fetch_sub(1, std::memory_order_relaxed);
        return;
      }
      reals_.begins();
      hocket::start([this, r] { run_real(r); });
    }
  }

  void run_real(record* r) {
    r->run(r);
    active_.fetch_sub(1, std::memory_order_relaxed);
    check_load();
    reals_.ends();
    r->ended.set();  // last: the forker may go on, and the frame with r, and all of this, with it
  }

  void wait_for(record& r) {
    if (!r.ended.ready()) {
      active_.fetch_sub(1, std::memory_order_relaxed);
      check_load();
      r.ended.wait();
      active_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  const std::uint64_t threshold_;
  std::atomic<std::uint64_t> active_{1};
  census reals_;
  hocket::mutex lock_;
  record oldest_;  // the queue's two ends: next is the oldest record, previous the newest
};

template <class F>
class sthreads::child : record {
 public:
  child(sthreads& all, F f) : all_(all), f_(std::move(f)) {
    run = [](record* r) {
      auto* const self = static_cast<child*>(r);
      self->value_ = self->f_();
    };
    all_.add(*this);
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  std::uint64_t join() {
    if (all_.claim(*this)) return f_();
    all_.wait_for(*this);
    return value_;
  }

 private:
  sthreads& all_;
  F f_;
  std::uint64_t value_ = 0;
};

}  // namespace hocket::apps
