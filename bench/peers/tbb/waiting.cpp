// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A group that is waited for, and the wavefront as a flow graph, on oneTBB. `tuned`: the group shares one
// context, as the fork-join benchmarks do; the graph's nodes are lightweight, so that a node that becomes
// ready is called instead of being made a task.
#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <deque>

#include "tbb_benches.hpp"
#include "workloads/sync.hpp"
#include "workloads/wavefront.hpp"

namespace hkbench {
namespace {

namespace flow = tbb::flow;

/// A Kit of workloads/sync.hpp as far as `counter` needs one.
class group_kit {
 public:
  explicit group_kit(bool tune) : tuned_(tune) {}

  template <class F>
  void fork(long tasks, F body) {
    if (tuned_) {
      tbb::task_group group(shared_);
      run_all(group, tasks, body);
    } else {
      tbb::task_group group;
      run_all(group, tasks, body);
    }
  }

 private:
  template <class F>
  static void run_all(tbb::task_group& group, long tasks, F body) {
    for (long i = 0; i < tasks; ++i) group.run([body, i] { body(i); });
    group.wait();
  }

  bool tuned_;
  tbb::task_group_context shared_;
};

/// cell_graph has a node for each cell, with edges to the cells below and to the right.
template <class Node>
class cell_graph {
 public:
  cell_graph(flow::graph& graph, wave_grid& grid) {
    const std::size_t side = grid.rows();
    for (std::size_t row = 0; row < side; ++row) {
      for (std::size_t column = 0; column < side; ++column) {
        Node& added = nodes_.emplace_back(
            graph, [&grid, row, column](const flow::continue_msg&) noexcept { grid.compute(row, column); });
        if (row > 0) flow::make_edge(nodes_[nodes_.size() - 1 - side], added);
        if (column > 0) flow::make_edge(nodes_[nodes_.size() - 2], added);
      }
    }
  }
  void start() { nodes_.front().try_put(flow::continue_msg{}); }

 private:
  std::deque<Node> nodes_;
};

/// The graph is made by the run that warms up; the time to make it is a row of its own.
template <class Node>
void sample_wavefront(request& rq) {
  tbb::task_arena arena(static_cast<int>(rq.threads()));
  arena.execute([&] {
    flow::graph graph;
    std::unique_ptr<cell_graph<Node>> cells;
    double build = 0;
    double count = 0;
    run_wavefront(rq, 1, 1000, [&](wave_grid& grid) {
      if (!cells) {
        build = seconds_of([&] { cells = std::make_unique<cell_graph<Node>>(graph, grid); });
        count = static_cast<double>(grid.rows()) * static_cast<double>(grid.rows());
      }
      cells->start();
      graph.wait_for_all();
    });
    rq.row("build_ns_per_cell", "ns", build * 1e9 / count);
  });
}

bool tuned(request& rq) { return rq.choice("tuning", {"default", "tuned"}) == "tuned"; }

}  // namespace

void tbb_counter(request& rq) {
  tbb::task_arena arena(static_cast<int>(rq.threads()));
  arena.execute([&] {
    group_kit kit(tuned(rq));
    run_counter(rq, kit);
  });
}

void tbb_wavefront(request& rq) {
  using usual = flow::continue_node<flow::continue_msg>;
  using lightweight = flow::continue_node<flow::continue_msg, flow::lightweight>;
  tuned(rq) ? sample_wavefront<lightweight>(rq) : sample_wavefront<usual>(rq);
}

}  // namespace hkbench
