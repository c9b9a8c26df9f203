// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hkbench-boost: switches on Boost.Context (`default` its fiber class, `tuned` the bare fcontext below it),
// yields, blocked and sleeping fibers on Boost.Fiber (`tuned` fibers start by launch::dispatch). Stacks come
// from a pool: with a guard page each, the process would run out of mappings at some 30,000 of them.
#include <boost/context/detail/fcontext.hpp>
#include <boost/context/fiber.hpp>
#include <boost/fiber/all.hpp>
#include <boost/fiber/pooled_fixedsize_stack.hpp>

#include "boost_benches.hpp"
#include "common/percentiles.hpp"
#include "common/resident.hpp"

namespace hkbench {
namespace {

bool tuned(request& rq) { return rq.choice("tuning", {"default", "tuned"}) == "tuned"; }

double switch_fibers(long pairs) {
  namespace ctx = boost::context;
  long there = 0;
  bool stop = false;
  ctx::fiber other([&](ctx::fiber&& back) {
    while (!stop) {
      ++there;
      back = std::move(back).resume();
    }
    return std::move(back);
  });
  const double seconds = seconds_of([&] {
    for (long i = 0; i < pairs; ++i) other = std::move(other).resume();
  });
  check_equal("the number of switches", there, pairs);
  stop = true;
  other = std::move(other).resume();
  return seconds;
}

[[noreturn]] void bounce(boost::context::detail::transfer_t from) {
  for (;;) {
    ++*static_cast<long*>(from.data);
    from = boost::context::detail::jump_fcontext(from.fctx, nullptr);
  }
}

double switch_bare(long pairs) {
  namespace detail = boost::context::detail;
  std::vector<char> stack(64 * 1024);
  long there = 0;
  auto other = detail::make_fcontext(stack.data() + stack.size(), stack.size(), bounce);
  const double seconds = seconds_of([&] {
    for (long i = 0; i < pairs; ++i) other = detail::jump_fcontext(other, &there).fctx;
  });
  check_equal("the number of switches", there, pairs);
  return seconds;
}

void boost_switch(request& rq) {
  rq.choice("abi", {"full", "shared"});  // Boost.Context always keeps the floating-point control words
  const bool bare = tuned(rq);
  const long pairs = rq.number("switches", 20000000, 2, 2000000000) / 2;
  rq.check_all_read();
  sample(rq, "ns_per_switch", static_cast<double>(pairs) * 2,
         [&] { return bare ? switch_bare(pairs) : switch_fibers(pairs); });
}

void boost_yield(request& rq) {
  const long each = rq.number("yields", 4000000, 2, 2000000000) / 2;
  rq.choice("tuning", {"default"});
  rq.check_all_read();
  sample(rq, "ns_per_yield", static_cast<double>(each) * 2, [&] {
    long yields = 0;
    const auto body = [&] {
      for (long i = 0; i < each; ++i) {
        ++yields;
        boost::this_fiber::yield();
      }
    };
    const double seconds = seconds_of([&] {
      boost::fibers::fiber one(body);
      boost::fibers::fiber two(body);
      one.join();
      two.join();
    });
    check_equal("the number of yields", yields, 2 * each);
    return seconds;
  });
}

/// gate lets fibers block three calls deep, as the other runtimes' tasks do.
struct gate {
  boost::fibers::mutex mutex;
  boost::fibers::condition_variable opened;
  bool open = false;
  long arrived = 0;
  long passed = 0;

