// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// uts: the Unbalanced Tree Search benchmark, its published tree sizes checked.
#include "common/program.hpp"
#include "uts/cheap_tree.hpp"
#include "uts/published.hpp"
#include "uts/sha1_tree.hpp"
#include "uts/uts.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace hocket::apps;

struct arguments {
  std::string tree;
  std::string hash = "sha1";
  std::string form = "structured";
  uts_parameters parameters;
  int repeat = 1;
  bool json = false;
};

struct outcome {
  uts_tally size;
  double seconds;  // median
};

template <class Tree>
outcome search(const Tree& tree, const arguments& given) {
  outcome result{};
  result.seconds = median_of_repeats(given.repeat, [&] {
    const stopwatch watch;
    result.size = given.form == "serial" ? uts_search_serial(tree) : uts_search(tree);
    return watch.seconds();
  });
  return result;
}

void report(const arguments& given, std::string_view name, unsigned workers, const outcome& result,
            bool known) {
  const uts_tally& size = result.size;
  const double ns = result.seconds * 1e9 / static_cast<double>(size.nodes);
  if (given.json) {
    const nlohmann::ordered_json out = {
        {"program", "uts"},          {"tree", name},        {"hash", given.hash},
        {"form", given.form},        {"threads", workers},  {"nodes", size.nodes},
        {"leaves", size.leaves},     {"depth", size.depth}, {"size_checked", known},
        {"seconds", result.seconds}, {"ns_per_node", ns}};
    fmt::print("{}\n", out.dump());
    return;
  }
  fmt::print("{}: {} nodes, {} leaves, depth {}{}  ({}, {} hash, {:.6f} s, {:.2f} ns per node)\n", name,
             size.nodes, size.leaves, size.depth, known ? ", as known" : "", given.form, given.hash,
             result.seconds, ns);
}

// check_parameters() refuses trees that need not end. (T3L is one of them, and by luck does.)
void check_parameters(const uts_parameters& is) {
  const double mean = is.child_probability * is.children;
  if (is.kind != uts_kind::geometric && mean >= 1 && uts_find_published(is) == nullptr)
    throw input_error(fmt::format(
        "-q {} times -m {} is {}: a binomial tree ends only if the mean number of children is below 1",
        is.child_probability, is.children, mean));
}

int search_and_check(const arguments& given, unsigned workers) {
  const bool cheap = given.hash == "cheap";
  const uts_published_tree* published = cheap ? nullptr : uts_find_published(given.parameters);
  const outcome result =
      cheap ? search(uts_cheap_tree(), given) : search(uts_sha1_tree(given.parameters), given);
  const uts_tally* right = cheap ? &uts_cheap_tree_size : published != nullptr ? &published->size : nullptr;
  const std::string_view name = cheap ? "cheap" : published != nullptr ? published->name : "tree";
  if (right != nullptr && !(result.size == *right))
    check_failed(fmt::format("{} has {} nodes, {} leaves and depth {}, but the search found {}, {} and {}",
                             name, right->nodes, right->leaves, right->depth, result.size.nodes,
                             result.size.leaves, result.size.depth));
  report(given, name, workers, result, right != nullptr);
  return exit_success;
}

std::vector<std::string> published_names() {
  std::vector<std::string> names;
  for (const uts_published_tree& tree : uts_published_trees) names.emplace_back(tree.name);
  return names;
}

constexpr const char* notes =
    "Published trees: T1 to T5 have some 4.1 million nodes, T1L, T2L and T3L some 100 million. Their nodes,\n"
    "leaves and depth are checked, also if their parameters are given one by one.\n\n"
    "Stacks: T3L is 17,844 levels deep. A search that runs short of stack goes on with a fresh one: every\n"
    "--hk-stack-size works, larger ones change stacks less often.";

}  // namespace

int main(int argc, char** argv) {
  return program("uts", [&] {
    const hocket::options runtime = hocket::options::from(argc, argv);
    arguments given;
    int kind = static_cast<int>(given.parameters.kind);
    int shape = static_cast<int>(given.parameters.shape);
    CLI::App app(
        "The Unbalanced Tree Search benchmark: counts a random tree that is only known by visiting it,\n"
        "a fork for every child and no cut-off. Without options it searches T1.",
        "uts");
    app.footer(notes);
    CLI::Option* name = app.add_option("--tree", given.tree, "a published tree instead of parameters")
                            ->transform(CLI::IsMember(published_names(), CLI::ignore_case));
    const std::vector<CLI::Option*> parameters = {
        app.add_option("-t,--kind", kind, "0 binomial, 1 geometric, 2 hybrid")->check(CLI::Range(0, 2)),
        app.add_option("-b,--root-branching", given.parameters.root_branching,
                       "children of the root (binomial), mean number at the root (else)")
            ->check(CLI::Range(0.0, 1e6)),
        app.add_option("-r,--seed", given.parameters.seed, "seed of the root")
            ->check(CLI::Range(0u, 0x7fffffffu)),
        app.add_option("-a,--shape", shape, "geometric: 0 linear, 1 exponential, 2 cyclic, 3 fixed")
            ->check(CLI::Range(0, 3)),
        app.add_option("-d,--depth", given.parameters.depth, "geometric: depth of the tree")
            ->check(CLI::Range(1, 100000)),
        app.add_option("-q,--probability", given.parameters.child_probability,
                       "binomial: that a node has children")
            ->check(CLI::Range(0.0, 1.0)),
        app.add_option("-m,--children", given.parameters.children, "binomial: how many children it then has")
            ->check(CLI::Range(0, uts_sha1_tree::most_children)),
        app.add_option("-f,--shift", given.parameters.shift,
                       "hybrid: part of the depth where it turns binomial")
            ->check(CLI::Range(0.0, 1.0))};
    for (CLI::Option* parameter : parameters) parameter->capture_default_str();
    app.add_option(
           "--hash", given.hash,
           "sha1 (the benchmark's trees) or cheap (a tree like T1 with a hash of a few multiplications)")
        ->check(CLI::IsMember({"sha1", "cheap"}))
        ->capture_default_str();
    app.add_option("--form", given.form, "structured (a fork for every child) or serial (a loop)")
        ->check(CLI::IsMember({"structured", "serial"}))
        ->capture_default_str();
    add_repeat_option(app, given.repeat);
    parse(app, argc, argv, given.json);

    const bool by_parameters = std::any_of(parameters.begin(), parameters.end(),
                                           [](const CLI::Option* p) { return p->count() > 0; });
    if (given.hash == "cheap" && (by_parameters || name->count() > 0))
      throw input_error("--hash cheap draws one fixed tree: leave out --tree and the tree's parameters");
    if (name->count() > 0 && by_parameters)
      throw input_error(fmt::format("--tree {} has parameters of its own: leave out the others", given.tree));
    given.parameters.kind = static_cast<uts_kind>(kind);
    given.parameters.shape = static_cast<uts_shape>(shape);
    if (!by_parameters)
      given.parameters = uts_find_published(name->count() > 0 ? given.tree : "T1")->parameters;
    check_parameters(given.parameters);
    return hocket::run(runtime, [&] { return search_and_check(given, worker_count(runtime)); });
  });
}
