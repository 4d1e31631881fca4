// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "link/resolve/search.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

const std::vector<std::vector<u32>> kGraph = {{1, 2}, {3}, {4}, {4, 0}, {5}, {}};

const auto kSuccessors = [](u32 node) -> const std::vector<u32> & { return kGraph[node]; };

TEST(Search, visits_nodes_in_order_of_distance_from_where_they_were_met_first) {
  std::vector<int> from(kGraph.size(), -1);
  const std::vector<u32> order = search_breadth_first({0}, kSuccessors, [&](u32 node, u32 before) {
    if (from[node] >= 0)
      return Visit::Skip;
    from[node] = static_cast<int>(before);
    return Visit::Follow;
  });
  EXPECT_EQ(order, (std::vector<u32>{0, 1, 2, 3, 4, 0, 5}));
  EXPECT_EQ(from, (std::vector<int>{3, 0, 0, 1, 2, 4}));
}

TEST(Search, stops_when_told_to) {
  std::vector<u32> met;
  (void)search_breadth_first({0}, kSuccessors, [&](u32 node, u32) {
    met.push_back(node);
    return node == 3 ? Visit::Stop : Visit::Follow;
  });
  EXPECT_EQ(met, (std::vector<u32>{1, 2, 3}));
}

} // namespace
} // namespace culink
