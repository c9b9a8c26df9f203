// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of benchmarks. Sizes are chosen so that a sample of ours takes some 50 ms; slow peers get smaller
// problems, which the row's parameters tell, where the figure is per operation.
#include "bench_catalog.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>

namespace hocket::tool {
namespace {

using params = std::vector<std::pair<std::string, std::string>>;

/// builder collects the contestants of one group, which share a benchmark and some parameters.
class builder {
 public:
  builder(std::string bench, params shared) : bench_(std::move(bench)), shared_(std::move(shared)) {}

  void add(const std::string& variant, unsigned threads, const params& own = {}) {
    params all = shared_;
    all.insert(all.end(), own.begin(), own.end());
    group_.contestants.push_back({variant, threads, std::move(all), bench_});
  }

  /// add_peer() adds a peer as it comes and as its manual tunes it.
  void add_peer(const std::string& variant, unsigned threads, const params& own = {}) {
    for (const char* tuning : {"default", "tuned"}) {
      params all = own;
      all.emplace_back("tuning", tuning);
      add(variant, threads, all);
    }
  }

  /// take() ends the group; with two or more workers the cost of passing a cache line is measured beside it.
  group take() {
    unsigned most = 0;
    for (const contestant& c : group_.contestants) most = std::max(most, c.threads);
    if (most >= 2) group_.contestants.push_back({"floor", 2, {}, "line"});
    return std::move(group_);
  }

