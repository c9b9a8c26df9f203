// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hkbench-threads: the sync layer's benchmarks on the standard library's threads, mutexes, condition
// variables, latches and barriers. For `feb` a word is two binary semaphores (`default`), or an atomic that
// is waited for (`tuned`).
#include <atomic>
#include <future>
#include <semaphore>

#include "threads_kit.hpp"
#include "workloads/full_empty.hpp"
#include "workloads/sync.hpp"

namespace hkbench {
namespace {

class semaphore_word {
 public:
  void put(long value) {
    empty_.acquire();
    value_ = value;
    full_.release();
  }
  long take() {
    full_.acquire();
    const long value = value_;
    empty_.release();
    return value;
  }

 private:
  std::binary_semaphore full_{0};
  std::binary_semaphore empty_{1};
  long value_ = 0;
};

class atomic_word {
 public:
  void put(long value) {
    full_.wait(1, std::memory_order_acquire);
    value_ = value;
    full_.store(1, std::memory_order_release);
    full_.notify_one();
  }
  long take() {
    full_.wait(0, std::memory_order_acquire);
    const long value = value_;
    full_.store(0, std::memory_order_release);
    full_.notify_one();
    return value;
  }

 private:
  std::atomic<int> full_{0};  // an int: what a futex can wait for
  long value_ = 0;
};

void threads_feb(request& rq) {
  const bool tuned = rq.choice("tuning", {"default", "tuned"}) == "tuned";
  threads_kit kit(rq.threads(), place::in_turn);
  const auto run = [&](long tasks, auto body) { return kit.run(tasks, body); };
  tuned ? run_feb<atomic_word>(rq, run) : run_feb<semaphore_word>(rq, run);
}

/// On a thread of its own: as long as a process has one thread, the C library's mutexes are no atomics.
void threads_sync(request& rq) {
  rq.choice("tuning", {"default"});
  std::async(std::launch::async, [&] { run_sync<guarded_word<std::mutex>>(rq); }).get();
}

/// with_kit<F>() is a benchmark on unbound threads.
template <void (*Bench)(request&, threads_kit&)>
void with_kit(request& rq) {
  rq.choice("tuning", {"default"});
  threads_kit kit(rq.threads());
  Bench(rq, kit);
}

}  // namespace
}  // namespace hkbench

int main(int argc, char** argv) {
  using namespace hkbench;
  constexpr bench_entry entries[] = {
      {"feb", threads_feb},
      {"sync", threads_sync},
      {"mutex", with_kit<run_mutex>},
      {"channel", with_kit<run_channel>},
      {"barrier", with_kit<run_barrier>},
      {"condition", with_kit<run_condition>},
      {"counter", with_kit<run_counter>},
  };
  return run_main("threads", entries, argc, argv);
}
