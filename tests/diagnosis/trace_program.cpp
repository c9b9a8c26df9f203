// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program to be traced; trace_test.py runs it and checks the trace against the counters that it prints.
#include <hocket/hocket.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {
using namespace hocket;
using namespace std::chrono_literals;

/// Some microseconds of work.
void work() {
  const auto until = std::chrono::steady_clock::now() + 20us;
  while (std::chrono::steady_clock::now() < until) {
  }
}

long tree(int depth) {
  if (depth == 0) {
    work();
    return 1;
  }
  auto left = spawn({.name = "left"}, [depth] { return tree(depth - 1); });
  const long right = tree(depth - 1);
  return right + left.get();
}

long forked_tree(int depth) {
  if (depth == 0) {
    work();
    return 1;
  }
  const auto [left, right] =
      fork_join([depth] { return forked_tree(depth - 1); }, [depth] { return forked_tree(depth - 1); });
  return left + right;
}

/// A bit of everything: inlined, realised, started, begun, stolen, suspended by events, time and tasks.
void everything() {
  if (tree(8) != 256) std::abort();
  if (forked_tree(6) != 64) std::abort();
  event go;
  std::vector<task<void>> waiting;
  for (int i = 0; i < 20; ++i) {
    waiting.push_back(start({.name = "waits \"here\"\n"}, [&] {
      go.wait();
      this_task::yield();
    }));
    waiting.push_back(spawn([] { this_task::sleep_for(1ms); }));
  }
  begin([] { work(); });
  auto late = spawn_after(2ms, {.name = "late"}, [] {});
  std::thread other([&] {
    auto made = spawn({.name = "made by a thread"}, [] { return 1; });
    made.wait();
    go.set();
  });
  wait_any(waiting);
  wait_all(waiting);
  late.wait();
  other.join();
}

void deadlock() {
  event never;
  auto t = start({.name = "for ever"}, [&] { never.wait(); });
  t.wait();
}

void many(long n) {
  std::vector<task<int>> all;
  for (long done = 0; done < n; done += 1000) {
    all.clear();
    for (int i = 0; i < 1000; ++i) all.push_back(spawn([] { return 1; }));
    wait_all(all);
  }
}

void print_counts() {
  const statistics s = stats();
  std::printf(
      "{\"spawned\":%llu,\"begun\":%llu,\"started\":%llu,\"finished\":%llu,\"realised\":%llu,\"inlined\":%"
      "llu,"
      "\"stolen\":%llu,\"suspended\":%llu,\"resumed\":%llu,\"reals\":%llu,\"reals_at_once\":%llu",
      static_cast<unsigned long long>(s.spawned), static_cast<unsigned long long>(s.begun),
      static_cast<unsigned long long>(s.started), static_cast<unsigned long long>(s.finished),
      static_cast<unsigned long long>(s.realised), static_cast<unsigned long long>(s.inlined),
      static_cast<unsigned long long>(s.stolen), static_cast<unsigned long long>(s.suspended),
      static_cast<unsigned long long>(s.resumed), static_cast<unsigned long long>(s.reals),
      static_cast<unsigned long long>(s.reals_at_once));
  std::string line;
  for (std::ifstream status("/proc/self/status"); std::getline(status, line);) {
    if (line.starts_with("VmHWM:"))
      std::printf(",\"peak_kib\":%s", std::to_string(std::stol(line.substr(6))).c_str());
  }
  std::printf("}\n");
}

}  // namespace

int main(int argc, char** argv) try {
  const options o = options::from(argc, argv);
  const std::string what = argc > 1 ? argv[1] : "";
  const long n = argc > 2 ? std::atol(argv[2]) : 0;
  if (what == "everything") hocket::run(o, everything);
  if (what == "deadlock") hocket::run(o, deadlock);
  if (what == "many") hocket::run(o, [n] { many(n); });
  if (what == "twice") {
    hocket::run(o, [] { work(); });
    hocket::run(o, [] { work(); });
  }
  print_counts();
} catch (const std::exception& e) {
  std::fprintf(stderr, "trace_program: %s\n", e.what());
  return 2;
}
