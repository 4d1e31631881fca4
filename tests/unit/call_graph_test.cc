// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Call graphs of the shipped examples, and graphs turned around.
#include "inspect/reader/call_graph.h"

#include <string>

#include <gtest/gtest.h>

#include "support/mapped_file.h"

namespace culink::inspect {
namespace {

// Names point into the mapped file, so both stay together.
struct ExampleGraph {
  MappedFile file;
  std::vector<CallNode> nodes;

  explicit ExampleGraph(const char *path)
      : file(MappedFile::open(std::string(CULINK_SOURCE_DIR) + "/examples/" + path).value()),
        nodes(read_calls(elf::ElfView::open(file.bytes()).value())) {}

  [[nodiscard]] const CallNode &node(std::string_view name) const {
    for (const CallNode &node : nodes)
      if (node.name == name)
        return node;
    ADD_FAILURE() << "no function " << name;
    return nodes.front();
  }
};

TEST(CallGraph, undefined_callees_are_external_nodes) {
  const ExampleGraph graph("vector_math/sm_90/main.cubin");
  const CallNode &kernel = graph.node("_Z5totalPKfPfi");
  EXPECT_TRUE(kernel.kernel);
  ASSERT_EQ(kernel.calls.size(), 1u);
  const CallNode &callee = graph.nodes[kernel.calls[0].callee];
  EXPECT_EQ(callee.name, "_Z9block_sumf");
  EXPECT_TRUE(callee.external);
  EXPECT_FALSE(callee.recursive);
}

TEST(CallGraph, calls_through_pointers_are_possible_calls) {
  const ExampleGraph graph("function_pointers/sm_90/linked.cubin");
  EXPECT_TRUE(graph.node("_Z5applyPFffEfi").calls_pointers);
  u32 possible = 0;
  for (const CallNode &node : graph.nodes)
    for (const CallEdge &edge : node.calls)
      possible += edge.possible ? 1 : 0;
  EXPECT_EQ(possible, 4u);
}

TEST(CallGraph, callers_are_the_same_edges_turned_around) {
  const ExampleGraph graph("weak_templates/sm_90/linked.cubin");
  const std::vector<CallNode> callers = with_callers(graph.nodes);
  u64 edges = 0, turned = 0;
  for (const CallNode &node : graph.nodes)
    edges += node.calls.size();
  for (u32 i = 0; i < callers.size(); ++i)
    for (const CallEdge &edge : callers[i].calls) {
      ++turned;
      bool found = false;
      for (const CallEdge &back : graph.nodes[edge.callee].calls)
        found = found || back.callee == i;
      EXPECT_TRUE(found);
    }
  EXPECT_EQ(edges, 11u);
  EXPECT_EQ(turned, edges);
}

} // namespace
} // namespace culink::inspect
