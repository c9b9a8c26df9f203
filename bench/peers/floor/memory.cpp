// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bare memory: a page fault in the layout of stacks, memory touched for the host's sake, and a cache line
// passed between two cores.
#include <sys/mman.h>

#include "common/line_transfer.hpp"
#include "floor.hpp"

namespace hkbench {
namespace {

/// region is anonymous memory of small pages.
class region {
 public:
  explicit region(std::size_t size) : size_(size) {
    void* base =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) throw check_failed("the system refused " + std::to_string(size >> 20) + " MiB");
    base_ = static_cast<char*>(base);
    madvise(base_, size, MADV_NOHUGEPAGE);  // refused only where huge pages do not exist: the same effect
  }
  ~region() { munmap(base_, size_); }
  region(const region&) = delete;
  region& operator=(const region&) = delete;

  void touch_every(std::size_t stride) {
    for (std::size_t at = 0; at < size_; at += stride) *const_cast<volatile char*>(base_ + at) = 1;
  }

 private:
  char* base_ = nullptr;
  std::size_t size_;
};

}  // namespace

void floor_memory(request& rq) {
  const long pages = rq.number("pages", 100000, 1, 10000000);
  const long stride = rq.number("stride", 128 * 1024, 4096, 1L << 30);
  rq.check_all_read();
  for (unsigned i = 0; i < rq.samples(); ++i) {
    region fresh(static_cast<std::size_t>(pages) * static_cast<std::size_t>(stride));
    const double seconds = seconds_of([&] { fresh.touch_every(static_cast<std::size_t>(stride)); });
    rq.row("ns_per_page_fault", "ns", seconds * 1e9 / static_cast<double>(pages));
  }
}

void floor_warm(request& rq) {
  const long mib = rq.number("mib", 1024, 1, 1L << 24);
  rq.check_all_read();
  region fresh(static_cast<std::size_t>(mib) << 20);
  const double seconds = seconds_of([&] { fresh.touch_every(4096); });
  rq.row("seconds", "s", seconds);
}

void floor_line(request& rq) {
  const long turns = rq.number("turns", 200000, 1, 100000000);
  rq.check_all_read();
  if (allowed_cpus().size() < 2) return;  // two threads on one core would measure the scheduler
  for (unsigned i = 0; i < rq.samples(); ++i) {
    const double ns = line_transfer_ns(turns, allowed_cpus()[0], allowed_cpus()[1]);
    rq.row("ns_per_line_transfer", "ns", ns);
  }
}

}  // namespace hkbench
