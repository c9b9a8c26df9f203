// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// uts: serial and forked searches agree on trees of every kind and shape, at the ends of their parameters.
#include "uts/uts.hpp"

#include "support/workers.hpp"
#include "uts/cheap_tree.hpp"
#include "uts/published.hpp"
#include "uts/sha1_tree.hpp"

namespace {

using namespace hocket::apps;

class uts_test : public hocket_test::on_workers {
 protected:
  template <class Tree>
  uts_tally search(const Tree& tree, std::size_t stack_size = 0) {
    uts_tally found;
    run([&] { found = uts_search(tree); }, {.stack_size = stack_size});
    return found;
  }
};
HOCKET_ON_ALL_WORKERS(uts_test);

// Small relatives of the published trees: all kinds and shapes, some thousand nodes each.
const uts_parameters small_trees[] = {
    {.kind = uts_kind::geometric, .shape = uts_shape::fixed, .root_branching = 4, .depth = 5, .seed = 19},
    {.kind = uts_kind::geometric, .shape = uts_shape::linear, .root_branching = 4, .depth = 10, .seed = 34},
    {.kind = uts_kind::geometric, .shape = uts_shape::cyclic, .root_branching = 3, .depth = 8, .seed = 502},
    {.kind = uts_kind::geometric,
     .shape = uts_shape::exponential,
     .root_branching = 3,
     .depth = 4,
     .seed = 29},
    {.kind = uts_kind::binomial,
     .root_branching = 200,
     .child_probability = 0.124,
     .children = 8,
     .seed = 42},
    {.kind = uts_kind::hybrid, .root_branching = 6, .depth = 8, .child_probability = 0.234375, .seed = 1},
};

TEST_P(uts_test, forked_search_finds_what_the_serial_one_does) {
  for (const uts_parameters& parameters : small_trees) {
    const uts_sha1_tree tree(parameters);
    const uts_tally found = search(tree);
    EXPECT_EQ(found, uts_search_serial(tree)) << "seed " << parameters.seed;
    EXPECT_GT(found.nodes, 100u) << "seed " << parameters.seed;
  }
}

TEST_P(uts_test, a_fork_for_every_node_but_the_root) {
  const auto before = since(&hocket::statistics::forked);
  const uts_tally found = search(uts_sha1_tree(small_trees[0]));
  EXPECT_EQ(since(&hocket::statistics::forked) - before, found.nodes - 1);
}

TEST_P(uts_test, cheap_tree) {
  const uts_cheap_tree tree(6);
  EXPECT_EQ(search(tree), uts_search_serial(tree));
  uts_count count;
  run([&] { count = uts_search<uts_count>(tree); });
  EXPECT_EQ(count.nodes, uts_search_serial(tree).nodes);
}

TEST_P(uts_test, trees_of_one_node_and_of_one_level) {
  const uts_tally one{1, 1, 0};
  EXPECT_EQ(search(uts_cheap_tree(0)), one);
  EXPECT_EQ(search(uts_sha1_tree({.kind = uts_kind::binomial, .root_branching = 0})), one);
  EXPECT_EQ(search(uts_sha1_tree({.kind = uts_kind::geometric, .root_branching = 0, .depth = 1})), one);
  const uts_tally star{2001, 2000, 1};
  EXPECT_EQ(
      search(uts_sha1_tree({.kind = uts_kind::binomial, .root_branching = 2000, .child_probability = 0})),
      star);
  EXPECT_EQ(search(uts_sha1_tree({.kind = uts_kind::binomial, .root_branching = 2000, .children = 0})).nodes,
            2001u);
}

// A chain: deeper than any stack, so that the search must change stacks. One child each, until the last.
class chain {
 public:
  struct node {
    int depth;
  };
  explicit chain(int depth) : depth_(depth) {}
  node root() const { return {0}; }
  int child_count(const node& parent) const { return parent.depth < depth_ ? 1 : 0; }
  node child(const node& parent, int) const { return {parent.depth + 1}; }

 private:
  int depth_;
};

TEST_P(uts_test, a_tree_deeper_than_any_stack) {
  const int depth = static_cast<int>(hocket_test::sized(100'000, 5'000));
  const uts_tally right{static_cast<std::uint64_t>(depth) + 1, 1, static_cast<std::uint64_t>(depth)};
  EXPECT_EQ(search(chain(depth)), right);
  EXPECT_EQ(search(chain(depth), 16384), right) << "the smallest stack there is";
  EXPECT_EQ(search(chain(depth), 1 << 20), right);
}

TEST(uts_published_test, found_by_name_and_by_parameters) {
  for (const uts_published_tree& tree : uts_published_trees) {
    EXPECT_EQ(uts_find_published(tree.name), &tree);
    EXPECT_EQ(uts_find_published(tree.parameters), &tree);
  }
  EXPECT_EQ(uts_find_published("T9"), nullptr);
  EXPECT_EQ(uts_find_published(uts_parameters{}), nullptr);
}

// The generator itself, beside what sha1sum prints for 16 zero bytes and the seed, and for a digest and a
// number.
TEST(uts_sha1_tree_test, generator) {
  using state = uts_sha1_tree::state;
  const uts_sha1_tree tree({.seed = 0});
  EXPECT_EQ(tree.root().random, (state{0x6768033e, 0x21646824, 0x7bd031a0, 0xa2d9876d, 0x79818f8f}));
  EXPECT_EQ(tree.child(tree.root(), 7).random,
            (state{0x61202043, 0x4bbacd7d, 0xd20028b0, 0xa5843625, 0xfb8f3401}));
  EXPECT_EQ(uts_sha1_tree({.seed = 19}).root().random,
            (state{0xc6988ab7, 0x0cc9559a, 0xe4d6cba2, 0x54e29a84, 0x5a85f86b}));
}

}  // namespace
