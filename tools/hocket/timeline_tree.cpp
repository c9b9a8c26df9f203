// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws which task made which (figure 1 of the PACLIB paper on virtual tasks), each coloured by the real task
// that ran it, so that one sees which subtrees one real task executed.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "timeline_pictures.hpp"
#include "timeline_svg.hpp"
#include "timeline_tree_layout.hpp"

namespace hocket::tool {
namespace {

constexpr const char* style =
    ".edge {{ fill: none; stroke: #bbb; stroke-width: 1; }}\n.edge.same {{ stroke-width: {thick}; }}\n"
    ".node {{ stroke: #222; stroke-width: {rim}; }}\n"
    ".node.never {{ fill: #fff; stroke: #999; stroke-dasharray: 2 1.5; }}\n"
    ".more {{ fill: #fff; stroke: #777; stroke-width: .8; }}\n.hidden {{ fill: #555; font-size: 10px; }}\n"
    ".number {{ font-size: 9px; text-anchor: middle; pointer-events: none; }}\n"
    ".middle {{ text-anchor: middle; }}\n.node:hover, .more:hover {{ stroke: #000; stroke-width: 2; }}\n";

// Okabe and Ito's colours, and whether white text is read on them.
struct colour {
  const char* fill;
  bool dark;
};
constexpr colour colours[] = {{"#0072b2", true},  {"#e69f00", false}, {"#009e73", false}, {"#cc79a7", false},
                              {"#56b4e9", false}, {"#d55e00", false}, {"#f0e442", false}, {"#000000", true}};
constexpr std::size_t colour_count = std::size(colours);
/// Beyond the colours, forms tell real tasks apart: disc, square, rhombus.
constexpr std::size_t form_count = 3;
constexpr std::size_t look_count = colour_count * form_count;
constexpr double margin = 32, legend_width = 176, legend_line = 20;

struct look {
  std::size_t form = 0;
  const char* fill = "#999";
  bool dark = false;
};

class tree_picture {
 public:
  tree_picture(const trace& t, picture_size size, std::size_t most_nodes);
  picture draw();

 private:
  struct legend_entry {
    look shown;
    std::string text;
    bool never = false;
  };
  void choose_looks();
  void place(picture_size);
  void head();
  void legend();
  void edges();
  void node(const tree_node&);
  void more(const tree_node&);
  void mark(double x, double y, double r, const look&, const char* kind);
  look look_of(std::uint32_t real) const {
    const std::size_t rank = rank_[real];
    if (rank >= look_count) return {};
    return {rank / colour_count, colours[rank % colour_count].fill, colours[rank % colour_count].dark};
  }
  std::string tip(const traced_task&) const;
  double x(const tree_node& n) const { return margin + (n.slot + 0.5) * pitch_x_; }
  double y(const tree_node& n) const { return top_ + (n.level + 0.5) * pitch_y_; }

