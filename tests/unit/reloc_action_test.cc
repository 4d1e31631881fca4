// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules about relocations, one row per sentence. R_CUDA_64 stands for all that the linker may
// resolve (Resolver::Linker), R_CUDA_G64 for what only the loader resolves, R_CUDA_FUNC_DESC_64 for
// descriptors of functions, R_CUDA_PCREL_IMM24_26 for what is relative to the program counter,
// R_CUDA_YIELD_OPCODE9_0 for what nobody resolves.
#include "link/relocs/reloc_action.h"

#include <gtest/gtest.h>
#include <string>

#include "reloc_rows.h"

namespace culink {
namespace {

using enum TargetKind;

RelocRuleInputs executable() {
  return {};
}

// As nvlink -r does it: what has a value is resolved.
RelocRuleInputs early_object() {
  RelocRuleInputs link;
  link.policy.executable = link.policy.places_memory = false;
  link.policy.resolves_early = true;
  return link;
}

RelocRuleInputs lossless_object() {
  RelocRuleInputs link = early_object();
  link.policy.resolves_early = false;
  link.policy.keeps_all_relocations = true;
  return link;
}

struct Rule {
  std::string_view sentence;
  TargetKind target;
  std::string_view relocation;
  RelocAction action;
};

void expect(const RelocRuleInputs &link, std::span<const Rule> rules) {
  for (const Rule &rule : rules) {
    SCOPED_TRACE(std::string(rule.sentence));
    const arch::RelocInfo *row = arch::find_reloc(rule.relocation);
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(action_of(link, rule.target, row->number, row), rule.action);
  }
}

constexpr auto Drop = RelocAction::Drop, Keep = RelocAction::Keep, Fold = RelocAction::Fold,
               Clear = RelocAction::Clear, Refuse = RelocAction::Refuse,
               KeepAsNone = RelocAction::KeepAsNone, KeepImage = RelocAction::KeepImage,
               FoldAddend = RelocAction::FoldAddend, FoldImage = RelocAction::FoldImage;

// clang-format off
TEST(RelocAction, ExecutablesLeaveAddressesToTheLoader) {
  constexpr std::array<Rule, 13> kRules{{
      {"the address of a function is kept", Function, "R_CUDA_64", Keep},
      {"half of it, too", Function, "R_CUDA_ABS32_LO_32", Keep},
      {"and a call", Function, "R_CUDA_PCREL_IMM24_26", Keep},
      {"and what nobody resolves", Function, "R_CUDA_YIELD_OPCODE9_0", Keep},
      {"a function has a descriptor", Function, "R_CUDA_FUNC_DESC_64", Keep},
      {"a live function needs no clearing", Function, "R_CUDA_UNUSED_CLEAR64", Drop},
      {"the address of a global variable is kept", Variable, "R_CUDA_64", Keep},
      {"as a generic address, too", Variable, "R_CUDA_G64", Keep},
      {"a variable has no descriptor", Variable, "R_CUDA_FUNC_DESC_64", Refuse},
      {"to clear a variable is the loader's business", Variable, "R_CUDA_UNUSED_CLEAR64", Keep},
      {"unless nobody defines it", UndefinedObject, "R_CUDA_UNUSED_CLEAR64", KeepAsNone},
      {"an undefined object is kept otherwise", UndefinedObject, "R_CUDA_64", Keep},
      {"a constant of another link is not cleared", UnplacedConstant, "R_CUDA_UNUSED_CLEAR64", Drop},
  }};
  expect(executable(), kRules);
}

TEST(RelocAction, ExecutablesFoldWhatTheLinkerHasPlaced) {
  constexpr std::array<Rule, 16> kRules{{
      {"an offset in a constant bank is stored", Placed, "R_CUDA_CONST_FIELD19_40", Fold},
      {"or as a number", Placed, "R_CUDA_64", Fold},
      {"for some fields the symbol does not matter", Placed, "R_CUDA_TEX_SLOT", FoldAddend},
      {"a generic address is the loader's", Placed, "R_CUDA_G64", Keep},
      {"if the symbol is left to name it", PlacedUnnamed, "R_CUDA_G64", Refuse},
      {"without one its value is stored all the same", PlacedUnnamed, "R_CUDA_64", Fold},
      {"constants have no descriptor", Placed, "R_CUDA_FUNC_DESC_64", Refuse},
      {"nobody can call a constant", Placed, "R_CUDA_PCREL_IMM24_26", Refuse},
      {"what nobody resolves is dropped", Placed, "R_CUDA_YIELD_OPCODE9_0", Drop},
      {"a variable with a symbol is not cleared", Placed, "R_CUDA_UNUSED_CLEAR64", Drop},
      {"shared variables are", InternalUnnamed, "R_CUDA_UNUSED_CLEAR64", Clear},
      {"even if -g keeps their symbols", Internal, "R_CUDA_UNUSED_CLEAR64", Clear},
      {"the address of a shared variable is stored", InternalUnnamed, "R_CUDA_ABS32_32", Fold},
      {"it has no generic address without a symbol", InternalUnnamed, "R_CUDA_G64", Refuse},
      {"a pointer to a function table is stored", Placed, "R_CUDA_UNIFIED", Fold},
      {"symbol 0 has the value 0", Null, "R_CUDA_64", Fold},
  }};
  expect(executable(), kRules);
}

TEST(RelocAction, ExecutablesDropWhatRefersToDiscardedThings) {
  for (const TargetKind discarded : {DiscardedFunction, DiscardedData}) {
    const std::array<Rule, 4> rules{{
        {"an address of nothing is dropped", discarded, "R_CUDA_64", Drop},
        {"a call, too", discarded, "R_CUDA_PCREL_IMM24_26", Drop},
        {"a descriptor stays", discarded, "R_CUDA_FUNC_DESC_64", Keep},
        {"what asks to be cleared is", discarded, "R_CUDA_UNUSED_CLEAR64", Clear},
    }};
    expect(executable(), rules);
  }
  constexpr std::array<Rule, 4> kTables{{
      {"there are no unified tables", UnifiedTable, "R_CUDA_64", Drop},
      {"so no pointer into them", UnifiedTable, "R_CUDA_UNIFIED", Refuse},
      {"offsets into a table that is not used are dropped", Ignored, "R_CUDA_64", Drop},
      {"in every form", Ignored, "R_CUDA_UNIFIED", Drop},
  }};
  expect(executable(), kTables);
}

TEST(RelocAction, ImagesHaveSlotsInExecutables) {
  constexpr std::array<Rule, 8> kRules{{
      {"code loads the index from the slot", Image, "R_CUDA_CONST_FIELD19_40", FoldImage},
      {"also by an absolute offset", Image, "R_CUDA_ABS32_32", FoldImage},
      {"narrow fields get 0", Image, "R_CUDA_ABS24_40", FoldImage},
      {"or the addend alone", Image, "R_CUDA_TEX_SLOT", FoldAddend},
      {"the index is the loader's business", Image, "R_CUDA_TEX_HEADER_INDEX", Keep},
      {"an image has no descriptor", Image, "R_CUDA_FUNC_DESC_64", Refuse},
      {"an image is not cleared", Image, "R_CUDA_UNUSED_CLEAR64", KeepAsNone},
      {"what nobody resolves is dropped", Image, "R_CUDA_YIELD_OPCODE9_0", Drop},
  }};
  expect(executable(), kRules);
}

TEST(RelocAction, LosslessObjectsKeepWhatTheNextLinkCanUse) {
  for (const arch::RelocInfo *row : test::all_rows())
    for (u32 i = 0; i <= static_cast<u32>(Ignored); ++i) {
      const auto target = static_cast<TargetKind>(i);
      const bool useless = target == Null || target == DiscardedData || target == Ignored;
      EXPECT_EQ(action_of(lossless_object(), target, row->number, row), useless ? Drop : Keep)
          << row->name << " against " << i;
    }
}

TEST(RelocAction, EarlyObjectsResolveAsExecutablesDoWithExceptions) {
  constexpr std::array<Rule, 9> kRules{{
      {"constants are resolved", Placed, "R_CUDA_CONST_FIELD19_40", Fold},
      {"functions are not", Function, "R_CUDA_64", Keep},
      {"pointers to functions stay, whatever they point to", Placed, "R_CUDA_UNIFIED", Keep},
      {"also against symbol 0", Null, "R_CUDA_UNIFIED", Keep},
      {"unified tables are the next link's", UnifiedTable, "R_CUDA_64", Keep},
      {"pointers into them, too", UnifiedTable, "R_CUDA_UNIFIED", Keep},
      {"what is to be cleared loses its symbol", UnifiedTable, "R_CUDA_UNUSED_CLEAR64", KeepAsNone},
      {"images have no slots yet: some fields wait", Image, "R_CUDA_ABS32_32", Keep},
      {"others get a slot that does not exist", Image, "R_CUDA_CONST_FIELD19_40", FoldImage},
  }};
  expect(early_object(), kRules);
}

TEST(RelocAction, ObjectsWithMercuryCodeKeepAllSlotsOfImages) {
  RelocRuleInputs link = early_object();
  link.has_mercury = true;
  constexpr std::array<Rule, 2> kMercury{{
      {"in Mercury code", Image, "R_MERCURY_ABS16", Keep},
      {"and in data", Image, "R_MERCURY_ABS32", Keep},
  }};
  expect(link, kMercury);
  link.sass_plane = true;
  constexpr std::array<Rule, 2> kSass{{
      {"the SASS beside it shows where slots begin", Image, "R_CUDA_CONST_FIELD19_40", KeepImage},
      {"what is no slot is kept as it is", Image, "R_CUDA_TEX_HEADER_INDEX", Keep},
  }};
  expect(link, kSass);
}
// clang-format on

TEST(RelocAction, UnknownNumbersAreRefusedUnlessTheyDoNotMatter) {
  constexpr u32 kUnknown = 0xffff;
  for (const TargetKind target : {Function, Variable, Placed, Null, Image, UnifiedTable}) {
    EXPECT_EQ(action_of(executable(), target, kUnknown, nullptr), Refuse);
    EXPECT_EQ(action_of(executable(), target, arch::kRelocNone, nullptr), Drop);
  }
  for (const TargetKind target : {DiscardedFunction, DiscardedData, Ignored})
    EXPECT_EQ(action_of(executable(), target, kUnknown, nullptr), Drop);
  EXPECT_EQ(action_of(early_object(), Function, kUnknown, nullptr), Refuse);
  EXPECT_EQ(action_of(early_object(), UnifiedTable, kUnknown, nullptr), Keep);
  EXPECT_EQ(action_of(lossless_object(), Function, kUnknown, nullptr), Keep);
}

// Fields are changed only where the row says that the linker, or nobody, may do so.
TEST(RelocAction, OnlyRowsOfTheLinkerAreFolded) {
  for (const RelocRuleInputs &link : {executable(), early_object(), lossless_object()})
    for (const arch::RelocInfo *row : test::all_rows())
      for (u32 i = 0; i < static_cast<u32>(Image); ++i) {
        const RelocAction action = action_of(link, static_cast<TargetKind>(i), row->number, row);
        EXPECT_TRUE(!folds(action) || row->resolver == arch::Resolver::Linker) << row->name;
        EXPECT_TRUE(action != Clear || row->resolver == arch::Resolver::Clear) << row->name;
      }
}

} // namespace
} // namespace culink