 private:
  std::string bench_;
  params shared_;
  group group_;
};

std::string number(long value) { return std::to_string(value); }

std::vector<group> fib_groups(const bench_request& wanted) {
  const params own = {{"n", wanted.quick ? "27" : "36"}};
  const params theirs = {{"n", wanted.quick ? "20" : "30"}};
  std::vector<group> groups;
  for (const char* form : {"structured", "spawn"}) {
    for (const char* source : {"plain", "leaf_inlined"}) {
      for (const unsigned threads : wanted.threads) {
        builder b("fib", {{"source", source}});
        params ours = own;
        ours.emplace_back("form", form);
        b.add("hocket", threads, ours);
        b.add("floor", threads, own);
        params peers = theirs;
        peers.emplace_back("form", form);
        for (const char* peer : {"tbb", "libgomp", "libomp"}) b.add_peer(peer, threads, peers);
        groups.push_back(b.take());
      }
    }
  }
  return groups;
}

std::vector<group> flat_groups(const bench_request& wanted) {
  std::vector<group> groups;
  for (const char* form : {"structured", "spawn"}) {
    for (const unsigned threads : wanted.threads) {
      builder b("flat", {{"children", wanted.quick ? "50000" : "1000000"}});
      b.add("hocket", threads, {{"form", form}});
      b.add("floor", threads);
      for (const char* peer : {"tbb", "libgomp", "libomp"}) b.add_peer(peer, threads, {{"form", form}});
      groups.push_back(b.take());
    }
  }
  return groups;
}

/// A search is one group over all thread counts, so that what a speed-up compares was measured in turn.
std::vector<group> search_groups(const bench_request& wanted, const char* bench, const params& size,
                                 const params& openmp_size) {
  std::vector<unsigned> threads = wanted.threads;
  if (std::find(threads.begin(), threads.end(), 1U) == threads.end()) threads.insert(threads.begin(), 1);
  builder b(bench, {});
  for (const unsigned count : threads) b.add("hocket", count, size);
  for (const unsigned count : threads) b.add("floor", count, size);
  for (const unsigned count : threads) b.add_peer("tbb", count, size);
  for (const char* peer : {"libgomp", "libomp"}) {
    for (const unsigned count : threads) b.add_peer(peer, count, openmp_size);
  }
  return {b.take()};
}

std::vector<group> uts_groups(const bench_request& wanted) {
  // A node costs OpenMP on two threads up to a microsecond: it gets a tree a tenth as large.
  return search_groups(wanted, "uts", {{"depth", wanted.quick ? "7" : "10"}},
                       {{"depth", wanted.quick ? "6" : "8"}});
}

std::vector<group> nqueens_groups(const bench_request& wanted) {
  const params size = {{"queens", wanted.quick ? "9" : "12"}};
  return search_groups(wanted, "nqueens", size, size);
}

std::vector<group> switch_groups(const bench_request& wanted) {
  std::vector<group> groups;
  for (const char* abi : {"full", "shared"}) {
    builder b("switch", {{"abi", abi}, {"switches", wanted.quick ? "200000" : "20000000"}});
    b.add("hocket", 1);
    for (const char* saves : {"callee", "live"}) b.add("floor", 1, {{"saves", saves}});
    b.add_peer("boost", 1);
    groups.push_back(b.take());
  }
  return groups;
}

std::vector<group> yield_groups(const bench_request& wanted) {
  builder b("yield", {});
  b.add("hocket", 1, {{"yields", wanted.quick ? "100000" : "4000000"}});
  b.add("floor", 1, {{"switches", wanted.quick ? "200000" : "20000000"}});
  b.add("boost", 1, {{"yields", wanted.quick ? "50000" : "2000000"}, {"tuning", "default"}});
  return {b.take()};
}

/// fitting() reduces a number of tasks to the memory at hand, and says so.
long fitting(const bench_request& wanted, const char* what, long tasks, double bytes_each) {
  const double room = wanted.memory_bytes / bytes_each;
  if (static_cast<double>(tasks) <= room) return tasks;
  const long fewer = std::max(1L, static_cast<long>(room));
  fmt::print(stderr, "hocket: memory: {} {} instead of {}, to stay within 60 % of the memory available\n",
             fewer, what, tasks);
  return fewer;
}

std::vector<group> memory_groups(const bench_request& wanted) {
  constexpr double mib = 1024.0 * 1024.0;
  constexpr double blocked_bytes = 5200;  // generous: a page of stack and some
  constexpr double virtual_bytes = 160;
  const long blocked = fitting(wanted, "blocked tasks", wanted.quick ? 20000 : 1000000, blocked_bytes);
  const long waiting = fitting(wanted, "virtual tasks", wanted.quick ? 200000 : 10000000, virtual_bytes);
  const long fibers = std::min(blocked, wanted.quick ? 5000L : 100000L);
  const auto warm = [](double bytes) { return static_cast<long>(bytes / mib) + 64; };

  std::vector<group> groups;
  for (const char* made_by : {"spawn", "start"}) {
    builder b("memory", {{"state", "blocked"}});
    b.add("hocket", 1, {{"tasks", number(blocked)}, {"made_by", made_by}});
    if (groups.empty()) b.add_peer("boost", 1, {{"tasks", number(fibers)}});
    groups.push_back(b.take());
    groups.back().warm_mib = warm(static_cast<double>(blocked) * blocked_bytes);
  }
  groups.front().contestants.push_back({"floor", 1, {{"pages", wanted.quick ? "5000" : "100000"}}, "memory"});
  builder b("memory", {{"state", "virtual"}});
  b.add("hocket", 1, {{"tasks", number(waiting)}, {"made_by", "spawn"}});
  groups.push_back(b.take());
  groups.back().warm_mib = warm(static_cast<double>(waiting) * virtual_bytes);
  return groups;
}

std::vector<group> blocking_groups(const bench_request& wanted) {
  std::vector<group> groups;
  for (const unsigned threads : wanted.threads) {
    builder b("blocking", {{"n", wanted.quick ? "25" : "34"}});
    b.add("hocket", threads);
    groups.push_back(b.take());
  }
  return groups;
}

std::vector<group> steal_groups(const bench_request& wanted) {
  std::vector<group> groups;
  for (const unsigned threads : wanted.threads) {
    builder b("steal", {{"depth", wanted.quick ? "10" : "14"}});
    b.add("hocket", threads);
    for (const char* peer : {"tbb", "libgomp", "libomp"}) b.add_peer(peer, threads);
    groups.push_back(b.take());
  }
  return groups;
}

std::vector<group> timers_groups(const bench_request& wanted) {
  const std::string tenths = wanted.quick ? "3" : "30";
  builder b("timers", {{"tenths_of_seconds", tenths}});
  for (const unsigned threads : wanted.threads) {
    for (const char* tasks : {"0", "1", "10000"}) b.add("hocket", threads, {{"tasks", tasks}});
  }
  for (const char* tasks : {"1", "10000"}) b.add_peer("boost", 1, {{"tasks", tasks}});
  b.add("floor", 1);
  return {b.take()};
}

std::vector<group> wake_groups(const bench_request& wanted) {
  builder b("wake", {{"rounds", wanted.quick ? "100" : "2000"}});
  b.add("hocket", 1);
  b.add("floor", 1);
  return {b.take()};
}

/// A benchmark without peers, once per number of threads.
std::vector<group> alone(const bench_request& wanted, const char* bench, const params& size) {
  std::vector<group> groups;
  for (const unsigned threads : wanted.threads) {
    builder b(bench, size);
    b.add("hocket", threads);
    groups.push_back(b.take());
  }
  return groups;
}

std::vector<group> foreign_groups(const bench_request& wanted) {
  return alone(wanted, "foreign", {{"children", wanted.quick ? "20000" : "1000000"}});
}

std::vector<group> crowded_groups(const bench_request& wanted) {
  builder b("crowded", {{"queens", wanted.quick ? "8" : "12"}});
  b.add("hocket", 2);
  return {b.take()};
}

std::vector<group> features_groups(const bench_request& wanted) {
  std::vector<group> groups;
  for (const unsigned threads : wanted.threads) {
    builder b("features", {{"n", wanted.quick ? "22" : "34"}});
    b.add("hocket", threads);
    b.add("hocket-uncounted", threads);
    groups.push_back(b.take());
  }
  return groups;
}

std::vector<group> taskops_groups(const bench_request& wanted) {
  std::vector<group> groups;
  for (const char* kind : {"virtual", "real"}) {
    builder b("taskops", {{"task", kind}, {"rounds", wanted.quick ? "100" : "10000"}});
    b.add("hocket", 1);
    groups.push_back(b.take());
  }
  return groups;
}

std::vector<group> granularity_groups(const bench_request& wanted) {
  std::vector<group> groups;
  for (const char* depth : {"12", "20"}) {
    for (const char* grain : {"50", "200", "1000", "10000", "100000"}) {
      if (std::string_view(depth) == "20" && std::string_view(grain).size() > 4) continue;  // seconds a tree
      if (wanted.quick && (std::string_view(depth) == "20" || std::string_view(grain) != "1000")) continue;
      for (const unsigned threads : wanted.threads) {
        builder b("granularity", {{"depth", depth}, {"grain_ns", grain}});
        for (const char* form : {"structured", "virtual", "real"}) {
          // A million real tasks at once are 4 GB of stacks.
          if (std::string_view(depth) == "12" || std::string_view(form) != "real")
            b.add("hocket", threads, {{"form", form}});
        }
        if (std::string_view(depth) == "12" && std::string_view(grain) == "1000") {
          for (const char* form : {"structured", "virtual"})
            b.add("hocket", threads, {{"form", form}, {"trace", "on"}});
        }
        for (const char* peer : {"tbb", "libgomp", "libomp"}) b.add_peer(peer, threads);
        groups.push_back(b.take());
      }
    }
  }
  return groups;
}

std::vector<group> listsort_groups(const bench_request& wanted) {
  std::vector<group> groups;
  for (const char* length : {"1000", "3000", "8000", "100000", "1000000"}) {
    const bool is_long = std::string_view(length).size() > 4;
    if (wanted.quick && std::string_view(length) != "1000") continue;
    for (const unsigned threads : wanted.threads) {
      builder b("listsort", {{"length", length},
                             {"iterations", wanted.quick ? "3"
                                            : is_long    ? "11"
                                                         : "301"}});
      for (const char* form : {"real", "real-cut", "virtual", "virtual-cut", "structured"})
        b.add("hocket", threads, {{"form", form}});
      groups.push_back(b.take());
    }
  }
  return groups;
}

/// sizes are the operations of a sample: ours, those of fibers and goroutines, and those of OS threads.
struct sizes {
  long hocket;
  long fibers;
  long threads;
};

/// sized() is a size as a parameter; --quick takes a twentieth, but enough for a thousand tasks.
params sized(const bench_request& wanted, const char* name, long size) {
  return {{name, number(wanted.quick ? std::max(size / 20, 2000L) : size)}};
}

/// add_sync_peers() adds those who have the primitives of the sync layer.
void add_sync_peers(builder& b, const bench_request& wanted, unsigned threads, const char* name,
                    const sizes& size) {
  b.add_peer("boost", threads, sized(wanted, name, size.fibers));
  for (const auto& [peer, count] : {std::pair("go", size.fibers), std::pair("threads", size.threads)}) {
    params own = sized(wanted, name, count);
    own.emplace_back("tuning", "default");
    b.add(peer, threads, own);
  }
}

/// sync_group() is one primitive beside its peers, in one of its settings.
group sync_group(const bench_request& wanted, const char* bench, unsigned threads, const params& setting,
                 const sizes& ops) {
  builder b(bench, setting);
  b.add("hocket", threads, sized(wanted, "ops", ops.hocket));
  add_sync_peers(b, wanted, threads, "ops", ops);
  return b.take();
}

/// A hand-over needs two tasks: there is nothing to measure on more than two workers.
std::vector<group> feb_groups(const bench_request& wanted) {
  std::vector<group> groups;
  for (const unsigned threads : wanted.threads) {
    if (threads > 2) continue;
    builder b("feb", {});
    for (const char* form : {"word", "sync"}) {
      params own = sized(wanted, "rounds", threads == 1 ? 500000 : 200000);
      own.emplace_back("form", form);
      b.add("hocket", threads, own);
    }
    if (threads == 1) b.add("floor", threads, {{"switches", wanted.quick ? "200000" : "20000000"}});
    // On two threads fibers and goroutines wake a thread for every value.
    for (const char* peer : {"boost", "go"})
      b.add_peer(peer, threads, sized(wanted, "rounds", threads == 1 ? 100000 : 5000));
    b.add_peer("threads", threads, sized(wanted, "rounds", 20000));
    groups.push_back(b.take());
  }
  return groups;
}

std::vector<group> sync_groups(const bench_request& wanted) {
  builder b("sync", {});
  for (const char* form : {"word", "sync"}) {
    params own = sized(wanted, "pairs", 5000000);
    own.emplace_back("form", form);
    b.add("hocket", 1, own);
  }
  b.add("floor", 1, sized(wanted, "pairs", 5000000));
  for (const char* peer : {"boost", "go", "threads"}) {
    params own = sized(wanted, "pairs", 2000000);
    own.emplace_back("tuning", "default");
    b.add(peer, 1, own);
  }
  return {b.take()};
}

std::vector<group> mutex_groups(const bench_request& wanted) {
  std::vector<group> groups;
  for (const char* form : {"plain", "contended"}) {
    const bool plain = std::string_view(form) == "plain";
    for (const char* tasks : {"2", "1000"}) {
      for (const unsigned threads : wanted.threads) {
        const sizes ops = !plain         ? sizes{500000, 100000, 20000}
                          : threads == 1 ? sizes{5000000, 2000000, 5000000}
                                         : sizes{1000000, 500000, 5000000};
        const params setting = {{"tasks", tasks}, {"form", form}};
        groups.push_back(sync_group(wanted, "mutex", threads, setting, ops));
        if (plain && threads == 1) {
          params own = sized(wanted, "ops", 5000000);
          own.emplace_back("form", form);
          groups.back().contestants.push_back({"floor", 1, own, "mutex"});
        }
      }
    }
  }
  return groups;
}

std::vector<group> channel_groups(const bench_request& wanted) {
  std::vector<group> groups;
  for (const char* tasks : {"2", "1000"}) {
    for (const unsigned threads : wanted.threads) {
      const sizes ops = threads == 1 ? sizes{1000000, 500000, 50000} : sizes{200000, 200000, 50000};
      const params setting = {{"tasks", tasks}, {"capacity", "64"}};
      groups.push_back(sync_group(wanted, "channel", threads, setting, ops));
    }
  }
  // With one place every element is a hand-over.
  const params setting = {{"tasks", "2"}, {"capacity", "1"}};
  groups.push_back(sync_group(wanted, "channel", 1, setting, {500000, 100000, 20000}));
  return groups;
}

std::vector<group> barrier_groups(const bench_request& wanted) {
  std::vector<group> groups;
  for (const char* tasks : {"2", "1000"}) {
    for (const unsigned threads : wanted.threads)
      groups.push_back(sync_group(wanted, "barrier", threads, {{"tasks", tasks}}, {500000, 100000, 50000}));
  }
  return groups;
}

std::vector<group> condition_groups(const bench_request& wanted) {
  std::vector<group> groups;
  for (const char* tasks : {"2", "1000"}) {
    for (const unsigned threads : wanted.threads)
      groups.push_back(sync_group(wanted, "condition", threads, {{"tasks", tasks}}, {500000, 100000, 20000}));
  }
  return groups;
}

std::vector<group> counter_groups(const bench_request& wanted) {
  std::vector<group> groups;
  const auto rounds = [&wanted](long count) {
    return params{{"rounds", number(wanted.quick ? std::max(count / 20, 1L) : count)}};
  };
  for (const unsigned threads : wanted.threads) {
    builder b("counter", {{"tasks", "1000"}});
    b.add("hocket", threads, rounds(1000));
    b.add_peer("tbb", threads, rounds(500));
    b.add_peer("boost", threads, rounds(20));
    for (const auto& [peer, count] : {std::pair("go", 200L), std::pair("threads", 2L)}) {
      params own = rounds(count);
      own.emplace_back("tuning", "default");
      b.add(peer, threads, own);
    }
    groups.push_back(b.take());
  }
  return groups;
}

std::vector<group> wavefront_groups(const bench_request& wanted) {
  const params side = {{"side", wanted.quick ? "300" : "3162"}};
  // A node of TBB's graph takes some 300 bytes, all of them exist at once: it gets a tenth of the cells.
  const params graph_side = {{"side", wanted.quick ? "300" : "1000"}};
  std::vector<group> groups;
  for (const unsigned threads : wanted.threads) {
    builder b("wavefront", {});
    for (const std::string form : {"counter", "word", "future"}) {
      params own = form == "future" ? graph_side : side;
      own.emplace_back("form", form);
      b.add("hocket", threads, own);
    }
    b.add("floor", threads, side);
    b.add_peer("tbb", threads, graph_side);
    groups.push_back(b.take());
  }
  return groups;
}

/// first_number() reads a file that holds one number; -1 if it does not.
double first_number(const char* path) {
  std::ifstream file(path);
  double value = -1;
  return file >> value ? value : -1;
}

}  // namespace

const std::vector<benchmark>& benchmarks() {
  static const std::vector<benchmark> table = {
      {"fib", "ns_per_spawn", "a fork in every call of a doubly recursive function", fib_groups},
      {"flat", "ns_per_task", "a million empty children of one parent", flat_groups},
      {"uts", "ns_per_node, speedup", "search of an unbalanced tree (shape T1, cheap hash)", uts_groups},
      {"nqueens", "ns_per_node, speedup", "all placements of 12 queens", nqueens_groups},
      {"switch", "ns_per_switch", "a bare switch between two contexts", switch_groups},
      {"yield", "ns_per_yield", "two tasks that yield to one another on one worker", yield_groups},
      {"memory", "bytes_per_task, create_s, resume_s", "a million blocked tasks, ten million virtual ones",
       memory_groups},
      {"blocking", "ratio_to_fib", "fib in which every 1,000th leaf waits for another task", blocking_groups},
      {"steal", "efficiency", "a balanced tree of leaves of 1 us", steal_groups},
      {"timers", "cpu_percent, lateness", "tasks that sleep in turns of 100 ms, and an idle process",
       timers_groups},
      {"wake", "wake_p50, wake_p99", "the wake-up of a sleeping worker, beside a bare futex", wake_groups},
      {"foreign", "ns_per_task, ratio_to_task", "a million tasks made by a thread that is none",
       foreign_groups},
      {"crowded", "ratio_to_few", "nqueens on 64 workers against 2", crowded_groups},
      {"features", "ns_per_spawn", "fib with priorities, counters and trace hooks on and off",
       features_groups},
      {"taskops", "calls_per_start, calls_per_wait",
       "PACLIB's figure 2: start of a task and wait for it, in calls", taskops_groups},
      {"granularity", "efficiency", "PACLIB's figure 3: a tree of tasks with leaves of 50 ns to 100 us",
       granularity_groups},
      {"listsort", "efficiency, reals_at_once", "PACLIB's figure 5: the bubble-merge sort of a linked list",
       listsort_groups},
      {"feb", "ns_per_handoff, ratio_to_line_floor",
       "values handed over by full/empty words, on one worker and across", feb_groups},
      {"sync", "ns_per_op, ns_per_pair", "a word filled and emptied where nobody waits", sync_groups},
      {"mutex", "ns_per_op", "lock, count, unlock: 2 and 1,000 tasks, waiting or not", mutex_groups},
      {"channel", "ns_per_op", "elements sent and received, by 2 and 1,000 tasks", channel_groups},
      {"barrier", "ns_per_op", "2 and 1,000 tasks that pass a barrier again and again", barrier_groups},
      {"condition", "ns_per_op", "a token passed around by mutex and condition variable", condition_groups},
      {"counter", "ns_per_op", "1,000 tasks made, and a wait for all by a counter", counter_groups},
      {"wavefront", "ns_per_cell", "ten million cells, each after its upper and left neighbour",
       wavefront_groups},
  };
  return table;
}

double usable_memory() {
  double available = 0;
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  for (double kib = 0; meminfo >> key >> kib; meminfo.ignore(256, '\n')) {
    if (key == "MemAvailable:") available = kib * 1024;
  }
  const double limit = first_number("/sys/fs/cgroup/memory.max");
  const double used = first_number("/sys/fs/cgroup/memory.current");
  if (limit >= 0 && used >= 0) available = std::min(available, std::max(0.0, limit - used));
  return available * 0.6;
}

}  // namespace hocket::tool
