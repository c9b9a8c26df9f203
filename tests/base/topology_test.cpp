// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cores that a process may use: the affinity mask is honoured, by the count and by the workers.
#include <hocket/hocket.hpp>

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <string>
#include <vector>

namespace {
using namespace hocket;

cpu_set_t mask_of_this_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}

/// Runs f in a child process, before this process has looked at the machine; its exit code.
template <class F>
int in_child(F f) {
  const pid_t child = fork();
  if (child == 0) _exit(f());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int last_of(const cpu_set_t& set) {
  int last = -1;
  for (int p = 0; p < CPU_SETSIZE; ++p) {
    if (CPU_ISSET(p, &set)) last = p;
  }
  return last;
}

// First in the file: a child has its parent's answer if the parent has looked already.
TEST(topology, a_mask_of_one_core_is_honoured) {
  const int only = last_of(mask_of_this_thread());
  EXPECT_EQ(in_child([only] {
              cpu_set_t set;
              CPU_ZERO(&set);
              CPU_SET(only, &set);
              if (sched_setaffinity(0, sizeof set, &set) != 0) return 2;
              if (available_cores() != 1) return 3;
              if (this_machine().allowed != 1) return 4;
              if (this_machine().processors != std::vector<unsigned>{static_cast<unsigned>(only)}) return 5;
              return hocket::run(options{},
                                 [only] { return sched_getcpu() == only && stats().started == 1 ? 0 : 6; });
            }),
            0);
}

TEST(topology, a_run_uses_one_worker_a_core_and_pins_them) {
  EXPECT_EQ(in_child([] {
              return hocket::run(options{}, [] {
                const unsigned n = available_cores();
                const cpu_set_t mine = mask_of_this_thread();
                if (n == this_machine().allowed && CPU_COUNT(&mine) != 1) return 2;
                return this_task::worker() < n ? 0 : 3;
              });
            }),
            0);
}

TEST(topology, the_callers_mask_is_put_back_after_a_run) {
  const cpu_set_t before = mask_of_this_thread();
  hocket::run(options{}, [] {});
  const cpu_set_t after = mask_of_this_thread();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(topology, a_run_without_pinning_leaves_the_mask_alone) {
  const cpu_set_t before = mask_of_this_thread();
  options o;
  o.pin = false;
  hocket::run(o, [&] {
    const cpu_set_t inside = mask_of_this_thread();
    EXPECT_TRUE(CPU_EQUAL(&before, &inside));
  });
}

TEST(topology, the_machine_is_described) {
  const machine& m = this_machine();
  EXPECT_GE(available_cores(), 1u);
  EXPECT_LE(available_cores(), m.allowed);
  EXPECT_LE(m.allowed, m.cores);
  EXPECT_EQ(m.processors.size(), m.allowed);
  EXPECT_EQ(std::set<unsigned>(m.processors.begin(), m.processors.end()).size(), m.processors.size());
  EXPECT_TRUE(m.kernel.starts_with("Linux ")) << m.kernel;
  const std::string text = describe_machine();
  EXPECT_NE(text.find(m.kernel), std::string::npos) << text;
  EXPECT_NE(text.find(std::to_string(m.cores)), std::string::npos) << text;
}

TEST(version, of_the_library_is_that_of_the_headers) {
  EXPECT_STREQ(version(), HOCKET_VERSION_STRING);
  EXPECT_NE(std::string(build_description()).find("task switch"), std::string::npos);
}

}  // namespace
