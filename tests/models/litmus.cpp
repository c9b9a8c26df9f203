// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the checker: known litmus tests of two threads must have exactly the outcomes their memory order
// allows. Exit codes: 0 all do, 1 one does not.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "explore.h"
#include "store_buffers.h"

namespace {

using models::memory_order_model;

enum class op : std::uint8_t { store, store_release, load, fence, membarrier, increment };
enum : int { x, y };

struct instruction {
  op what;
  int variable = 0;
  int value = 0;  // load: the register
};

struct test {
  const char* name;
  std::vector<instruction> program[2];
  std::vector<int> asked[2];  // the registers of the asked outcome
  bool tso_allows, weak_allows;
};

class two_threads {
 public:
  struct state {
    models::store_buffers<2, 2, 4> shared;
    std::uint8_t pc[2] = {};
    std::uint8_t registers[2][2] = {};
  };

  two_threads(const test& which, memory_order_model order) : test_(which), order_(order) {}
  state initial() const { return {}; }
  const char* name(int who) const { return who ? "second" : "first"; }
  void canonical(state&) const {}
  std::string print(const state&) const { return {}; }
  bool finished(const state& s) const {
    return s.pc[0] == test_.program[0].size() && s.pc[1] == test_.program[1].size() && s.shared.empty();
  }
  const char* violation(const state& s) const {
    if (!finished(s)) return nullptr;
    for (int t = 0; t < 2; ++t)
      for (std::size_t r = 0; r < test_.asked[t].size(); ++r)
        if (s.registers[t][r] != test_.asked[t][r]) return nullptr;
    return "the asked outcome";
  }
  template <class E>
  void steps(const state& s, E emit) const {
    for (int t = 0; t < 2; ++t) {
      for (int k = 0; k < s.shared.count[t]; ++k)
        if (s.shared.may_leave(t, k, order_)) {
          state n = s;
          n.shared.leave(t, k);
          emit(n, t, "a store leaves the buffer");
        }
      if (s.pc[t] == test_.program[t].size()) continue;
      const instruction i = test_.program[t][s.pc[t]];
      state n = s;
      ++n.pc[t];
      switch (i.what) {
        case op::store:
          n.shared.store(t, i.variable, i.value);
          break;
        case op::store_release:
          n.shared.store(t, i.variable, i.value, true);
          break;
        case op::load:
          n.registers[t][i.value] = s.shared.load(t, i.variable);
          break;
        case op::fence:
          n.shared.drain(t);
          break;
        case op::membarrier:
          n.shared.drain_all();
          break;
        case op::increment:
          n.shared.drain(t), ++n.shared.memory[i.variable];
          break;
      }
      emit(n, t, "an instruction");
    }
  }

 private:
  const test& test_;
  memory_order_model order_;
};

const test tests[] = {
    {"store buffering",
     {{{op::store, x, 1}, {op::load, y, 0}}, {{op::store, y, 1}, {op::load, x, 0}}},
     {{0}, {0}},
     true,
     true},
    {"store buffering, both fence",
     {{{op::store, x, 1}, {op::fence}, {op::load, y, 0}}, {{op::store, y, 1}, {op::fence}, {op::load, x, 0}}},
     {{0}, {0}},
     false,
     false},
    {"store buffering, one fences",
     {{{op::store, x, 1}, {op::load, y, 0}}, {{op::store, y, 1}, {op::fence}, {op::load, x, 0}}},
     {{0}, {0}},
     true,
     true},
    {"store buffering, one membarrier",
     {{{op::store, x, 1}, {op::load, y, 0}}, {{op::store, y, 1}, {op::membarrier}, {op::load, x, 0}}},
     {{0}, {0}},
     false,
     false},
    {"message passing, relaxed",
     {{{op::store, x, 1}, {op::store, y, 1}}, {{op::load, y, 0}, {op::load, x, 1}}},
     {{}, {1, 0}},
     false,
     true},
    {"message passing, release",
     {{{op::store, x, 1}, {op::store_release, y, 1}}, {{op::load, y, 0}, {op::load, x, 1}}},
     {{}, {1, 0}},
     false,
     false},
    {"one variable, two stores, relaxed",
     {{{op::store, x, 1}, {op::store, x, 2}}, {{op::load, x, 0}, {op::load, x, 1}}},
     {{}, {2, 1}},
     false,
     false},
    {"a thread reads its own store", {{{op::store, x, 1}, {op::load, x, 0}}, {}}, {{0}, {}}, false, false},
    {"two increments, both seen",
     {{{op::increment, x}, {op::load, x, 0}}, {{op::increment, x}, {op::load, x, 0}}},
     {{2}, {2}},
     true,
     true},
    {"two increments, one lost",
     {{{op::increment, x}, {op::load, x, 0}}, {{op::increment, x}, {op::load, x, 0}}},
     {{1}, {1}},
     false,
     false},
};

}  // namespace

int main() {
  int wrong = 0;
  for (const test& t : tests)
    for (const auto order : {memory_order_model::tso, memory_order_model::weak}) {
      const bool expected = order == memory_order_model::tso ? t.tso_allows : t.weak_allows;
      const two_threads model(t, order);
      const bool found = !models::explorer(model, models::limits{}).run().violation.empty();
      if (found != expected) ++wrong;
      std::printf("%-36s %-7s %-9s %s\n", t.name, order == memory_order_model::tso ? "x86-TSO" : "weak",
                  found ? "reachable" : "never", found == expected ? "" : "WRONG");
    }
  return wrong > 0 ? 1 : 0;
}
