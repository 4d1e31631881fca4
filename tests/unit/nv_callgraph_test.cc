// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/records/nv_callgraph.h"

#include <gtest/gtest.h>

namespace culink::elf {
namespace {

using Bytes = std::vector<u8>;

Bytes words(std::initializer_list<u32> list) {
  Bytes out;
  for (const u32 word : list)
    append_le(out, word);
  return out;
}

constexpr u32 marker(u32 part) {
  return 0u - part;
}

TEST(NvCallgraph, ReadsTheFourParts) {
  const Bytes bytes = words({0, marker(1), 36, 30, 37, 38, //
                             0, marker(2), 30, 1,          //
                             0, marker(3), 41, 1,          //
                             0, marker(4), 41, 30, 41, 35});
  const CallGraph graph = decode_call_graph(bytes);
  EXPECT_TRUE(graph.violations.empty());
  EXPECT_EQ(graph.pairs(CallPart::Calls), (std::vector<CallPair>{{36, 30}, {37, 38}}));
  EXPECT_EQ(graph.pairs(CallPart::AddressTaken), (std::vector<CallPair>{{30, 1}}));
  EXPECT_EQ(graph.pairs(CallPart::IndirectCalls), (std::vector<CallPair>{{41, 1}}));
  EXPECT_EQ(graph.pairs(CallPart::IndirectTargets), (std::vector<CallPair>{{41, 30}, {41, 35}}));
  EXPECT_TRUE(second_is_prototype(CallPart::AddressTaken));
  EXPECT_FALSE(second_is_prototype(CallPart::IndirectTargets));
  EXPECT_EQ(encode_call_graph(graph), bytes);
}

TEST(NvCallgraph, ReportsAndKeepsOddMarkers) {
  const Bytes bytes = words({5, 6, 0, marker(1), 0, marker(3), 1, 2, 0, marker(9), 0, 0x80000000});
  const CallGraph graph = decode_call_graph(bytes);
  ASSERT_EQ(graph.violations.size(), 4u);
  EXPECT_EQ(graph.violations[0].message, "pairs before the first marker");
  EXPECT_EQ(graph.violations[1].message, "marker -3 where -2 is expected");
  EXPECT_EQ(graph.violations[1].offset, 16u);
  EXPECT_EQ(graph.violations[2].message, "marker -9 is not known");
  EXPECT_EQ(encode_call_graph(graph), bytes);
}

TEST(NvCallgraph, ReportsAMissingEndAndTrailingBytes) {
  Bytes bytes = words({0, marker(1)});
  bytes.push_back(7);
  const CallGraph graph = decode_call_graph(bytes);
  ASSERT_EQ(graph.violations.size(), 2u);
  EXPECT_EQ(graph.violations[0].message, "the graph ends without marker -2");
  EXPECT_EQ(graph.violations[1].message, "1 trailing bytes, a pair has 8");
  EXPECT_EQ(graph.violations[1].offset, 8u);
  EXPECT_EQ(encode_call_graph(graph), bytes);
}

TEST(NvCallgraph, ThreePartsAreThoseOfToolkit11) {
  const CallGraph old = decode_call_graph(words({0, marker(1), 0, marker(2), 0, marker(3), 4, 1}));
  EXPECT_TRUE(old.violations.empty());
  EXPECT_TRUE(old.lacks_targets());
  const Bytes whole = words({0, marker(1), 0, marker(2), 0, marker(3), 0, marker(4)});
  EXPECT_FALSE(decode_call_graph(whole).lacks_targets());
  EXPECT_FALSE(decode_call_graph({}).lacks_targets());
}

TEST(NvPrototype, RoundTripsRecordsAndRest) {
  Bytes bytes = words({38, 5, 39, 1});
  EXPECT_EQ(decode_prototypes(bytes).records, (std::vector<Prototype>{{38, 5}, {39, 1}}));
  EXPECT_TRUE(decode_prototypes(bytes).violations.empty());
  bytes.resize(19);
  const PrototypeSection section = decode_prototypes(bytes);
  EXPECT_EQ(section.rest.size(), 3u);
  EXPECT_EQ(section.violations.at(0).offset, 16u);
  EXPECT_EQ(encode_rows(section), bytes);
}

} // namespace
} // namespace culink::elf
