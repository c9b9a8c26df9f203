// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The floors of synchronisation that nobody waits for: two locked instructions.
#include <atomic>

#include "floor.hpp"
#include "workloads/full_empty.hpp"

namespace hkbench {
namespace {

/// Both operations exchange the state, as they must where others may look.
class exchanged_word {
 public:
  void put(long value) {
    value_ = value;
    wrong_ += state_.exchange(1, std::memory_order_acq_rel) != 0 ? 1 : 0;
  }
  long take() {
    wrong_ += state_.exchange(0, std::memory_order_acq_rel) != 1 ? 1 : 0;
    return value_ + wrong_;
  }

 private:
  std::atomic<std::uint32_t> state_{0};
  long wrong_ = 0;
  long value_ = 0;
};

}  // namespace

void floor_sync(request& rq) { run_sync<exchanged_word>(rq); }

/// Lock by compare-and-exchange, count, unlock by exchange.
void floor_mutex(request& rq) {
  rq.choice("form", {"plain"});
  const long ops = rq.number("ops", 1000000, 1, 1000000000);
  rq.check_all_read();
  sample(rq, "ns_per_op", static_cast<double>(ops), [&] {
    std::atomic<std::uint32_t> state{0};
    long value = 0;
    const double seconds = seconds_of([&] {
      for (long i = 0; i < ops; ++i) {
        std::uint32_t free = 0;
        if (!state.compare_exchange_strong(free, 1, std::memory_order_acquire)) return;
        ++value;
        state.exchange(0, std::memory_order_release);
      }
    });
    check_equal("the number counted", value, ops);
    return seconds;
  });
}

}  // namespace hkbench
