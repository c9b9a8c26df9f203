// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small explicit-state model checker: visits every reachable state of a model once, breadth first, checks
// each, checks that the end stays reachable, and rebuilds a shortest trace to a violation.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace models {

// A model is a class with
//   struct state;                                 trivially copyable, without padding (compared and hashed as
//   bytes) state initial() const; template <class E> void steps(const state&, E emit) const;
//                                                 calls emit(next, who, what) once for each enabled step; a
//                                                 step makes at most one access to shared memory
//   const char* violation(const state&) const;    nullptr, or the promise that this state breaks
//   bool finished(const state&) const;            every thread has ended and every store has left its buffer
//   void canonical(state&) const;                 maps states that differ in names only to one of them
//   std::string print(const state&) const;        one line for traces
struct outcome {
  std::size_t states = 0;
  std::size_t steps = 0;
  std::size_t depth = 0;  // length of the longest shortest path
  bool complete = false;  // every reachable state was visited
  std::string violation;  // empty: none
  std::string trace;
};

struct limits {
  std::size_t max_states = 60'000'000;
  bool check_progress =
      true;  // the end is reachable from every state: no deadlock, no livelock without escape
};

template <class Model>
class explorer {
 public:
  using state = typename Model::state;
  static_assert(std::is_trivially_copyable_v<state>);
  static_assert(std::has_unique_object_representations_v<state>, "padding bytes would split equal states");

  explorer(const Model& model, limits bounds) : model_(model), bounds_(bounds) {
    table_.assign(1u << 16, none);
  }

  outcome run() {
    state first = model_.initial();
    model_.canonical(first);
    insert(first, none);
    if (const char* what = model_.violation(first)) return fail(0, what);
    std::uint32_t level_end = 1;
    for (std::uint32_t at = 0; at < states_.size(); ++at) {
      if (at == level_end) {
        ++result_.depth;
        level_end = static_cast<std::uint32_t>(states_.size());
      }
      if (states_.size() > bounds_.max_states) {
        result_.states = states_.size();
        return result_;  // incomplete: the caller must not take this for a proof
      }
      const char* broken = nullptr;
      std::uint32_t culprit = none;
      bool any = false;
      const state here = states_[at];  // a copy: insert() may move the vector
      model_.steps(here, [&](state next, int, const char*) {
        any = true;
        ++result_.steps;
        if (broken) return;
        model_.canonical(next);
        const auto [index, fresh] = insert(next, at);
        if (bounds_.check_progress) edges_.push_back({at, index});
        if (!fresh) return;
        if (const char* what = model_.violation(next)) {
          broken = what;
          culprit = index;
        }
      });
      if (broken) return fail(culprit, broken);
      if (!any && !model_.finished(here)) return fail(at, "deadlock: no thread can take a step");
    }
    result_.states = states_.size();
    result_.complete = true;
    if (bounds_.check_progress) {
      const std::uint32_t lost = find_state_without_end();
      if (lost != none) return fail(lost, "no continuation of this state reaches the end");
    }
    return result_;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct edge {
    std::uint32_t from, to;
  };
  struct inserted {
    std::uint32_t index;
    bool fresh;
  };

  static std::uint64_t hash(const state& s) {
    unsigned char bytes[(sizeof(state) + 7) / 8 * 8] = {};
    std::memcpy(bytes, &s, sizeof(state));
    std::uint64_t h = 0x9e3779b97f4a7c15u;
    for (std::size_t i = 0; i < sizeof bytes; i += 8) {
      std::uint64_t word;
      std::memcpy(&word, bytes + i, 8);
      h = (h ^ word) * 0xff51afd7ed558ccdu;
      h ^= h >> 32;
    }
    return h;
  }

  // States are compared in full, so a hash collision costs time but never a state.
  inserted insert(const state& s, std::uint32_t parent) {
    if ((states_.size() + 1) * 2 > table_.size()) grow();
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = hash(s) & mask;
    for (; table_[slot] != none; slot = (slot + 1) & mask)
      if (std::memcmp(&states_[table_[slot]], &s, sizeof(state)) == 0) return {table_[slot], false};
    const auto index = static_cast<std::uint32_t>(states_.size());
    table_[slot] = index;
    states_.push_back(s);
    parents_.push_back(parent);
    return {index, true};
  }

  void grow() {
    table_.assign(table_.size() * 2, none);
    const std::size_t mask = table_.size() - 1;
    for (std::uint32_t i = 0; i < states_.size(); ++i) {
      std::size_t slot = hash(states_[i]) & mask;
      while (table_[slot] != none) slot = (slot + 1) & mask;
      table_[slot] = i;
    }
  }

  // Walks backwards from all final states; returns a state (the earliest found) that was not met, or none.
  std::uint32_t find_state_without_end() {
    const std::size_t n = states_.size();
    std::vector<std::uint32_t> start(n + 1, 0), from(edges_.size());
    for (const edge& e : edges_) ++start[e.to + 1];
    for (std::size_t i = 0; i < n; ++i) start[i + 1] += start[i];
    std::vector<std::uint32_t> fill(start.begin(), start.end() - 1);
    for (const edge& e : edges_) from[fill[e.to]++] = e.from;
    std::vector<bool> good(n, false);
    std::vector<std::uint32_t> work;
    for (std::uint32_t i = 0; i < n; ++i)
      if (model_.finished(states_[i])) good[i] = true, work.push_back(i);
    while (!work.empty()) {
      const std::uint32_t at = work.back();
      work.pop_back();
      for (std::uint32_t k = start[at]; k < start[at + 1]; ++k)
        if (!good[from[k]]) good[from[k]] = true, work.push_back(from[k]);
    }
    for (std::uint32_t i = 0; i < n; ++i)
      if (!good[i]) return i;
    return none;
  }

  outcome fail(std::uint32_t index, const char* what) {
    result_.states = states_.size();
    result_.violation = what;
    std::vector<std::uint32_t> path;
    for (std::uint32_t i = index; i != none; i = parents_[i]) path.push_back(i);
    result_.trace = "      " + model_.print(states_[path.back()]) + "\n";
    for (std::size_t k = path.size(); k-- > 1;) {
      const state& target = states_[path[k - 1]];
      bool found = false;
      model_.steps(states_[path[k]], [&](state next, int who, const char* text) {
        model_.canonical(next);
        if (found || std::memcmp(&next, &target, sizeof(state)) != 0) return;
        found = true;
        char line[400];
        std::snprintf(line, sizeof line, "  %3zu %-8s %-44s %s\n", path.size() - k, model_.name(who), text,
                      model_.print(target).c_str());
        result_.trace += line;
      });
    }
    return result_;
  }

  const Model& model_;
  limits bounds_;
  outcome result_;
  std::vector<state> states_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint32_t> table_;
  std::vector<edge> edges_;
};

}  // namespace models
