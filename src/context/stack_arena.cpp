// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunks of stacks: reserved in one piece, guarded and populated in batches.
#include "context/stack_arena.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <utility>

#include <hocket/detail/atomic.hpp>
#include <hocket/error.hpp>

#include "base/guard_advice.hpp"

namespace hocket::detail {

constinit atomic<stack_chunk*> newest_chunk{nullptr};

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t batch = 512;  // ranges in one system call
constexpr std::size_t usual_chunk = std::size_t{64} << 20;

std::mutex arena_mutex;                      // held while carving; chunks are read without it
stack_chunk* open_chunk[stack_classes + 1];  // with blocks left, per class; the last: areas alone
std::size_t guards_by_mprotect = 0;
bool missing_guard_said = false;

[[noreturn]] void fail(std::size_t bytes) {
  throw error(errc::no_memory,
              "no address space for a chunk of stacks of " + std::to_string(bytes >> 20) +
                  " MiB; raise the limit (ulimit -v), or use smaller or fewer stacks (--hk-stack-size)");
}

stack_chunk* add_chunk(std::size_t stack) {
  const std::size_t block = stack == 0 ? area_bytes : guard_bytes + stack + area_bytes;
  const std::size_t count = std::max<std::size_t>(1, usual_chunk / block);
  const std::size_t bytes = block * count + area_bytes;
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) fail(bytes);
  madvise(p, bytes, MADV_NOHUGEPAGE);
  auto* base = reinterpret_cast<char*>((address(p) + area_bytes - 1) & ~(area_bytes - 1));
  auto* c = new stack_chunk{base, block, count, stack, {0}, newest_chunk.load(std::memory_order_relaxed)};
  newest_chunk.store(c, std::memory_order_release);
  return c;
}

/// One madvise over many ranges; false if the kernel will not have it so.
bool advise_all(const iovec* ranges, std::size_t n, std::size_t bytes_each, int advice) {
  static const int self = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
  static const pid_t opened_by = getpid();
  if (self < 0 || opened_by != getpid()) return false;
  return syscall(SYS_process_madvise, self, ranges, n, advice, 0) == static_cast<long>(n * bytes_each);
}

/// Whether the system says no to advice that does not exist. Emulators (qemu-user) answer yes to any, so that
/// their yes to MADV_GUARD_INSTALL means nothing.
bool advice_is_judged() {
  void* p = mmap(nullptr, area_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return false;
  const bool judged = madvise(p, area_bytes, 9999) != 0;
  munmap(p, area_bytes);
  return judged;
}

/// Guards the bottom of each block; `guarded` tells which.
void guard(char* first_block, std::size_t block, std::size_t n, bool* guarded) {
  iovec ranges[batch]{};
  for (std::size_t i = 0; i < n; ++i) ranges[i] = {first_block + i * block, guard_bytes};
  const bool all = guards().install && advise_all(ranges, n, guard_bytes, MADV_GUARD_INSTALL);
  for (std::size_t i = 0; i < n; ++i) {
    guarded[i] =
        all || (guards().install && madvise(ranges[i].iov_base, guard_bytes, MADV_GUARD_INSTALL) == 0);
    if (!guarded[i] && guards_by_mprotect < guards().mprotect_most) {
      guarded[i] = mprotect(ranges[i].iov_base, guard_bytes, PROT_NONE) == 0;
      guards_by_mprotect += guarded[i];
    }
    if (!guarded[i] && !std::exchange(missing_guard_said, true)) {
      std::fprintf(
          stderr,
          "hocket: no guard pages for further stacks (that needs Linux 6.13): their overflow is noticed "
          "only at the next switch, by a canary\n");
    }
  }
}

void populate_first_page(char* first_block, std::size_t block, std::size_t n) {
  iovec ranges[batch]{};
  for (std::size_t i = 0; i < n; ++i) ranges[i] = {first_block + (i + 1) * block - area_bytes, page};
  // In one call instead of a fault each; where that is refused, the faults come by themselves.
  advise_all(ranges, n, page, MADV_POPULATE_WRITE);
}

/// Takes up to `count` blocks of a class; calls take(first block, block size, how many) under the mutex.
template <class Take>
void carve(std::size_t cls, std::size_t stack, std::size_t count, Take take) {
  std::lock_guard lock(arena_mutex);
  while (count != 0) {
    stack_chunk*& c = open_chunk[cls];
    if (c == nullptr || c->used.load(std::memory_order_relaxed) == c->count) c = add_chunk(stack);
    const std::size_t from = c->used.load(std::memory_order_relaxed);
    const std::size_t n = std::min({count, c->count - from, batch});
    take(c->base + from * c->block, c->block, n);
    c->used.store(from + n, std::memory_order_release);
    count -= n;
  }
}

template <class Visit>
void for_each_block(bool with_stack, Visit visit) {
  for (stack_chunk* c = newest_chunk.load(std::memory_order_acquire); c != nullptr; c = c->older) {
    if ((c->stack != 0) != with_stack) continue;
    const std::size_t n = c->used.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < n; ++i) visit(c->base + (i + 1) * c->block - area_bytes);
  }
}

}  // namespace

