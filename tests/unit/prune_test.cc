// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compilers/finalize/prepare.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_info.h"
#include "recorded_answers.h"
#include "support/bytes.h"

namespace culink {
namespace {

std::vector<u32> code_of(const elf::ElfView &view) {
  std::vector<u32> out;
  for (const elf::Section &section : view.sections())
    if (section.name.starts_with(".text."))
      out.push_back(section.index);
  return out;
}

// A kernel and functions of which none is local, so that each can be had alone.
class PrunedFunctions : public ::testing::Test {
protected:
  PrunedFunctions()
      : bytes(recorded_bytes("../check/programs/weak_copies/sm_120/second.cubin")),
        view(elf::ElfView::open(bytes).value()) {}

  std::vector<u8> bytes;
  elf::ElfView view;
};

TEST_F(PrunedFunctions, KeepTheirCodeAndNumbers) {
  ASSERT_GT(code_of(view).size(), 2u);
  for (const u32 wanted : code_of(view)) {
    const std::optional<std::vector<u8>> pruned = prune_object(view, std::array<u32, 1>{wanted});
    ASSERT_TRUE(pruned) << view.sections()[wanted].name;
    EXPECT_LT(pruned->size(), bytes.size());
    const elf::ElfView rest = elf::ElfView::open(*pruned).value();
    ASSERT_EQ(rest.sections().size(), view.sections().size());
    EXPECT_TRUE(std::ranges::equal(rest.sections()[wanted].data, view.sections()[wanted].data));
    EXPECT_EQ(code_of(rest), std::vector<u32>{wanted});
  }
}

TEST_F(PrunedFunctions, LeaveNothingOfTheOthers) {
  const u32 wanted = code_of(view).front();
  const std::vector<u8> pruned = prune_object(view, std::array<u32, 1>{wanted}).value();
  const elf::ElfView rest = elf::ElfView::open(pruned).value();
  size_t capsules = 0, defined = 0;
  for (const elf::Section &section : rest.sections())
    capsules += section.type == elf::SectionType::CudaCapmerc ? 1 : 0;
  const elf::SymbolTable symbols = rest.symbols();
  for (u32 i = 0; i < symbols.size(); ++i)
    defined += symbols[i].type() == elf::SymbolType::Function && symbols[i].in_section() ? 1 : 0;
  EXPECT_EQ(capsules, 1u);
  EXPECT_EQ(defined, 1u);
  for (const elf::InfoRecord &record : elf::InfoRecords(rest.find(".nv.info")->data))
    if (symbol_word_count(record) != 0) {
      EXPECT_FALSE(symbols[load_le<u32>(record.payload.data())].undefined());
    }
  const elf::CallGraph graph = elf::decode_call_graph(rest.find(".nv.callgraph")->data);
  for (const elf::CallPair &pair : graph.pairs(elf::CallPart::Calls))
    EXPECT_FALSE(symbols[pair.first].undefined());
}

TEST_F(PrunedFunctions, AreNotMadeOfAllOrNone) {
  EXPECT_FALSE(prune_object(view, code_of(view)));
  EXPECT_FALSE(prune_object(view, {}));
}

TEST(PruneObject, KeepsLocalCallees) {
  const std::vector<u8> bytes = recorded_bytes("doubles.cubin");
  const elf::ElfView view = elf::ElfView::open(bytes).value();
  const u32 kernel = view.find(".text._Z7doublesPd")->index;
  EXPECT_FALSE(prune_object(view, std::array<u32, 1>{kernel})); // its division is all there is else
  const u32 division = view.find(".text.__cuda_sm20_div_rn_f64_full")->index;
  const std::vector<u8> pruned = prune_object(view, std::array<u32, 1>{division}).value();
  EXPECT_EQ(code_of(elf::ElfView::open(pruned).value()), std::vector<u32>{division});
}

TEST(PruneObject, LeavesDebugInformationAlone) {
  const std::vector<u8> bytes = recorded_bytes("steps.cubin");
  const elf::ElfView view = elf::ElfView::open(bytes).value();
  EXPECT_FALSE(prune_object(view, std::array<u32, 1>{code_of(view).front()}));
}

} // namespace
} // namespace culink
