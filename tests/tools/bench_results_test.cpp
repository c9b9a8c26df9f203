// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Medians, ratios and speed-ups of `hocket bench`, on samples made up for the purpose.
#include "bench_results.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using hocket::tool::collector;
using hocket::tool::figure;
using hocket::tool::json;

json sample(const char* variant, const json& params, const char* metric, const char* unit, double value) {
  return {{"bench", "b"},     {"variant", variant}, {"params", params},
          {"metric", metric}, {"unit", unit},       {"value", value}};
}

figure made(const char* variant, const json& params, const char* metric, const char* unit, double value) {
  return {"b", variant, params, metric, unit, value, value, value};
}

const figure* find(const std::vector<figure>& all, const char* variant, const char* metric) {
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const figure& f) { return f.variant == variant && f.metric == metric; });
  return found == all.end() ? nullptr : &*found;
}

TEST(BenchResults, MedianOfOddAndEvenCounts) {
  collector c;
  for (const double value : {5.0, 1.0, 3.0}) c.add(sample("hocket", {{"threads", 1}}, "m", "ns", value));
  for (const double value : {4.0, 1.0, 2.0, 9.0}) c.add(sample("hocket", {{"threads", 2}}, "m", "ns", value));
  const auto figures = c.medians();
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_EQ(figures[0].value, 3.0);
  EXPECT_EQ(figures[0].least, 1.0);
  EXPECT_EQ(figures[0].most, 5.0);
  EXPECT_EQ(figures[1].value, 3.0);
}

TEST(BenchResults, DifferentParametersAreDifferentRows) {
  collector c;
  c.add(sample("tbb", {{"tuning", "default"}}, "m", "ns", 1));
  c.add(sample("tbb", {{"tuning", "tuned"}}, "m", "ns", 2));
  c.add(sample("tbb", {{"tuning", "tuned"}}, "other", "ns", 3));
  EXPECT_EQ(c.medians().size(), 3U);
}

TEST(BenchResults, JsonHasExactlyTheFieldsOfARow) {
  const json row = made("hocket", {{"threads", 1}}, "ns_per_spawn", "ns", 1.23456789).as_json();
  std::vector<std::string> keys;
  for (const auto& [key, value] : row.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"bench", "variant", "params", "metric", "unit", "value"}));
  EXPECT_DOUBLE_EQ(row.at("value").get<double>(), 1.23457);
}

TEST(BenchResults, ZeroIsAValue) {
  EXPECT_EQ(made("a", {}, "m", "ns", 0).as_json().at("value").get<double>(), 0.0);
}

TEST(BenchResults, RatioTakesThePeersBetterTuning) {
  const auto all = hocket::tool::ratios({
      made("hocket", {{"threads", 1}, {"n", 36}}, "m", "ns", 2),
      made("tbb", {{"threads", 1}, {"n", 30}, {"tuning", "default"}}, "m", "ns", 90),
      made("tbb", {{"threads", 1}, {"n", 30}, {"tuning", "tuned"}}, "m", "ns", 60),
      made("tbb", {{"threads", 2}, {"n", 30}, {"tuning", "tuned"}}, "m", "ns", 1),
      made("floor", {{"threads", 1}}, "m", "ns", 0.5),
  });
  ASSERT_EQ(all.size(), 2U);
  const figure* peer = find(all, "tbb", "ratio_to_hocket");
  ASSERT_NE(peer, nullptr);
  EXPECT_DOUBLE_EQ(peer->value, 30);
  EXPECT_EQ(peer->params.at("tuning"), "tuned");
  EXPECT_EQ(peer->params.at("of"), "m");
  const figure* floor = find(all, "hocket", "ratio_to_floor");
  ASSERT_NE(floor, nullptr);
  EXPECT_DOUBLE_EQ(floor->value, 4);
}

TEST(BenchResults, RatioOfSecondsIsPerTask) {
  const auto all = hocket::tool::ratios({
      made("hocket", {{"tasks", 1000}}, "create_s", "s", 1),
      made("boost", {{"tasks", 100}}, "create_s", "s", 1),
  });
  ASSERT_EQ(all.size(), 1U);
  EXPECT_DOUBLE_EQ(all[0].value, 10);
}

TEST(BenchResults, RatioOfEfficienciesIsAboveOneForTheWorsePeer) {
  const auto all = hocket::tool::ratios({
      made("hocket", {}, "efficiency", "ratio", 0.9),
      made("tbb", {}, "efficiency", "ratio", 0.45),
  });
  ASSERT_EQ(all.size(), 1U);
  EXPECT_DOUBLE_EQ(all[0].value, 2);
}

TEST(BenchResults, LineTransfersAreNotCompared) {
  EXPECT_TRUE(hocket::tool::ratios({made("hocket", {}, "ns_per_line_transfer", "ns", 1),
                                    made("floor", {}, "ns_per_line_transfer", "ns", 2)})
                  .empty());
}

TEST(BenchResults, SpeedupIsWithinOneVariantAndOneSize) {
  const auto all = hocket::tool::speedups({
      made("hocket", {{"threads", 1}, {"depth", 10}}, "ns_per_node", "ns", 8),
      made("hocket", {{"threads", 2}, {"depth", 10}}, "ns_per_node", "ns", 4),
      made("tbb", {{"threads", 1}, {"tuning", "default"}}, "ns_per_node", "ns", 60),
      made("tbb", {{"threads", 2}, {"tuning", "tuned"}}, "ns_per_node", "ns", 30),
      made("floor", {{"threads", 1}, {"depth", 10}}, "ns_per_node", "ns", 6),
  });
  const figure* own = find(all, "hocket", "speedup");
  ASSERT_NE(own, nullptr);
  EXPECT_DOUBLE_EQ(own->value, 2);
  EXPECT_EQ(own->params.at("threads"), 2);
  const figure* over_serial = find(all, "hocket", "speedup_over_serial");
  ASSERT_NE(over_serial, nullptr);
  EXPECT_DOUBLE_EQ(over_serial->value, 1.5);
  EXPECT_EQ(find(all, "tbb", "speedup"), nullptr) << "default and tuned must not be mixed";
}

TEST(BenchResults, NoSpeedupWithoutARunOnOneThread) {
  EXPECT_TRUE(hocket::tool::speedups({made("hocket", {{"threads", 2}}, "ns_per_node", "ns", 4)}).empty());
}

}  // namespace
