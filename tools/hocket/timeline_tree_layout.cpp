// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses and places the nodes of a tree, without recursion: a chain of tasks may be as deep as it likes.
#include "timeline_tree_layout.hpp"

#include <algorithm>

namespace hocket::tool {
namespace {

/// The children of each task, in the order in which they were made. The last task + 1 stands for "no task".
class family {
 public:
  explicit family(const std::vector<traced_task>& tasks)
      : nobody_(static_cast<std::uint32_t>(tasks.size())),
        first_(tasks.size() + 2, 0),
        size_(tasks.size() + 1, 1) {
    const auto parent = [&](std::uint32_t t) { return tasks[t].parent == none ? nobody_ : tasks[t].parent; };
    for (std::uint32_t t = 0; t < tasks.size(); ++t) ++first_[parent(t) + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    children_.resize(tasks.size());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t t = 0; t < tasks.size(); ++t) children_[next[parent(t)]++] = t;
    // A task comes after its parent.
    for (std::uint32_t t = nobody_; t-- > 0;) size_[parent(t)] += size_[t];
  }
  std::uint32_t nobody() const { return nobody_; }
  std::size_t count(std::uint32_t task) const { return first_[task + 1] - first_[task]; }
  std::uint32_t child(std::uint32_t task, std::size_t i) const { return children_[first_[task] + i]; }
  std::uint64_t subtree(std::uint32_t task) const { return size_[task]; }

 private:
  std::uint32_t nobody_;
  std::vector<std::uint32_t> first_, children_;
  std::vector<std::uint64_t> size_;
};

class chooser {
 public:
  chooser(const std::vector<traced_task>& tasks, std::size_t most) : family_(tasks), most_(most) {}
  tree_layout choose();

 private:
  std::size_t quota(std::size_t begin, std::size_t end) const;
  void add_children(std::uint32_t parent, std::size_t most);
  void place();

  family family_;
  std::size_t most_;
  std::vector<tree_node> nodes_;  // the first stands for "no task"
  struct range {
    std::uint32_t first, count;
  };
  std::vector<range> children_;  // by node
  tree_layout result_;
};

/// How many children each of these nodes may show.
std::size_t chooser::quota(std::size_t begin, std::size_t end) const {
  std::size_t all = 0, widest = 0;
  const auto shown = [&](std::size_t most) {
    std::size_t sum = 0;
    for (std::size_t i = begin; i < end; ++i)
      if (nodes_[i].task != none) sum += std::min(family_.count(nodes_[i].task), most);
    return sum;
  };
  for (std::size_t i = begin; i < end; ++i) {
    if (nodes_[i].task != none) widest = std::max(widest, family_.count(nodes_[i].task));
  }
  all = shown(widest);
  if (result_.drawn + all <= most_) return widest;
  if (result_.drawn * 2 >= most_) return 0;
  std::size_t least = 0;
  while (least < widest) {
    const std::size_t middle = least + (widest - least + 1) / 2;
    if (result_.drawn + shown(middle) <= most_)
      least = middle;
    else
      widest = middle - 1;
  }
  return least;
}

void chooser::add_children(std::uint32_t parent, std::size_t most) {
  const std::uint32_t task = nodes_[parent].task;
  const std::uint32_t level = nodes_[parent].level + 1;
  children_[parent].first = static_cast<std::uint32_t>(nodes_.size());
  if (task != none) {
    const std::size_t count = std::min(family_.count(task), most);
    std::uint64_t hidden = family_.subtree(task) - 1;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t child = family_.child(task, i);
      nodes_.push_back({child, parent, level, 0, 0});
      hidden -= family_.subtree(child);
    }
    result_.drawn += count;
    if (count < family_.count(task)) {
      nodes_.push_back({none, parent, level, hidden, 0});
      result_.hidden += hidden;
    }
  }
  children_[parent].count = static_cast<std::uint32_t>(nodes_.size()) - children_[parent].first;
  children_.resize(nodes_.size());
}

/// Leaves stand side by side in the order of the tree, the others in the middle above their children.
void chooser::place() {
  std::vector<std::uint32_t> open = {0};
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    const auto [first, count] = children_[node];
    if (count == 0) nodes_[node].slot = result_.slots++;
    for (std::uint32_t i = count; i-- > 0;) open.push_back(first + i);
  }
  for (std::size_t node = nodes_.size(); node-- > 0;) {
    const auto [first, count] = children_[node];
    if (count != 0) nodes_[node].slot = (nodes_[first].slot + nodes_[first + count - 1].slot) / 2;
  }
}

tree_layout chooser::choose() {
  nodes_.push_back({family_.nobody(), none, 0, 0, 0});
  children_.resize(1);
  for (std::size_t begin = 0, end = 1; begin < end; begin = end, end = nodes_.size()) {
    const std::size_t most = quota(begin, end);
    for (std::size_t i = begin; i < end; ++i) add_children(static_cast<std::uint32_t>(i), most);
    if (nodes_.size() > end) ++result_.levels;
  }
  place();
  // Without the node for "no task".
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    tree_node n = nodes_[i];
    n.parent = n.parent == 0 ? none : n.parent - 1;
    --n.level;
    result_.nodes.push_back(n);
  }
  return std::move(result_);
}

}  // namespace

tree_layout lay_out(const std::vector<traced_task>& tasks, std::size_t most_nodes) {
  return chooser(tasks, most_nodes).choose();
}

}  // namespace hocket::tool