std::size_t stack_class_bytes(unsigned k) {
  // 1, 2, 3, 4, 6, 8, 12, ...: powers of two and three halves of them
  const std::size_t unit = 16 * 1024;
  if (k < 2) return unit << k;
  const unsigned power = k / 2;
  return k % 2 == 0 ? unit * 3 << (power - 1) : unit << (power + 1);
}

unsigned stack_class_for(std::size_t bytes) {
  for (unsigned k = 0; k < stack_classes; ++k) {
    if (stack_class_bytes(k) >= bytes) return k;
  }
  throw error(errc::no_memory, "a stack of " + std::to_string(bytes) + " bytes is more than the largest, " +
                                   std::to_string(stack_class_bytes(stack_classes - 1)));
}

guard_policy& guards() {
  static guard_policy policy{.install = advice_is_judged()};
  return policy;
}

void carve_stacks(unsigned k, std::size_t count, std::vector<carved_stack>& stacks) {
  carve(k, stack_class_bytes(k), count, [&](char* first, std::size_t block, std::size_t n) {
    bool guarded[batch];
    guard(first, block, n, guarded);
    populate_first_page(first, block, n);
    for (std::size_t i = 0; i < n; ++i) stacks.push_back({first + (i + 1) * block - area_bytes, guarded[i]});
  });
}

void carve_areas(std::size_t count, std::vector<char*>& areas) {
  carve(stack_classes, 0, count, [&](char* first, std::size_t block, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) areas.push_back(first + i * block);
  });
}

void release_stack_memory(char* area, unsigned k) {
  // Where pages are larger than an area (64 KiB, on some arm64 systems), whole pages only: the last one may
  // hold the area.
  static const auto system_page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t from = (address(stack_bottom(area, k)) + system_page - 1) & ~(system_page - 1);
  const std::size_t to = address(area) & ~(system_page - 1);
  if (from < to) madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
}

void for_each_stack(void (*visit)(char*, void*), void* argument) {
  for_each_block(true, [&](char* area) { visit(area, argument); });
}
void for_each_area(void (*visit)(char*, void*), void* argument) {
  for_each_block(false, [&](char* area) { visit(area, argument); });
}

char* guarded_area(const void* where) {
  for (stack_chunk* c = newest_chunk.load(std::memory_order_acquire); c != nullptr; c = c->older) {
    if (c->stack == 0 || where < c->base || where >= c->base + c->block * c->count) continue;
    const std::size_t offset = static_cast<std::size_t>(static_cast<const char*>(where) - c->base);
    if (offset % c->block >= guard_bytes) return nullptr;
    return c->base + (offset / c->block + 1) * c->block - area_bytes;
  }
  return nullptr;
}

}  // namespace hocket::detail
