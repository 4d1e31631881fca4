// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "link/nvlink/merged_debug.h"

#include <gtest/gtest.h>

namespace culink::nvlink {
namespace {

// What a finalizer says about a function called f, which is entity 0.
Resolution one_function() {
  Resolution symbols;
  symbols.entities.push_back({.name = "f"});
  return symbols;
}

FinalizedObject object_with(FinalizedDebug debug) {
  FinalizedObject object;
  FinalizedFunction &function = object.functions.emplace_back();
  function.name = "f";
  function.debug = std::move(debug);
  return object;
}

MergedDebug merge_locations(std::vector<i64> offsets) {
  FinalizedDebug debug;
  debug.location_offsets = std::move(offsets);
  MergedDebugRequest request;
  request.definitions.push_back({{EntityId(0)}, {2, 5}});
  std::vector<FinalizedObject> finalized;
  finalized.push_back(object_with(std::move(debug)));
  return read_merged_debug(request, one_function(), std::move(finalized));
}

TEST(MergedDebug, FunctionsAreFoundByName) {
  const MergedDebug merged = merge_locations({16});
  const MergedDebug::Function *function = merged.find(EntityId(0));
  ASSERT_TRUE(function);
  EXPECT_EQ(function->objects, (std::vector<u32>{2, 5}));
  EXPECT_EQ(function->parts->location_offsets.front(), 16);
  EXPECT_FALSE(merged.find(EntityId(1)));
}

TEST(MergedDebug, AddendsAreTakenInTheOrderOfOffsets) {
  const std::vector<DebugReference> references = {
      {.function = EntityId(0), .offset = 24, .addend = 1},
      {.function = EntityId(0), .offset = 8, .addend = 2},
  };
  EXPECT_EQ(merged_addends(merge_locations({16, 48}), references), (std::vector<i64>{48, 16}));
}

TEST(MergedDebug, AddendsOfOtherFunctionsAndSectionsAreKept) {
  const std::vector<DebugReference> references = {
      {.function = EntityId(0), .offset = 8, .addend = 1},
      {.function = EntityId(0), .in_info = true, .offset = 8, .addend = 2},
      {.function = EntityId(1), .offset = 16, .addend = 3},
  };
  EXPECT_EQ(merged_addends(merge_locations({32}), references), (std::vector<i64>{32, 2, 3}));
}

TEST(MergedDebug, AddendsAreKeptWhereTheFinalizerCountsOtherwise) {
  const std::vector<DebugReference> references = {
      {.function = EntityId(0), .offset = 8, .addend = 1}};
  EXPECT_EQ(merged_addends(merge_locations({32, 64}), references), (std::vector<i64>{1}));
}

TEST(MergedDebug, RegistersOfAnotherObjectAreKnownByObjectAndName) {
  const std::vector<u8> block = {1, 2, 3};
  FinalizedDebug debug;
  debug.registers = {block};
  MergedDebugRequest request;
  request.registers.push_back({.object = 3, .owner = 1, .functions = {"f"}});
  std::vector<FinalizedObject> finalized;
  finalized.push_back(object_with(std::move(debug)));
  const MergedDebug merged = read_merged_debug(request, one_function(), std::move(finalized));
  ASSERT_EQ(merged.foreign_registers.size(), 1u);
  EXPECT_EQ(merged.foreign_registers.begin()->first, (std::pair<u32, std::string_view>(3, "f")));
  EXPECT_EQ(merged.foreign_registers.begin()->second.size(), block.size());
}

} // namespace
} // namespace culink::nvlink
