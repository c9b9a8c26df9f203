// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios of semaphores and shared mutexes: no permit is lost or made up, readers and writers keep apart,
// and nobody who waits is forgotten.
#include <chrono>
#include <mutex>
#include <shared_mutex>
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

/// Permits, and who has them. Others go on inside.
struct permits {
  explicit permits(int n) : all(n), free(n) {}
  const int all;
  semaphore free;
  int out = 0, visits = 0;
  void visit(int n) {
    check((out += n) <= all, "no more permits are out than there are");
    pause();
    ++visits;
    out -= n;
    free.release(n);
  }
  void check_all_free() {
    check(free.try_acquire(all) && !free.try_acquire(), "every permit has come back, once");
    free.release(all);
  }
};

/// Tasks and threads, some of which want two permits at once.
void semaphore_threads() {
  permits p(2);
  run(one_worker, [&] {
    const auto takes = [&](int n) {
      return [&p, n] {
        p.free.acquire(n);
        p.visit(n);
      };
    };
    counts_from_here();
    std::thread one(takes(1)), two(takes(2));
    auto other = start(takes(2));
    takes(1)();
    other.wait();
    one.join();
    two.join();
    p.check_all_free();
  });
  check(p.visits == 4, "everybody gets a permit");
}

/// A thread lets tasks go on, which any of two workers may resume.
void semaphore_two_resume() {
  int went = 0;
  run(two_workers, [&] {
    semaphore s(0);
    counts_from_here();
    std::thread gives([&] {
      s.release();
      s.release();
    });
    auto other = start([&] {
      s.acquire();
      ++went;
    });
    s.acquire();
    ++went;
    other.wait();
    gives.join();
    check(!s.try_acquire(), "each permit is taken once");
  });
  check(went == 2, "everybody gets a permit");
}

/// Some give up after a while: a permit is not handed to one who has gone.
void semaphore_limit() {
  permits p(1);
  int got = 0;
  run(one_worker, [&] {
    const auto perhaps = [&] {
      if (!p.free.try_acquire_for(1us)) return;
      p.visit(1);
      ++got;
    };
    counts_from_here();
    std::thread one(perhaps), two(perhaps);
    auto other = start(perhaps);
    p.free.acquire();
    p.visit(1);
    other.wait();
    one.join();
    two.join();
    p.check_all_free();
  });
  check(p.visits == got + 1, "who gets a permit knows it");
}

/// Who wants more than there is gives up: there may be enough for those behind.
void semaphore_leaves() {
  permits p(1);
  run(one_worker, [&] {
    const auto takes = [&] {
      p.free.acquire();
      p.visit(1);
    };
    counts_from_here();
    std::thread leaves([&] { check(!p.free.try_acquire_for(1us, 2), "there are never two permits"); });
    std::thread thread_takes(takes);
    auto task_takes = start(takes);
    task_takes.wait();
    leaves.join();
    thread_takes.join();
    p.check_all_free();
  });
  check(p.visits == 2, "nobody behind is forgotten");
}

/// The semaphore ends with the last who got a permit.
void semaphore_ends() {
  run(one_worker, [] {
    own_page<semaphore> s(0);
    int left = 2;
    const auto leave = [&] {
      if (--left == 0) s.end();
    };
    counts_from_here();
    std::thread gives([&] { s->release(2); });
    std::thread asks([&] {
      while (!s->try_acquire_for(1us)) {
      }
      leave();
    });
    s->acquire();
    leave();
    gives.join();
    asks.join();
  });
}

/// What a shared mutex guards. It lets others go on inside.
struct shared_guarded {
  hocket::shared_mutex lock;
  int readers = 0, writers = 0, reads = 0, writes = 0;
  void read() {
    ++readers;
    check(writers == 0, "nobody writes while another reads");
    pause();
    ++reads;
    --readers;
  }
  void write() {
    check(++writers == 1 && readers == 0, "who writes is alone");
    pause();
    ++writes;
    check(--writers == 0 && readers == 0, "who writes is alone");
  }
  void read_locked() {
    std::shared_lock hold(lock);
    read();
  }
  void write_locked() {
    std::lock_guard hold(lock);
    write();
  }
  void check_free() {
    check(lock.try_lock(), "the mutex is free in the end");
    lock.unlock();
  }
};

