// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A search in depth, with a stack of its own: chains of waits may be as long as there are tasks.
#include "sched/wait_graph.hpp"

#include <cstdint>
#include <unordered_map>

namespace hocket::detail {
namespace {

constexpr std::size_t most_told = 20;  // members of a circle

struct step {
  std::size_t task;  // in the list
  std::vector<blocker> blockers;
  std::size_t next = 0;  // of these, to be followed
};

/// The circle that the last of `path` closes by its latest blocker, which is the one at `from`.
std::string tell(const std::vector<waiting_task>& list, const std::vector<step>& path, std::size_t from) {
  std::string text = name_of(list[path[from].task]);
  if (from + 1 == path.size() && path[from].blockers[path[from].next - 1].text == text)
    return text + " waits for itself";
  for (std::size_t i = from; i < path.size(); ++i) {
    if (i - from == most_told && path.size() - i > 1) {
      text += ", which waits for (" + std::to_string(path.size() - 1 - i) + " more)";
      i = path.size() - 1;
    }
    const step& s = path[i];
    text += (i == from ? " waits for " : ", which waits for ") + s.blockers[s.next - 1].text;
  }
  return text;
}

}  // namespace

std::vector<std::string> circles_among(const std::vector<waiting_task>& list, std::size_t most) {
  std::unordered_map<const real_task*, std::size_t> index;
  for (std::size_t i = 0; i < list.size(); ++i) index.emplace(list[i].task, i);
  constexpr std::size_t unseen = 0, over = ~std::size_t{0};  // else: the place in the path, and 1
  std::vector<std::size_t> seen(list.size(), unseen);
  std::vector<std::string> found;
  std::vector<step> path;
  const auto enter = [&](std::size_t i) {
    path.push_back({i, blockers_of(list[i])});
    seen[i] = path.size();
  };
  for (std::size_t start = 0; start < list.size() && found.size() < most; ++start) {
    if (seen[start] != unseen) continue;
    enter(start);
    while (!path.empty() && found.size() < most) {
      step& s = path.back();
      if (s.next == s.blockers.size()) {
        seen[s.task] = over;
        path.pop_back();
        continue;
      }
      const auto next = index.find(s.blockers[s.next++].task);
      if (next == index.end() || seen[next->second] == over) continue;
      if (seen[next->second] == unseen) {
        enter(next->second);
      } else {
        found.push_back(tell(list, path, seen[next->second] - 1));
      }
    }
  }
  return found;
}

}  // namespace hocket::detail
