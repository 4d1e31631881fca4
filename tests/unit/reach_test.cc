// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "link/resolve/reach.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace culink {
namespace {

// A graph of functions, with the callees of each. The kernels come first.
struct Graph {
  Graph(u32 kernels, const std::vector<std::vector<u32>> &callees) {
    for (u32 f = 0; f < callees.size(); ++f) {
      calls.functions.push_back(EntityId(f));
      calls.edges.add_node(callees[f]);
    }
    live.kernel.assign(callees.size(), false);
    std::fill_n(live.kernel.begin(), kernels, true);
  }

  CallGraph calls;
  LiveSet live;
};

// Kernels 0 and 1; 2 and 3 call each other, 4 itself, 5 and 6 call none.
const std::vector<std::vector<u32>> kCircles = {{3}, {4, 6}, {3, 4}, {2}, {4, 5}, {}, {}};

TEST(Reach, CircleIsOneComponentAndRecursive) {
  const Graph graph(2, kCircles);
  const Reach reach(graph.calls, graph.live);
  EXPECT_EQ(reach.component_of(2), reach.component_of(3));
  for (const u32 alone : {0u, 1u, 4u, 5u, 6u})
    for (u32 other = 0; other < kCircles.size(); ++other)
      EXPECT_EQ(reach.component_of(alone) == reach.component_of(other), alone == other);
  for (u32 f = 0; f < kCircles.size(); ++f)
    EXPECT_EQ(reach.recursive(f), f >= 2 && f <= 4) << f;
}

TEST(Reach, CalleesComeBeforeCallers) {
  const Graph graph(2, kCircles);
  const Reach reach(graph.calls, graph.live);
  const std::vector<u32> order = reach.callees_first();
  ASSERT_EQ(order.size(), kCircles.size());
  const auto place = [&](u32 f) { return std::ranges::find(order, f) - order.begin(); };
  for (u32 f = 0; f < kCircles.size(); ++f)
    for (const u32 callee : kCircles[f]) {
      const bool together = reach.component_of(f) == reach.component_of(callee);
      EXPECT_TRUE(together || place(callee) < place(f)) << f;
    }
  EXPECT_EQ(std::max(place(2), place(3)), std::min(place(2), place(3)) + 1);
  ASSERT_EQ(reach.inner_components().size(), 2u);
  EXPECT_EQ(reach.inner_components()[0].size(), 1u); // 4, which the circle calls
  EXPECT_EQ(reach.inner_components()[1].size(), 2u);
}

TEST(Reach, FindsKernelsAndWhatTheyReach) {
  const Graph graph(2, kCircles);
  const Reach reach(graph.calls, graph.live);
  using Functions = std::vector<FunctionId>;
  const FunctionId two[] = {FunctionId(2)}, five[] = {FunctionId(5)}, one[] = {FunctionId(1)};
  EXPECT_EQ(reach.kernels_reaching(two), Functions{FunctionId(0)});
  EXPECT_EQ(reach.kernels_reaching(five), (Functions{FunctionId(0), FunctionId(1)}));
  EXPECT_EQ(reach.kernels_reaching(one), Functions{FunctionId(1)});
  EXPECT_EQ(reach.reached_from(FunctionId(1)),
            (Functions{FunctionId(4), FunctionId(5), FunctionId(6)}));
}

// Each function of a row calls the next two.
TEST(Reach, FindsACircleAtTheEndOfALongRow) {
  constexpr u32 kFunctions = 20000;
  std::vector<std::vector<u32>> callees(kFunctions);
  for (u32 f = 0; f + 2 < kFunctions; ++f)
    callees[f] = {f + 1, f + 2};
  callees[kFunctions - 3] = {kFunctions - 10}; // and back
  const Graph graph(1, callees);
  const Reach reach(graph.calls, graph.live);
  EXPECT_EQ(reach.component_of(kFunctions - 5), reach.component_of(kFunctions - 10));
  EXPECT_NE(reach.component_of(kFunctions - 11), reach.component_of(kFunctions - 10));
  EXPECT_TRUE(reach.recursive(kFunctions - 5));
  EXPECT_FALSE(reach.recursive(0));
}

} // namespace
} // namespace culink
