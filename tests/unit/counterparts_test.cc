// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "link/mercury/counterparts.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

using elf::SectionType;

// A plan with sections and nothing else.
struct Plan {
  SharedPlan shared;
  ImagePlan images;
  Synthetic synthetic;
  OutputPlan output{{}, {}, {}, shared, images, synthetic};

  OutId add(std::string_view name, SectionType type, u64 flags = 0, u64 size = 16) {
    return output.layout.sections.add(name, {.type = type, .flags = flags, .size = size});
  }
  OutId add_code(std::string_view name) {
    const OutId id = add(name, SectionType::Progbits, elf::kFlagAlloc | elf::kFlagExec);
    output.layout.sections.details[id.value].function = EntityId(0);
    return id;
  }
};

TEST(Counterparts, CodeHasACapsule) {
  Plan plan;
  const OutId id = plan.add_code(".text.f");
  EXPECT_EQ(shape_file(plan.output, Release{}).counterpart_of(id), Counterpart::Capsule);
}

TEST(Counterparts, NotesAndMemoryHaveNone) {
  Plan plan;
  const OutId note = plan.add(".note.nv.tkinfo", SectionType::Note);
  const OutId shared = plan.add(".nv.shared.f", SectionType::CudaShared);
  const FileShape shape = shape_file(plan.output, Release{});
  EXPECT_EQ(shape.counterpart_of(note), Counterpart::None);
  EXPECT_EQ(shape.counterpart_of(shared), Counterpart::None);
}

TEST(Counterparts, CallsHaveThemInSomeReleases) {
  Plan plan;
  const OutId calls = plan.add(".nv.callgraph", SectionType::CudaCallgraph);
  EXPECT_EQ(shape_file(plan.output, Release{}).counterpart_of(calls), Counterpart::None);
  EXPECT_EQ(shape_file(plan.output, Release{.mirrors_calls = true}).counterpart_of(calls),
            Counterpart::Equal);
  EXPECT_EQ(
      counterpart_header(plan.output.layout.sections, calls, Counterpart::Equal, {}, true).type,
      SectionType::MercuryCallgraph);
}

TEST(Counterparts, ReservedMemoryTakesBytesInTheFile) {
  Plan plan;
  const OutId id = plan.add(".nv.shared.reserved.0", SectionType::CudaReservedShared);
  EXPECT_EQ(shape_file(plan.output, Release{}).counterpart_of(id), Counterpart::Memory);
}

TEST(Counterparts, DataThatMercuryDoesNotChangeIsShared) {
  Plan plan;
  const OutId data = plan.add(".nv.global.init", SectionType::CudaGlobalInit, elf::kFlagAlloc);
  const OutId strings = plan.add(".debug_str", SectionType::Progbits);
  const OutId info = plan.add(".debug_info", SectionType::Progbits);
  const FileShape shape = shape_file(plan.output, Release{});
  EXPECT_EQ(shape.counterpart_of(data), Counterpart::Shared);
  EXPECT_EQ(shape.counterpart_of(strings), Counterpart::Shared);
  EXPECT_EQ(shape.counterpart_of(info), Counterpart::Own);
}

TEST(Counterparts, DebugInformationIsSharedInSomeReleases) {
  Plan plan;
  const OutId info = plan.add(".debug_info", SectionType::Progbits);
  const FileShape shape = shape_file(plan.output, Release{.shares_debug_info = true});
  EXPECT_EQ(shape.counterpart_of(info), Counterpart::Shared);
}

TEST(Counterparts, CapsulesComeFirstOrWhereTheCodeIs) {
  Plan plan;
  const OutId code = plan.add_code(".text.f");
  const OutId data =
      plan.add(".nv.global.init", SectionType::CudaGlobalInit, elf::kFlagAlloc | elf::kFlagWrite);
  const OutId info = plan.add(".nv.info.f", SectionType::CudaInfo);
  OutputSymbols symbols;
  symbols.of_entity.resize(1);
  const auto bucket = [&](OutId id, Counterpart kind, bool capsules_first) {
    return counterpart_header(plan.output.layout.sections, id, kind, symbols, capsules_first)
        .bucket;
  };
  EXPECT_LT(bucket(code, Counterpart::Capsule, true), bucket(info, Counterpart::Own, true));
  EXPECT_LT(bucket(info, Counterpart::Own, false), bucket(code, Counterpart::Capsule, false));
  EXPECT_LT(bucket(code, Counterpart::Capsule, false), bucket(data, Counterpart::Shared, false));
}

TEST(Counterparts, ALineTableIsSharedIfItIsAboutNoCode) {
  Plan plan;
  const OutId lines = plan.add(".debug_line", SectionType::Progbits);
  EXPECT_EQ(shape_file(plan.output, Release{}).counterpart_of(lines), Counterpart::Shared);
  const OutId table = plan.add(".rela.debug_line", SectionType::Rela);
  plan.output.layout.relocs.groups.push_back({.table = table, .target = lines});
  EXPECT_EQ(shape_file(plan.output, Release{}).counterpart_of(lines), Counterpart::Own);
}

TEST(Counterparts, EmittedSectionsComeInTheOrderOfTheFile) {
  Plan plan;
  const OutId code = plan.add_code(".text.f");
  const OutId empty = plan.add(".debug_abbrev", SectionType::Progbits, 0, 0);
  const OutId info = plan.add(".debug_info", SectionType::Progbits);
  const FileShape shape = shape_file(plan.output, Release{});
  EXPECT_FALSE(plan.output.layout.sections[empty].emitted());
  EXPECT_EQ(shape.counterpart_of(empty), Counterpart::None);
  EXPECT_EQ(shape.order, (std::vector<OutId>{info, code}));
}

} // namespace
} // namespace culink
