// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios of latches, barriers and condition variables: nobody goes on too early, and none who waits is
// forgotten.
#include <chrono>
#include <mutex>
#include <thread>

#include <hocket/hocket.hpp>

#include "own_page.hpp"
#include "scenario.hpp"

namespace explorer {
namespace {
using namespace hocket;
using namespace std::chrono_literals;

const options one_worker{.workers = 1, .pin = false, .spin = 1, .max_threads = 1};
const options two_workers{.workers = 2, .pin = false, .spin = 1, .max_threads = 2};

/// Two threads and a task count down, a thread and the main task wait.
void latch_threads() {
  int done = 0, went = 0;
  run(one_worker, [&] {
    latch l(3);
    const auto counts = [&] {
      ++done;
      l.count_down();
    };
    const auto waits = [&] {
      l.wait();
      check(done == 3, "wait() returns at zero");
      ++went;
    };
    counts_from_here();
    std::thread one(counts), two(counts), thread_waits(waits);
    auto other = start(counts);
    waits();
    other.wait();
    one.join();
    two.join();
    thread_waits.join();
  });
  check(went == 2, "nobody who waits is forgotten");
}

/// A thread opens the latch for a task that any of two workers may resume.
void latch_two_resume() {
  run(two_workers, [] {
    latch l(2);
    bool counted = false;
    counts_from_here();
    std::thread counts([&] {
      counted = true;
      l.count_down();
    });
    l.arrive_and_wait();
    check(counted, "wait() returns at zero");
    counts.join();
  });
}

/// Some give up after a while; what they are told is true.
void latch_limit() {
  run(one_worker, [] {
    latch l(2);
    int done = 0;
    const auto counts = [&] {
      ++done;
      l.count_down();
    };
    const auto perhaps = [&] {
      if (l.wait_for(1us)) check(done == 2, "wait_for() tells of zero");
    };
    counts_from_here();
    std::thread counts_too(counts), thread_waits(perhaps);
    auto task_waits = start(perhaps), other = start(counts);
    l.wait();
    check(done == 2, "wait() returns at zero");
    other.wait();
    task_waits.wait();
    counts_too.join();
    thread_waits.join();
  });
}

/// The latch ends with the last who waited, though others may just have counted down.
void latch_ends() {
  run(one_worker, [] {
    own_page<latch> l(2);
    int left = 2;
    const auto leave = [&] {
      if (--left == 0) l.end();
    };
    counts_from_here();
    std::thread counts([&] { l->count_down(); });
    std::thread waits([&] {
      while (!l->wait_for(1us)) {
      }
      leave();
    });
    auto other = start([&] { l->count_down(); });
    l->wait();
    leave();
    other.wait();
    counts.join();
    waits.join();
  });
}

/// The latch ends with one who only looked at it, when who waited has given up.
void latch_polled() {
  run(one_worker, [] {
    own_page<latch> l(1);
    bool waited = false;
    counts_from_here();
    std::thread waits([&] {
      static_cast<void>(l->wait_for(1us));
      waited = true;
    });
    std::thread looks([&] {
      while (!waited || !l->try_wait()) pause();
      l.end();
    });
    pause();
    pause();
    l->count_down();
    waits.join();
    looks.join();
  });
}

/// Counts who has come into each phase.
struct phases {
  static constexpr int all = 3, last = 2;
  int come[last] = {};
  int over = 0;
  void check_over(int phase) const { check(come[phase] == all, "nobody goes on before all have come"); }
};

/// Two threads and a task meet twice; the last one of each phase does something for all.
void barrier_threads() {
  phases p;
  run(one_worker, [&] {
    const auto over = [&]() noexcept {
      p.check_over(p.over);
      ++p.over;
    };
    barrier<decltype(over)> b(phases::all, over);
    const auto meets = [&] {
      for (int i = 0; i < phases::last; ++i) {
        ++p.come[i];
        b.arrive_and_wait();
        p.check_over(i);
        check(p.over > i, "nobody goes on before the completion");
      }
    };
    counts_from_here();
    std::thread one(meets), two(meets);
    meets();
    one.join();
    two.join();
  });
  check(p.over == phases::last, "each phase is over once");
}

/// Tasks on two workers and a thread that comes once and drops out.
void barrier_two_workers() {
  phases p;
  p.come[1] = 1;  // of the one that drops out
  run(two_workers, [&] {
    barrier<> b(phases::all);
    const auto meets = [&] {
      for (int i = 0; i < phases::last; ++i) {
        ++p.come[i];
        const auto token = b.arrive();
        b.wait(token);
        p.check_over(i);
      }
    };
    counts_from_here();
    std::thread drops([&] {
      ++p.come[0];
      b.arrive_and_drop();
    });
    auto other = start(meets);
    meets();
    other.wait();
    drops.join();
  });
}

/// Some look after a while whether the phase is over; what they are told is true.
void barrier_limit() {
  phases p;
  run(one_worker, [&] {
    barrier<> b(phases::all);
    const auto meets = [&] {
      for (int i = 0; i < phases::last; ++i) {
        ++p.come[i];
        const auto token = b.arrive();
        if (!b.wait_for(token, 1us)) b.wait(token);
        p.check_over(i);
      }
    };
    counts_from_here();
    std::thread one(meets);
    auto other = start(meets);
    meets();
    other.wait();
    one.join();
  });
}

/// The barrier ends with the last who waited, though another may just have arrived.
void barrier_ends() {
  run(one_worker, [] {
    own_page<barrier<>> b(3);
    int left = 2;
    const auto leave = [&] {
      if (--left == 0) b.end();
    };
    counts_from_here();
    std::thread arrives([&] { static_cast<void>(b->arrive()); });
    std::thread waits([&] {
      const auto token = b->arrive();
      while (!b->wait_for(token, 1us)) {
      }
      leave();
    });
    b->arrive_and_wait();
    leave();
    arrives.join();
    waits.join();
  });
}

/// Things that are put and taken under a lock.
struct things {
  hocket::mutex lock;
  condition_variable more;
  int there = 0, taken = 0;
  void put() {
    {
      const std::lock_guard hold(lock);
      ++there;
    }
    more.notify_one();
  }
  void take() {
    std::unique_lock hold(lock);
    more.wait(hold, [&] { return there != 0; });
    check(there > 0, "the predicate holds after the wait");
    --there;
    ++taken;
  }
};

/// Tasks and threads put and take.
void condition_threads() {
  things t;
  run(one_worker, [&] {
    counts_from_here();
    std::thread puts([&] { t.put(); }), takes([&] { t.take(); });
    auto task_takes = start([&] { t.take(); });
    t.put();
    task_takes.wait();
    puts.join();
    takes.join();
  });
  check(t.taken == 2 && t.there == 0, "each thing is taken once");
}

/// Tasks that any of two workers may resume; all are told at once.
void condition_two_workers() {
  things t;
  run(two_workers, [&] {
    counts_from_here();
    std::thread puts([&] {
      {
        const std::lock_guard hold(t.lock);
        t.there = 2;
      }
      t.more.notify_all();
    });
    auto other = start([&] { t.take(); });
    t.take();
    other.wait();
    puts.join();
  });
  check(t.taken == 2 && t.there == 0, "each thing is taken once");
}

/// One who gives up takes no notification with it; who has got one that it does not need passes it on.
void condition_limit() {
  things t;
  run(one_worker, [&] {
    const auto looks_on = [&] {
      std::unique_lock hold(t.lock);
      const bool notified = t.more.wait_for(hold, 1us) == std::cv_status::no_timeout;
      hold.unlock();
      if (notified) t.more.notify_one();
    };
    counts_from_here();
    std::thread thread_looks(looks_on), takes([&] { t.take(); });
    auto task_looks = start(looks_on);
    t.put();
    task_looks.wait();
    thread_looks.join();
    takes.join();
  });
  check(t.taken == 1 && t.there == 0, "no notification is lost");
}

/// The condition variable ends as soon as all have been notified.
void condition_ends() {
  run(one_worker, [] {
    own_page<condition_variable> changed;
    hocket::mutex lock;
    bool set = false;
    const auto looks = [&] {
      std::unique_lock hold(lock);
      while (!set) changed->wait_for(hold, 1us);
    };
    counts_from_here();
    std::thread thread_looks(looks);
    auto task_looks = start(looks), waits = start([&] {
                                      std::unique_lock hold(lock);
                                      while (!set) changed->wait(hold);
                                    });
    this_task::yield();
    {
      const std::lock_guard hold(lock);
      set = true;
    }
    changed->notify_all();
    changed.end();
    task_looks.wait();
    waits.wait();
    thread_looks.join();
  });
}

}  // namespace

scenarios meeting_scenarios() {
  return {{"latch_threads", "a latch between tasks and threads", latch_threads},
          {"latch_two_resume", "a latch, two workers may resume who waits", latch_two_resume},
          {"latch_limit", "a latch, some who wait give up", latch_limit},
          {"latch_ends", "a latch that ends with who waited", latch_ends},
          {"latch_polled", "a latch that ends with who looked at it", latch_polled},
          {"barrier_threads", "a barrier between a task and threads", barrier_threads},
          {"barrier_two_workers", "a barrier between two workers, a thread drops out", barrier_two_workers},
          {"barrier_limit", "a barrier, all look again after a while", barrier_limit},
          {"barrier_ends", "a barrier that ends with who waited", barrier_ends},
          {"condition_threads", "a condition variable between tasks and threads", condition_threads},
          {"condition_two_workers", "a condition variable on two workers", condition_two_workers},
          {"condition_limit", "a condition variable, some who wait give up", condition_limit},
          {"condition_ends", "a condition variable that ends when all are told", condition_ends}};
}

}  // namespace explorer