  const trace& trace_;
  tree_layout tree_;
  std::vector<std::uint32_t> rank_;  // of each real task, by how many tasks that are drawn it ran
  std::vector<legend_entry> legend_;
  std::string title_;
  double width_ = 0, height_ = 0, top_ = 0, pitch_x_ = 0, pitch_y_ = 0, radius_ = 0;
  std::size_t legend_columns_ = 1;
  svg out_;
};

tree_picture::tree_picture(const trace& t, picture_size size, std::size_t most_nodes)
    : trace_(t),
      tree_(lay_out(t.tasks, most_nodes)),
      title_(fmt::format("{}: which task made which", name_text(t.header.program, 60))),
      out_([&] {
        choose_looks();
        place(size);
        return svg(width_, height_, title_,
                   fmt::format(style, fmt::arg("rim", px(std::min(radius_ * 0.15, 0.8))),
                               fmt::arg("thick",
                                        px(std::clamp(std::min(radius_ * 0.5, pitch_x_ * 0.35), 0.6, 4.0)))));
      }()) {}

/// The real tasks that ran most of what is drawn get the first looks.
void tree_picture::choose_looks() {
  std::vector<std::uint64_t> ran(trace_.reals.size(), 0);
  std::uint64_t never = 0;
  for (const tree_node& n : tree_.nodes) {
    if (n.task == none) continue;
    if (trace_.tasks[n.task].real == none)
      ++never;
    else
      ++ran[trace_.tasks[n.task].real];
  }
  std::vector<std::uint32_t> order(ran.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return ran[a] > ran[b]; });
  rank_.resize(ran.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank_[order[i]] = i;
  std::uint64_t others = 0, others_ran = 0;
  for (const std::uint32_t real : order) {
    if (ran[real] == 0) break;
    if (rank_[real] < look_count) {
      legend_.push_back(
          {look_of(real), fmt::format("real task {}: {}", grouped(real + 1), counted(ran[real], "task"))});
    } else {
      ++others;
      others_ran += ran[real];
    }
  }
  if (others != 0)
    legend_.push_back({{}, fmt::format("{} others: {}", grouped(others), counted(others_ran, "task"))});
  if (never != 0) legend_.push_back({{}, fmt::format("never ran: {}", counted(never, "task")), true});
}

void tree_picture::place(picture_size size) {
  const double slots = std::max(tree_.slots, 1U), levels = std::max(tree_.levels, 1U);
  width_ = size.width != 0 ? size.width : std::clamp(slots * 22 + 2 * margin, 900.0, 2400.0);
  legend_columns_ = std::max<std::size_t>(static_cast<std::size_t>((width_ - 2 * margin) / legend_width), 1);
  const std::size_t legend_lines = (legend_.size() + legend_columns_ - 1) / legend_columns_;
  top_ = 96 + static_cast<double>(legend_lines) * legend_line;
  height_ = size.height != 0 ? std::max<double>(size.height, top_ + 80)
                             : top_ + margin + std::clamp(levels * 64, 260.0, 1400.0);
  pitch_x_ = (width_ - 2 * margin) / slots;
  pitch_y_ = (height_ - top_ - margin) / levels;
  radius_ = std::clamp(0.42 * std::min(pitch_x_, pitch_y_), 0.7, 11.0);
}

void tree_picture::head() {
  const trace_counts& c = trace_.counts;
  out_.label(margin, 30, title_, "class=\"title\"");
  std::string facts =
      fmt::format("{} · {} · {} · {}, at most {} at once · {} inlined, {} realised, {} stolen",
                  counted(trace_.header.workers, "worker"), time_text(trace_.length),
                  counted(c.tasks, "task"), counted(c.real_tasks, "real task"), grouped(c.most_real_at_once),
                  grouped(c.inlined), grouped(c.realised), grouped(c.stolen));
  out_.label(margin, 52, facts);
  std::string note = "A thick edge: the task ran within the real task of the one that made it.";
  if (tree_.hidden != 0)
    note = fmt::format("{} of {} tasks are drawn, +{} more are not: a triangle stands for those below it. {}",
                       grouped(tree_.drawn), grouped(trace_.tasks.size()), grouped(tree_.hidden), note);
  out_.label(margin, 72, note, "class=\"note\"");
}

void tree_picture::mark(double x, double y, double r, const look& l, const char* kind) {
  if (l.form == 0) {
    out_.add("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>", kind, px(x), px(y), px(r),
             l.fill);
  } else if (l.form == 1) {
    out_.add("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>", kind,
             px(x - r * 0.9), px(y - r * 0.9), px(r * 1.8), px(r * 1.8), l.fill);
  } else {
    out_.add("<path class=\"{}\" d=\"M{} {}l{} {}l{} {}l{} {}Z\" fill=\"{}\"/>", kind, px(x), px(y - r * 1.2),
             px(r * 1.2), px(r * 1.2), px(-r * 1.2), px(r * 1.2), px(-r * 1.2), px(-r * 1.2), l.fill);
  }
}

void tree_picture::legend() {
  out_.add("<g id=\"legend\">\n");
  for (std::size_t i = 0; i < legend_.size(); ++i) {
    const double x = margin + static_cast<double>(i % legend_columns_) * legend_width;
    const double y = 98 + static_cast<double>(i / legend_columns_) * legend_line;
    mark(x + 7, y - 4, 6, legend_[i].shown, legend_[i].never ? "node never" : "key");
    out_.label(x + 20, y, legend_[i].text);
  }
  out_.add("</g>\n");
}

void tree_picture::edges() {
  out_.add("<g id=\"edges\">\n");
  for (const tree_node& n : tree_.nodes) {
    if (n.parent == none) continue;
    const tree_node& parent = tree_.nodes[n.parent];
    const std::uint32_t real = n.task == none ? none : trace_.tasks[n.task].real;
    const bool same = real != none && trace_.tasks[parent.task].real == real;
    out_.add("<path class=\"edge{}\"{} d=\"M{} {}L{} {}\"/>\n", same ? " same" : "",
             same ? fmt::format(" style=\"stroke:{}\"", look_of(real).fill) : "", px(x(parent)),
             px(y(parent)), px(x(n)), px(y(n)));
  }
  out_.add("</g>\n");
}

std::string tree_picture::tip(const traced_task& t) const {
  const std::string& name = trace_.texts[t.name];
  if (t.real == none) return fmt::format("task {}: never ran", t.id);
  return fmt::format("task {}: {}\n{} in real task {} (number {} in the trace)\n{} to {}", t.id,
                     name_text(name, 80), trace_.texts[t.how], grouped(t.real + 1), trace_.reals[t.real].id,
                     time_text(t.begin), time_text(t.end));
}

void tree_picture::node(const tree_node& n) {
  const traced_task& t = trace_.tasks[n.task];
  const bool ran = t.real != none;
  const look l = ran ? look_of(t.real) : look{};
  out_.add("<g class=\"task\"><title>{}</title>", escaped(tip(t)));
  mark(x(n), y(n), radius_, l, ran ? "node" : "node never");
  if (ran && radius_ >= 8 && t.real < 999) {
    out_.add("<text class=\"number\" x=\"{}\" y=\"{}\"{}>{}</text>", px(x(n)), px(y(n) + 3.2),
             l.dark ? " style=\"fill:#fff\"" : "", t.real + 1);
  }
  out_.add("</g>\n");
}

/// What is not drawn: a triangle, and how many, if there is room.
void tree_picture::more(const tree_node& n) {
  const double r = std::max(radius_ * 0.8, 0.8), left = x(n), middle = y(n);
  const std::string text = fmt::format("+{} more", grouped(n.hidden));
  out_.add("<g class=\"rest\"><title>{}</title><path class=\"more\" d=\"M{} {}l{} {}h{}Z\"/></g>\n", text,
           px(left), px(middle - r), px(r), px(2 * r), px(-2 * r));
  const double length = static_cast<double>(text.size()) * 6.5;
  if (pitch_x_ >= length) {
    out_.label(left, middle + r + 13, text, "class=\"hidden middle\"");
  } else if (pitch_x_ >= 11 && pitch_y_ / 2 + (n.level + 1 == tree_.levels ? margin : 0) >= length + r + 4) {
    out_.label(left + 3.5, middle + r + 4, text,
               fmt::format("class=\"hidden\" transform=\"rotate(90 {} {})\"", px(left), px(middle + r + 4)));
  }
}

picture tree_picture::draw() {
  head();
  legend();
  edges();
  out_.add("<g id=\"tasks\">\n");
  for (const tree_node& n : tree_.nodes) {
    if (n.task == none)
      more(n);
    else
      node(n);
  }
  out_.add("</g>\n");
  std::string summary =
      fmt::format("a tree of {} of {}, {}", grouped(tree_.drawn), counted(trace_.tasks.size(), "task"),
                  counted(trace_.counts.real_tasks, "real task"));
  return {std::move(out_).finish(), title_, std::move(summary)};
}

}  // namespace

picture draw_tree(const trace& t, picture_size size, std::size_t most_nodes) {
  return tree_picture(t, size, most_nodes).draw();
}

}  // namespace hocket::tool
