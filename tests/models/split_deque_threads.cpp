// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The split deque once more with real threads, to be run as it is and under ThreadSanitizer: one owner with a
// random program of forks, joins and publishes, two thieves that steal and expose.  Each child must run once.
// Usage: split_deque_threads [SEED [FORKS]].  Exit codes: 0 every promise held, 1 one did not, 2 bad usage.
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <thread>

namespace {

constexpr std::uint32_t slot_count = 32, always = ~std::uint32_t{0};

struct word {  // ts
  std::uint16_t tail, split;
  std::uint32_t epoch;
};
static_assert(std::atomic<word>::is_always_lock_free && std::has_unique_object_representations_v<word>);

struct slot {
  std::uint64_t child = 0;  // the closure: plain data
  std::uint64_t result = 0;
  std::atomic<std::uint32_t> state{0};  // 1: DONE
};

struct alignas(64) segment {
  std::atomic<std::uint32_t> head{0};
  alignas(64) std::atomic<std::uint32_t> lim{always};
  alignas(64) std::atomic<word> ts{word{0, 0, 0}};
  alignas(64) slot slots[slot_count];
};

segment deque;
std::atomic<bool> stopped{false};
std::unique_ptr<std::atomic<std::uint8_t>[]> runs;  // how often each child has run
bool can_expose = false;

constexpr std::uint64_t answer(std::uint64_t child) { return child * 3 + 1; }

[[noreturn]] void broken(const char* promise, std::uint64_t child) {
  std::printf("VIOLATION: %s (child %llu)\n", promise, static_cast<unsigned long long>(child));
  std::fflush(stdout);
  std::_Exit(1);
}

std::uint64_t run_child(std::uint64_t child) {
  if (runs[child].fetch_add(1, std::memory_order_relaxed) != 0) broken("a child runs twice", child);
  return answer(child);
}

// ---- owner
word half_shared(word v, std::uint32_t end) {
  return {v.tail, static_cast<std::uint16_t>(v.split + (end - v.split + 1) / 2), v.epoch + 1};
}

void fork_slow(std::uint32_t i) {
  word v = deque.ts.load(std::memory_order_acquire), n;
  do {
    n = half_shared(v, i + 1);
    // Before the CAS: whoever reads the new ts stores its ALWAYS into lim after this store.
    deque.lim.store(n.split, std::memory_order_relaxed);
  } while (!deque.ts.compare_exchange_weak(v, n, std::memory_order_acq_rel, std::memory_order_acquire));
}

void fork(std::uint64_t child) {
  const std::uint32_t i = deque.head.load(std::memory_order_relaxed);
  deque.slots[i].child = child;
  deque.slots[i].state.store(0, std::memory_order_relaxed);
  if (i < deque.lim.load(std::memory_order_relaxed)) fork_slow(i);
  deque.head.store(i + 1, std::memory_order_release);
}

bool join_slow(std::uint32_t i) {  // true: the child was stolen and has ended
  for (word v = deque.ts.load(std::memory_order_acquire);;) {
    if (i < v.tail) {
      while (deque.slots[i].state.load(std::memory_order_acquire) == 0) std::this_thread::yield();
      const auto here = static_cast<std::uint16_t>(i);
      deque.ts.store({here, here, v.epoch + 1}, std::memory_order_release);
      deque.lim.store(always, std::memory_order_relaxed);
      return true;
    }
    word n = half_shared(v, i);
    if (i < v.split) n.split = static_cast<std::uint16_t>(v.tail + (i - v.tail) / 2);
    deque.lim.store(n.tail == n.split ? always : n.split, std::memory_order_relaxed);
    if (deque.ts.compare_exchange_weak(v, n, std::memory_order_acq_rel, std::memory_order_acquire))
      return false;
  }
}

void join() {
  const std::uint32_t i = deque.head.load(std::memory_order_relaxed) - 1;
  slot& s = deque.slots[i];
  deque.head.store(i, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);  // the thief's membarrier is the other half
  if (i < deque.lim.load(std::memory_order_relaxed) && join_slow(i)) {
    if (s.result != answer(s.child)) broken("a join returns before its child ended", s.child);
  } else {
    run_child(s.child);
  }
}

void publish() {
  const std::uint32_t h = deque.head.load(std::memory_order_relaxed);
  bool touched = false;
  for (word v = deque.ts.load(std::memory_order_acquire); v.split < h;) {
    touched = true;
    deque.lim.store(h, std::memory_order_relaxed);
    const word n = {v.tail, static_cast<std::uint16_t>(h), v.epoch + 1};
    if (deque.ts.compare_exchange_weak(v, n, std::memory_order_acq_rel, std::memory_order_acquire)) return;
  }
  if (touched)
    deque.lim.store(always, std::memory_order_relaxed);  // no CAS of ours vouches for what lim holds
}

// A long leaf: the owner polls nothing until the thieves have taken all it has, which they must expose first.
void long_leaf() {
  if (!can_expose) publish();
  const std::uint32_t h = deque.head.load(std::memory_order_relaxed);
  while (deque.ts.load(std::memory_order_acquire).tail < h) std::this_thread::yield();
}

// ---- thieves
struct tally {
  std::uint64_t stolen = 0, exposed = 0;
};

void steal(tally& count) {
  word v = deque.ts.load(std::memory_order_acquire);
  while (v.tail < v.split) {
    word n = v;
    ++n.tail;
    if (!deque.ts.compare_exchange_weak(v, n, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
    if (n.tail == n.split) deque.lim.store(always, std::memory_order_relaxed);
    slot& s = deque.slots[v.tail];
    s.result = run_child(s.child);
    s.state.exchange(1, std::memory_order_acq_rel);
    ++count.stolen;
    return;
  }
  deque.lim.store(always, std::memory_order_relaxed);
}

void expose(tally& count) {
  word v = deque.ts.load(std::memory_order_acquire);
  deque.lim.store(always, std::memory_order_relaxed);
  syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  const std::uint32_t h = deque.head.load(std::memory_order_acquire);
  if (h <= v.split) return;
  word n = half_shared(v, h);
  n.epoch = v.epoch;
  if (deque.ts.compare_exchange_strong(v, n, std::memory_order_acq_rel, std::memory_order_relaxed))
    ++count.exposed;
}

void thief(std::uint64_t seed, tally& count) {
  std::minstd_rand random(static_cast<std::uint32_t>(seed));
  while (!stopped.load(std::memory_order_acquire)) {
    const auto pick = random() % 16;
    if (can_expose && pick == 0)
      expose(count);
    else if (pick == 1)
      std::this_thread::yield();  // lets the owner go far ahead between two looks
    else
      steal(count);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int k, std::uint64_t standard) {
    if (argc <= k) return standard;
    char* end = nullptr;
    const std::uint64_t n = std::strtoull(argv[k], &end, 10);
    if (*end == '\0' && n > 0 && n <= 1'000'000'000) return n;
    std::fprintf(stderr, "split_deque_threads: argument %d is '%s'; it must be a number from 1 to 10^9.\n", k,
                 argv[k]);
    std::exit(2);
  };
  const std::uint64_t seed = number(1, 1), forks = number(2, 2'000'000);
  can_expose = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  runs = std::make_unique<std::atomic<std::uint8_t>[]>(forks);

  tally counts[2];
  std::thread thieves[] = {std::thread(thief, seed + 1, std::ref(counts[0])),
                           std::thread(thief, seed + 2, std::ref(counts[1]))};
  std::mt19937_64 random(seed);
  std::uint64_t forked = 0;
  for (std::uint32_t depth = 0; forked < forks || depth > 0;) {
    const bool may_fork = forked < forks && depth < slot_count;
    if (depth > 0 && random() % 64 == 0) publish();
    if (depth > 0 && random() % 256 == 0) long_leaf();
    // Runs of equal steps: a deep deque now and an empty one a little later.
    const bool forking = may_fork && (depth == 0 || random() % 2 == 0);
    for (std::uint64_t n = 1 + random() % 8; n > 0; --n) {
      if (forking ? (forked == forks || depth == slot_count) : depth == 0) break;
      if (forking)
        fork(forked++), ++depth;
      else
        join(), --depth;
    }
  }
  stopped.store(true, std::memory_order_release);
  for (std::thread& t : thieves) t.join();

  const word end = deque.ts.load(std::memory_order_relaxed);
  if (end.tail != end.split || deque.head.load(std::memory_order_relaxed) != 0)
    broken("the deque is not empty at the end", 0);
  for (std::uint64_t k = 0; k < forks; ++k)
    if (runs[k].load(std::memory_order_relaxed) != 1) broken("a child is lost", k);
  std::printf("seed %llu: %llu children, %llu stolen, %llu exposures%s; every promise held\n",
              static_cast<unsigned long long>(seed), static_cast<unsigned long long>(forks),
              static_cast<unsigned long long>(counts[0].stolen + counts[1].stolen),
              static_cast<unsigned long long>(counts[0].exposed + counts[1].exposed),
              can_expose ? "" : " (no membarrier here, so no expose)");
  return 0;
}
