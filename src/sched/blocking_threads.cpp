// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// blocking(f): a thread runs f, the task waits.
#include "sched/blocking_threads.hpp"

#include <pthread.h>

#include <system_error>

#include <hocket/blocking.hpp>

#include "sched/kernel.hpp"
#include "sched/park.hpp"

namespace hocket::detail {

struct blocking_threads::waiting_job {
  blocking_job job;
  parked who;
};

blocking_threads::~blocking_threads() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  more_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void blocking_threads::serve() {
  pthread_setname_np(pthread_self(), "hocket-blocking");
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    more_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    --idle_;
    if (jobs_.empty()) return;
    waiting_job* j = jobs_.front();
    jobs_.pop_front();
    lock.unlock();
    j->job.call(j->job.argument);
    fire_now(&j->who, wake::done);  // j is gone
    under_way_.fetch_sub(1, std::memory_order_release);
    lock.lock();
  }
}

bool blocking_threads::take_out() {
  const std::lock_guard lock(mutex_);
  if (threads_.size() >= most_) return false;
  --most_;
  return true;
}
void blocking_threads::give_back() {
  const std::lock_guard lock(mutex_);
  ++most_;
}

bool blocking_threads::run(blocking_job job) {
  waiting_job mine{job, {}};
  {
    const std::lock_guard lock(mutex_);
    if (idle_ <= jobs_.size() && threads_.size() < most_) {
      try {
        threads_.emplace_back([this, k = mine.who.task->on->kernel_] {
          k->unpin();
          serve();
        });
        count_.store(threads_.size(), std::memory_order_release);
      } catch (const std::system_error&) {
        // The system has no more threads: the job waits for one of those that there are.
      }
    }
    if (threads_.empty()) return false;
    jobs_.push_back(&mine);
    under_way_.fetch_add(1, std::memory_order_relaxed);
  }
  more_.notify_one();
  park(mine.who, {wait_kind::blocking_call}, never, false);  // what f uses is lent: no stop comes out
  return true;
}

void run_blocking(void (*call)(void*), void* argument) {
  if (const real_task* t = current_task(); t != nullptr && t->on->kernel_->blocking.run({call, argument}))
    return;
  call(argument);
}

}  // namespace hocket::detail
