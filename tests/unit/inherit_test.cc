// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "link/records/inherit.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

Inheritance one(size_t rule, WalkPosition position, u16 value) {
  Inheritance out;
  out.add(rule, {position, position, value, value, value});
  return out;
}

TEST(Inherit, finds_every_rule_by_its_attribute) {
  for (size_t i = 0; i < kInheritRuleCount; ++i)
    EXPECT_EQ(inherit_rule_of(kInheritRules[i].attribute), i);
  EXPECT_EQ(inherit_rule_of(elf::InfoAttribute::Externs), std::nullopt);
}

TEST(Inherit, joins_first_place_last_value_maximum_and_bits) {
  Inheritance sum = one(2, 20, 1);
  sum.add(one(2, 10, 4));
  sum.add(one(2, 30, 2));
  const Inheritance::Item &item = sum.items[2];
  EXPECT_EQ(item.first, 10u);
  EXPECT_EQ(item.last, 30u);
  EXPECT_EQ(item.last_value, 2);
  EXPECT_EQ(item.largest, 4);
  EXPECT_EQ(item.bits, 7);
  EXPECT_TRUE(sum.met(2));
  EXPECT_FALSE(sum.met(0));
}

TEST(Inherit, counts_a_function_that_two_callees_reach_once) {
  Inheritance left, right;
  left.addends = {{FunctionId(1), 5}, {FunctionId(3), 7}};
  right.addends = {{FunctionId(2), 1}, {FunctionId(3), 7}};
  left.add(right);
  u32 sum = 0;
  for (const Inheritance::Addend &addend : left.addends)
    sum += addend.value;
  EXPECT_EQ(sum, 13u);
}

TEST(Inherit, remembers_where_an_undefined_callee_was_met_first) {
  Inheritance left, right;
  left.undefined = {{EntityId(4), 50}};
  right.undefined = {{EntityId(2), 60}, {EntityId(4), 40}};
  left.add(right);
  ASSERT_EQ(left.undefined.size(), 2u);
  EXPECT_EQ(left.undefined[0].callee, EntityId(2));
  EXPECT_EQ(left.undefined[1].first, 40u);
}

// A chain of functions, the last of which has barriers, and kernels that call different links.
TEST(Inherit, reaches_through_a_chain_in_one_sweep) {
  constexpr u32 kLinks = 100;
  Resolution symbols;
  CallGraph calls;
  LiveSet live;
  ProgramRecords records;
  for (u32 i = 0; i < kLinks; ++i) {
    symbols.entities.emplace_back(Entity{});
    calls.functions.push_back(EntityId(i));
    calls.function_of.push_back(FunctionId(i));
    std::vector<u32> callees(i + 1 < kLinks ? 1 : 0, i + 1);
    calls.edges.add_node(callees);
    records.of.emplace_back().read_position = i;
  }
  live.kernel.assign(kLinks, false);
  records.of[kLinks - 1].inherited = {{elf::InfoAttribute::NumBarriers, 3}};
  const Reach reach(calls, live);
  const std::vector<InputObject> objects;
  const LinkOptions options;
  const arch::ArchInfo arch{};
  const Dialect dialect;
  const LinkPolicy policy;
  const Program program{objects, symbols, calls, live, options, arch, dialect, policy};
  const InheritanceSweep sweep(program, reach, records);
  const size_t barriers = *inherit_rule_of(elf::InfoAttribute::NumBarriers);
  for (const u32 start : {0u, 50u, kLinks - 2})
    EXPECT_EQ(sweep.reached(FunctionId(start)).items[barriers].largest, 3) << start;
  EXPECT_FALSE(sweep.reached(FunctionId(kLinks - 1)).met(barriers));
}

} // namespace
} // namespace culink