/// Tasks and threads, of which some read and some write.
void shared_threads() {
  shared_guarded g;
  run(one_worker, [&] {
    counts_from_here();
    std::thread reads([&] { g.read_locked(), g.write_locked(); });
    std::thread writes([&] { g.write_locked(), g.read_locked(); });
    auto task_reads = start([&] { g.read_locked(); });
    g.write_locked();
    task_reads.wait();
    reads.join();
    writes.join();
    g.check_free();
  });
  check(g.reads == 3 && g.writes == 3, "everybody gets the mutex");
}

/// Tasks on two workers, one of which yields while it holds it.
void shared_two_workers() {
  shared_guarded g;
  run(two_workers, [&] {
    counts_from_here();
    auto reads = start([&] { g.read_locked(); });
    {
      std::lock_guard hold(g.lock);
      g.write();
      this_task::yield();
    }
    reads.wait();
    g.check_free();
  });
  check(g.reads == 1 && g.writes == 1, "everybody gets the mutex");
}

/// Some give up after a while: who gave up does not hold it, nor is it handed to one who has gone.
void shared_limit() {
  shared_guarded g;
  int got = 0;
  run(one_worker, [&] {
    const auto perhaps_reads = [&] {
      if (!g.lock.try_lock_shared_for(1us)) return;
      g.read();
      ++got;
      g.lock.unlock_shared();
    };
    const auto perhaps_writes = [&] {
      if (!g.lock.try_lock_for(1us)) return;
      g.write();
      ++got;
      g.lock.unlock();
    };
    counts_from_here();
    std::thread one(perhaps_writes), two(perhaps_reads);
    auto other = start(perhaps_writes);
    g.write_locked();
    other.wait();
    one.join();
    two.join();
    g.check_free();
  });
  check(g.reads + g.writes == got + 1, "who gets the mutex knows it");
}

/// A writer gives up: those who read and came after it need not wait for those who read already.
void shared_leaves() {
  shared_guarded g;
  run(one_worker, [&] {
    std::shared_lock hold(g.lock);
    counts_from_here();
    std::thread leaves([&] { check(!g.lock.try_lock_for(1us), "nobody writes while another reads"); });
    std::thread thread_reads([&] { g.read_locked(); });
    auto task_reads = start([&] { g.read_locked(); });
    task_reads.wait();
    thread_reads.join();
    leaves.join();
  });
  check(g.reads == 2, "nobody behind is forgotten");
}

/// The mutex ends with the last who held it.
void shared_ends() {
  run(one_worker, [] {
    own_page<hocket::shared_mutex> m;
    int left = 2;
    const auto leave = [&] {
      if (--left == 0) m.end();
    };
    m->lock();
    counts_from_here();
    std::thread reads([&] {
      while (!m->try_lock_shared_for(1us)) {
      }
      m->unlock_shared();
      leave();
    });
    auto writes = start([&] {
      m->lock();
      m->unlock();
      leave();
    });
    this_task::yield();
    m->unlock();
    writes.wait();
    reads.join();
  });
}

}  // namespace

scenarios lock_scenarios() {
  return {{"semaphore_threads", "a semaphore between tasks and threads", semaphore_threads},
          {"semaphore_two_resume", "a semaphore, two workers may resume who waits", semaphore_two_resume},
          {"semaphore_limit", "a semaphore, some who want a permit give up", semaphore_limit},
          {"semaphore_leaves", "a semaphore, who wants too much gives up", semaphore_leaves},
          {"semaphore_ends", "a semaphore that ends with who got its permit", semaphore_ends},
          {"shared_threads", "a shared mutex between tasks and threads", shared_threads},
          {"shared_two_workers", "a shared mutex between tasks on two workers", shared_two_workers},
          {"shared_limit", "a shared mutex, some who want it give up", shared_limit},
          {"shared_leaves", "a shared mutex, a writer gives up", shared_leaves},
          {"shared_ends", "a shared mutex that ends with who held it", shared_ends}};
}

}  // namespace explorer
