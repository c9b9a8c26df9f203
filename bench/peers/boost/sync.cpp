// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sync layer's benchmarks on Boost.Fiber. One thread: its round-robin scheduler. More: `default` the
// shared queue of its examples (shared_work), `tuned` work_stealing; `tuned` also gives the fibers small
// stacks, which come from a pool where one thread alone uses it (the pool is not made for several).
#include <boost/fiber/all.hpp>
#include <boost/fiber/pooled_fixedsize_stack.hpp>

#include <bit>
#include <memory>
#include <thread>

#include "boost_benches.hpp"
#include "common/plain_threads.hpp"
#include "workloads/full_empty.hpp"
#include "workloads/sync.hpp"

namespace hkbench {
namespace {

namespace fibers = boost::fibers;

constexpr std::size_t small_stack = 16 * 1024;

bool tuned(request& rq) { return rq.choice("tuning", {"default", "tuned"}) == "tuned"; }

/// scheduling_threads are `threads` threads, the caller's included, that run the fibers of one another.
class scheduling_threads {
 public:
  scheduling_threads(unsigned threads, bool tune) {
    if (threads == 1) return;
    for (unsigned i = 1; i < threads; ++i) {
      others_.emplace_back([this, threads, tune] {
        choose_scheduler(threads, tune);
        std::unique_lock lock(mutex_);
        ended_.wait(lock, [this] { return over_; });
      });
    }
    choose_scheduler(threads, tune);  // returns when all threads have come here, if it steals
  }
  ~scheduling_threads() {
    {
      const std::lock_guard hold(mutex_);
      over_ = true;
    }
    ended_.notify_all();
    for (auto& thread : others_) thread.join();
  }
  scheduling_threads(const scheduling_threads&) = delete;
  scheduling_threads& operator=(const scheduling_threads&) = delete;

 private:
  static void choose_scheduler(unsigned threads, bool steal) {
    if (steal)
      fibers::use_scheduling_algorithm<fibers::algo::work_stealing>(threads);
    else
      fibers::use_scheduling_algorithm<fibers::algo::shared_work>();
  }

  fibers::mutex mutex_;
  fibers::condition_variable ended_;
  bool over_ = false;
  std::vector<std::thread> others_;
};

/// fiber_barrier, fiber_channel: Boost's, under the names of workloads/sync.hpp.
class fiber_barrier {
 public:
  explicit fiber_barrier(long tasks) : barrier_(static_cast<std::size_t>(tasks)) {}
  void arrive_and_wait() { barrier_.wait(); }

 private:
  fibers::barrier barrier_;
};

/// A buffered channel has a power of two of places, at least two, and one of them always stays free.
class fiber_channel {
 public:
  explicit fiber_channel(std::size_t capacity)
      : channel_(std::bit_ceil(std::max<std::size_t>(capacity, 2))) {}
  void send(long value) { channel_.push(value); }
  long receive() { return channel_.value_pop(); }

 private:
  fibers::buffered_channel<long> channel_;
};

class fiber_kit {
 public:
  using mutex = fibers::mutex;
  using condition_variable = fibers::condition_variable;
  using barrier = fiber_barrier;
  using channel = fiber_channel;

  fiber_kit(unsigned threads, bool tune)
      : tuned_(tune), one_thread_(threads == 1), pool_(small_stack), threads_(threads, tune) {}

  static void yield() { boost::this_fiber::yield(); }

  template <class F>
  double run(long tasks, F body) {
    fibers::mutex guard;
    fibers::condition_variable opened;
    bool open = false;
    long arrived = 0;
    std::vector<fibers::fiber> all;
    for (long i = 0; i < tasks; ++i) {
      all.push_back(make([&, i] {
        std::unique_lock lock(guard);
        ++arrived;
        opened.wait(lock, [&] { return open; });
        lock.unlock();
        body(i);
      }));
    }
    for (bool complete = false; !complete;) {
      boost::this_fiber::yield();
      const std::lock_guard hold(guard);
      complete = arrived == tasks;
    }
    return seconds_of([&] {
      {
        const std::lock_guard hold(guard);
        open = true;
      }
      opened.notify_all();
      for (auto& fiber : all) fiber.join();
    });
  }

  /// fork() joins the fibers: Boost.Fiber has no latch.
  template <class F>
  void fork(long tasks, F body) {
    std::vector<fibers::fiber> all;
    all.reserve(static_cast<std::size_t>(tasks));
    for (long i = 0; i < tasks; ++i) all.push_back(make([body, i] { body(i); }));
    for (auto& fiber : all) fiber.join();
  }

 private:
  template <class F>
  fibers::fiber make(F f) {
    if (!tuned_) return fibers::fiber(f);
    if (one_thread_) return fibers::fiber(std::allocator_arg, pool_, f);
    return fibers::fiber(std::allocator_arg, fibers::fixedsize_stack(small_stack), f);
  }

  bool tuned_;
  bool one_thread_;
  fibers::pooled_fixedsize_stack pool_;
  scheduling_threads threads_;
};

/// A word of `feb` is a channel: without a place (`default`), or with one (`tuned`: two, of which one is
/// used).
class unbuffered_word {
 public:
  void put(long value) { channel_.push(value); }
  long take() { return channel_.value_pop(); }

 private:
  fibers::unbuffered_channel<long> channel_;
};
class buffered_word {
 public:
  void put(long value) { channel_.push(value); }
  long take() { return channel_.value_pop(); }

 private:
  fibers::buffered_channel<long> channel_{2};
};

template <class Run>
void feb_with(request& rq, bool tune, Run run) {
  tune ? run_feb<buffered_word>(rq, run) : run_feb<unbuffered_word>(rq, run);
}

template <void (*Bench)(request&, fiber_kit&)>
void with_kit(request& rq) {
  fiber_kit kit(rq.threads(), tuned(rq));
  Bench(rq, kit);
}

}  // namespace

/// Two threads: each is bound to its core and has a scheduler and one fiber of its own, so that every value
/// crosses.
void boost_feb(request& rq) {
  const bool tune = tuned(rq);
  if (rq.threads() == 1) {
    fiber_kit kit(1, tune);
    feb_with(rq, tune, [&kit](long tasks, auto body) { return kit.run(tasks, body); });
  } else {
    feb_with(rq, tune, [](long tasks, auto body) {
      return seconds_on_threads(static_cast<unsigned>(tasks),
                                [&](unsigned i) { body(static_cast<long>(i)); });
    });
  }
}

void boost_sync(request& rq) {
  rq.choice("tuning", {"default"});
  run_sync<guarded_word<fibers::mutex>>(rq);
}

void boost_mutex(request& rq) { with_kit<run_mutex>(rq); }
void boost_channel(request& rq) { with_kit<run_channel>(rq); }
void boost_barrier(request& rq) { with_kit<run_barrier>(rq); }
void boost_condition(request& rq) { with_kit<run_condition>(rq); }
void boost_counter(request& rq) { with_kit<run_counter>(rq); }

}  // namespace hkbench
