// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests in C need of the library's C++: gates, counters, exceptions.
#include <hocket/hocket.hpp>

#include <stdexcept>

#include "check.h"

struct gate {
  hocket::event opened;
};

gate* gate_new() { return new gate; }
void gate_wait(gate* g) { g->opened.wait(); }
void gate_open(gate* g) { g->opened.set(); }
void gate_delete(gate* g) { delete g; }

counts counts_since(counts before) {
  const hocket::statistics now = hocket::stats();
  return {now.spawned - before.spawned,   now.started - before.started, now.finished - before.finished,
          now.realised - before.realised, now.inlined - before.inlined, now.adopted - before.adopted};
}

unsigned workers_now() { return hocket::workers(); }
long sized(long plain, long checked) { return HOCKET_TSAN || HOCKET_ASAN ? checked : plain; }

pacWord throwing() { throw std::runtime_error("thrown by a task's function"); }
pacWord begin_throwing() {
  hocket::begin([] { throw std::runtime_error("thrown by a detached task"); });
  return 0;
}
