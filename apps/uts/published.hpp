// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The named sample trees that the UTS benchmark publishes, with the sizes everybody must find.
#pragma once

#include "uts/sha1_tree.hpp"
#include "uts/uts.hpp"

#include <array>
#include <string_view>

namespace hocket::apps {

struct uts_published_tree {
  std::string_view name;
  uts_parameters parameters;
  uts_tally size;
};

inline constexpr std::array<uts_published_tree, 8> uts_published_trees = {{
    {"T1",
     {.kind = uts_kind::geometric, .shape = uts_shape::fixed, .root_branching = 4, .depth = 10, .seed = 19},
     {4130071, 3305118, 10}},
    {"T2",
     {.kind = uts_kind::geometric, .shape = uts_shape::cyclic, .root_branching = 6, .depth = 16, .seed = 502},
     {4117769, 2342762, 81}},
    {"T3",
     {.kind = uts_kind::binomial,
      .root_branching = 2000,
      .child_probability = 0.124875,
      .children = 8,
      .seed = 42},
     {4112897, 3599034, 1572}},
    {"T4",
     {.kind = uts_kind::hybrid,
      .shape = uts_shape::linear,
      .root_branching = 6,
      .depth = 16,
      .child_probability = 0.234375,
      .children = 4,
      .seed = 1},
     {4132453, 3108986, 134}},
    {"T5",
     {.kind = uts_kind::geometric, .shape = uts_shape::linear, .root_branching = 4, .depth = 20, .seed = 34},
     {4147582, 2181318, 20}},
    {"T1L",
     {.kind = uts_kind::geometric, .shape = uts_shape::fixed, .root_branching = 4, .depth = 13, .seed = 29},
     {102181082, 81746377, 13}},
    {"T2L",
     {.kind = uts_kind::geometric, .shape = uts_shape::cyclic, .root_branching = 7, .depth = 23, .seed = 220},
     {96793510, 53791152, 67}},
    {"T3L",
     {.kind = uts_kind::binomial,
      .root_branching = 2000,
      .child_probability = 0.200014,
      .children = 5,
      .seed = 7},
     {111345631, 89076904, 17844}},
}};

// The size of uts_cheap_tree's default tree.
inline constexpr uts_tally uts_cheap_tree_size = {2159140, 1727319, 10};

// uts_find_published() gives the published tree of that name, or of these parameters, or null.
constexpr const uts_published_tree* uts_find_published(std::string_view name) {
  for (const uts_published_tree& tree : uts_published_trees)
    if (tree.name == name) return &tree;
  return nullptr;
}

constexpr const uts_published_tree* uts_find_published(const uts_parameters& parameters) {
  for (const uts_published_tree& tree : uts_published_trees)
    if (tree.parameters == parameters) return &tree;
  return nullptr;
}

}  // namespace hocket::apps
