// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/target/arch.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

#include "support/bytes.h"

namespace culink::arch {
namespace {

TEST(ArchTable, EveryRowIsFoundByNameAndByNumber) {
  std::set<std::string_view> names;
  for (const ArchInfo &arch : all_archs()) {
    SCOPED_TRACE(std::string(arch.name));
    std::string spelled = "sm_" + std::to_string(arch.number);
    if (arch.letter)
      spelled += arch.letter;
    EXPECT_EQ(arch.name, spelled);
    EXPECT_EQ(find_arch(arch.name), &arch);
    EXPECT_EQ(find_arch(arch.number, arch.letter), &arch);
    names.insert(arch.name);
  }
  EXPECT_EQ(names.size(), all_archs().size());
  EXPECT_EQ(names.size(), 26u);
}

TEST(ArchTable, EveryRowIsConsistent) {
  for (const ArchInfo &arch : all_archs()) {
    SCOPED_TRACE(std::string(arch.name));
    EXPECT_LE(arch.number, 0xff); // e_flags has eight bits for it
    EXPECT_TRUE(arch.letter == 0 || arch.letter == 'a' || arch.letter == 'f');
    ASSERT_NE(find_arch(arch.family), nullptr);
    EXPECT_LE(arch.family, arch.number);
    EXPECT_EQ(find_arch(arch.family)->family, arch.family);
    EXPECT_TRUE(is_power_of_two(arch.text_align));
    EXPECT_EQ(arch.instruction_size, kNop.size());
    EXPECT_EQ(arch.accelerator_target, arch.letter == 'a' ? 1 : 0);
    // One fact of the generation implies the others.
    EXPECT_EQ(arch.has_mercury_plane, arch.code_kind == CodeKind::Capmerc);
    EXPECT_EQ(arch.has_mercury_plane, !arch.has_rel_action);
    EXPECT_EQ(arch.has_compat, arch.has_unified_symbols);
    EXPECT_EQ(arch.has_compat, arch.relocations == RelocationStyle::Rela);
    EXPECT_EQ(arch.has_compat, arch.reserved_shared == 0x400);
    EXPECT_EQ(arch.has_compat, !arch.registers_in_text_info);
    EXPECT_EQ(arch.limits.static_shared, arch.letter == 'a' ? arch.limits.opt_in_shared : 0xc000u);
    EXPECT_EQ(arch.limits.constant_bank, 0x10000u);
    EXPECT_EQ(arch.limits.parameter_bytes, 0x7ffcu);
    EXPECT_EQ(arch.limits.registers, 255u);
    EXPECT_EQ(arch.limits.barriers, 16u);
    EXPECT_TRUE(arch.limits.opt_in_shared == 0 ||
                arch.limits.opt_in_shared >= arch.limits.static_shared);
    // Letters of one number differ in nothing but what a letter may change.
    const ArchInfo &plain = *find_arch(arch.number);
    EXPECT_EQ(arch.parameter_base, plain.parameter_base);
    EXPECT_EQ(arch.fastpath_mask, plain.fastpath_mask);
    EXPECT_EQ(arch.family, plain.family);
  }
}

TEST(ArchTable, ValuesAreThoseOfPtxas) {
  EXPECT_EQ(find_arch("sm_75")->parameter_base, 0x160u);
  EXPECT_EQ(find_arch("sm_89")->parameter_base, 0x160u);
  EXPECT_EQ(find_arch("sm_90")->parameter_base, 0x210u);
  EXPECT_EQ(find_arch("sm_121f")->parameter_base, 0x380u);
  EXPECT_EQ(find_arch("sm_100")->fastpath_mask, 0x9u);
  EXPECT_EQ(find_arch("sm_103")->fastpath_mask, 0u);
  EXPECT_EQ(find_arch("sm_120a")->fastpath_mask, 0x50u);
  EXPECT_EQ(find_arch("sm_90a")->accelerator_target, 1);
  EXPECT_EQ(find_arch("sm_100f")->accelerator_target, 0);
  EXPECT_EQ(find_arch("sm_103")->family, 100);
  EXPECT_EQ(find_arch("sm_121")->family, 120);
  EXPECT_EQ(find_arch("sm_110")->family, 110);
}

// nvlink links machine code for sm_100 and later as it does for sm_90, and Mercury code without
// what the system reserves.
TEST(ArchTable, KindsOfCodeHaveRulesOfTheirOwn) {
  for (const ArchInfo &arch : all_archs()) {
    const ArchInfo sass = as_plain_sass(arch);
    EXPECT_EQ(sass.code_kind, CodeKind::Sass) << arch.name;
    EXPECT_TRUE(sass.has_rel_action) << arch.name;
    EXPECT_EQ(sass.image_slot_align, 4u) << arch.name;
    EXPECT_EQ(sass.reserved_shared, arch.reserved_shared) << arch.name;
    if (!arch.has_mercury_plane)
      continue;
    const ArchInfo mercury = as_mercury_plane(arch);
    EXPECT_EQ(mercury.code_kind, CodeKind::Capmerc) << arch.name;
    EXPECT_FALSE(mercury.has_rel_action) << arch.name;
    EXPECT_EQ(mercury.image_slot_align, 16u) << arch.name;
    EXPECT_EQ(mercury.reserved_shared, 0u) << arch.name;
    EXPECT_EQ(mercury.reserved_slot, 0u) << arch.name;
  }
}

TEST(ArchTable, UnknownTargetsAreNotFound) {
  for (const char *name : {"", "sm_", "sm_70", "sm_90f", "sm_90b", "compute_90", "90", "SM_90"})
    EXPECT_EQ(find_arch(name), nullptr) << name;
  EXPECT_EQ(find_arch(91), nullptr);
  EXPECT_EQ(find_arch(75, 'a'), nullptr);
}

} // namespace
} // namespace culink::arch