  [[gnu::noinline]] void pass() {
    std::unique_lock lock(mutex);
    ++arrived;
    opened.wait(lock, [this] { return open; });
    ++passed;
  }
  [[gnu::noinline]] void call_2() {
    pass();
    asm volatile("");
  }
  [[gnu::noinline]] void call_3() {
    call_2();
    asm volatile("");
  }
};

void boost_memory(request& rq) {
  rq.choice("state", {"blocked"});
  const bool tune = tuned(rq);
  const long tasks = rq.number("tasks", 100000, 1, 10000000);
  rq.check_all_read();
  const double before = resident_bytes();
  const auto launch = tune ? boost::fibers::launch::dispatch : boost::fibers::launch::post;
  boost::fibers::pooled_fixedsize_stack stacks(8 * 1024);
  for (const char* reuse : {"0", "1"}) {
    gate g;
    std::vector<boost::fibers::fiber> fibers;
    fibers.reserve(static_cast<std::size_t>(tasks));
    const double create = seconds_of([&] {
      for (long i = 0; i < tasks; ++i)
        fibers.emplace_back(launch, std::allocator_arg, stacks, [&g] { g.call_3(); });
      while (g.arrived < tasks) boost::this_fiber::yield();
    });
    const double resident = resident_bytes() - before;
    const double resume = seconds_of([&] {
      g.open = true;
      g.opened.notify_all();
      for (auto& fiber : fibers) fiber.join();
    });
    check_equal("the number of fibers that passed the gate", g.passed, tasks);
    rq.row("bytes_per_task", "B", resident / static_cast<double>(tasks), {{"reuse", reuse}});
    rq.row("create_s", "s", create, {{"reuse", reuse}});
    rq.row("resume_s", "s", resume, {{"reuse", reuse}});
  }
}

/// As hocket's: fibers of one thread that sleep in turns of period_ms, for `seconds`.
double sleepers(long tasks, long period_ms, double seconds, bool watch, std::vector<double>& late) {
  namespace this_fiber = boost::this_fiber;
  const auto period = std::chrono::milliseconds(period_ms);
  bool over = false;
  boost::fibers::pooled_fixedsize_stack stacks(8 * 1024);
  std::vector<boost::fibers::fiber> all;
  for (long i = 0; i < tasks; ++i) {
    all.emplace_back(std::allocator_arg, stacks, [&] {
      while (!watch && !over) this_fiber::sleep_for(period);
      while (!over) {
        const double due = now_s() + 1e-3 * static_cast<double>(period_ms);
        this_fiber::sleep_for(period);
        late.push_back((now_s() - due) * 1e6);
      }
    });
  }
  this_fiber::sleep_for(std::chrono::milliseconds(300));  // the first turn, and the making, do not count
  late.clear();
  const double cpu = cpu_seconds(), start = now_s();
  this_fiber::sleep_for(std::chrono::milliseconds(static_cast<long>(seconds * 1000)));
  const double used = cpu_seconds() - cpu, wall = now_s() - start;
  over = true;
  for (auto& fiber : all) fiber.join();
  return 100 * used / wall;
}

void boost_timers(request& rq) {
  const long tasks = rq.number("tasks", 10000, 1, 1000000);
  const long period = rq.number("period_ms", 100, 1, 10000);
  const long tenths = rq.number("tenths_of_seconds", 20, 1, 600);
  rq.choice("tuning", {"default"});
  rq.check_all_read();
  const double seconds = static_cast<double>(tenths) / 10;
  for (unsigned i = 0; i < rq.samples(); ++i) {
    std::vector<double> us;
    us.reserve(static_cast<std::size_t>(tasks * (tenths * 100 / period + 8)));
    rq.row("cpu_percent", "%", sleepers(tasks, period, seconds, false, us));
    us.clear();
    sleepers(tasks, period, seconds, true, us);
    percentile_rows(rq, "lateness", std::move(us));
  }
}

}  // namespace
}  // namespace hkbench

int main(int argc, char** argv) {
  using namespace hkbench;
  constexpr bench_entry entries[] = {
      {"switch", boost_switch},       {"yield", boost_yield},     {"memory", boost_memory},
      {"timers", boost_timers},       {"feb", boost_feb},         {"sync", boost_sync},
      {"mutex", boost_mutex},         {"channel", boost_channel}, {"barrier", boost_barrier},
      {"condition", boost_condition}, {"counter", boost_counter},
  };
  return run_main("boost", entries, argc, argv);
}
