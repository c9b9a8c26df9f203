// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of a context switch, of a yield between two tasks, and of waits that really block inside fork-join
// code.
#include <hocket/detail/bench_hooks.hpp>

#include <cstdint>

#include "fib/fib.hpp"
#include "hocket_benches.hpp"

namespace hkbench {
namespace {

/// wait_for_sibling() blocks its caller, unless another worker is quick: only the forked half sets the event.
[[gnu::noinline]] void wait_for_sibling() {
  hocket::event told;
  hocket::fork_join([&] { told.wait(); }, [&] { told.set(); });
}

/// chosen() picks about one leaf in 1,000 by its sequence number, which is a hash of the path from the root.
bool chosen(std::uint64_t sequence) { return sequence % 1000 == 0; }
std::uint64_t first_of(std::uint64_t sequence) { return sequence * 0x9e3779b97f4a7c15U + 1; }
std::uint64_t second_of(std::uint64_t sequence) {
  return (sequence * 0x9e3779b97f4a7c15U) ^ 0xff51afd7ed558ccdU;
}

bool chosen_leaves_wait = false;  // written by the main task only, between the measured calls

long fib(long n, std::uint64_t sequence) {
  if (n < 2) {
    if (chosen(sequence) && chosen_leaves_wait) [[unlikely]]
      wait_for_sibling();
    return n;
  }
  const auto [a, b] = hocket::fork_join([=] { return fib(n - 1, first_of(sequence)); },
                                        [=] { return fib(n - 2, second_of(sequence)); });
  return a + b;
}

long count_chosen(long n, std::uint64_t sequence) {
  if (n < 2) return chosen(sequence) ? 1 : 0;
  return count_chosen(n - 1, first_of(sequence)) + count_chosen(n - 2, second_of(sequence));
}

}  // namespace

void hocket_switch(request& rq) {
  const bool full_abi = rq.choice("abi", {"full", "shared"}) == "full";
  const long switches = rq.number("switches", 20000000, 2, 2000000000);
  rq.check_all_read();
  hocket::detail::ns_per_switch(full_abi, switches);
  for (unsigned i = 0; i < rq.samples(); ++i) {
    rq.row("ns_per_switch", "ns", hocket::detail::ns_per_switch(full_abi, switches));
  }
}

void hocket_yield(request& rq) {
  const long each = rq.number("yields", 4000000, 2, 2000000000) / 2;
  rq.check_all_read();
  in_run(rq, [&] {
    sample(rq, "ns_per_yield", static_cast<double>(each) * 2, [&] {
      const auto before = hocket::stats();
      const auto body = [each] {
        for (long i = 0; i < each; ++i) hocket::this_task::yield();
      };
      const double seconds = seconds_of([&] {
        const auto one = hocket::start(body);
        const auto two = hocket::start(body);
        hocket::wait(one, two);
      });
      const auto now = hocket::stats();
      check_equal("the counter `yields`", static_cast<long long>(now.yields - before.yields), 2 * each);
      if (rq.threads() == 1) {
        check_at_least("the counter `switches`", static_cast<long long>(now.switches - before.switches),
                       2 * each);
      }
      return seconds;
    });
  });
}

void hocket_blocking(request& rq) {
  const int n = static_cast<int>(rq.number("n", 34, 2, 60));
  rq.check_all_read();
  const long waits = count_chosen(n, 1);
  in_run(rq, [&] {
    const auto timed = [&](bool waiting) {
      chosen_leaves_wait = waiting;
      long value = 0;
      const auto before = hocket::stats();
      const double seconds = seconds_of([&] { value = fib(n, 1); });
      const auto now = hocket::stats();
      check_equal("fib(" + std::to_string(n) + ")", value, hocket::apps::fib_value(n));
      if (waiting) {
        // With several workers the sibling may be stolen and the event set before the wait begins.
        const long blocked = rq.threads() == 1 ? waits : waits / 2;
        check_at_least("the counter `suspended`", static_cast<long long>(now.suspended - before.suspended),
                       blocked);
        check_at_least("the counter `switches`", static_cast<long long>(now.switches - before.switches),
                       blocked);
      }
      return seconds;
    };
    timed(false);
    timed(true);
    for (unsigned i = 0; i < rq.samples(); ++i) {
      const double calm = timed(false);
      const double blocking = timed(true);
      rq.row("ratio_to_fib", "ratio", blocking / calm, {{"waits", std::to_string(waits)}});
    }
  });
}

}  // namespace hkbench
