// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/target/elf_flags.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "elf/elf_view.h"
#include "elf/target/arch.h"
#include "support/mapped_file.h"

namespace culink::arch {
namespace {

using elf::kOsAbiCuda;
using elf::kOsAbiCudaOld;

TEST(ElfFlags, EveryTargetEncodesAsPtxasWritesIt) {
  for (const ArchInfo &arch : all_archs()) {
    ElfTarget target;
    target.sm = static_cast<u8>(arch.number);
    target.code_kind = static_cast<u8>(arch.code_kind);
    target.cuinfo_section = 6;
    const u32 flags = encode_elf_flags(target);
    EXPECT_EQ(flags, 0x06000000u | arch.number << 8 | (arch.number < 100 ? 4u : 2u)) << arch.name;
    EXPECT_EQ(decode_elf_target(kOsAbiCuda, kAbiVersion, flags), target) << arch.name;
  }
}

// ptxas -arch=sm_90a 12.4, of PTX for sm_90a with 64-bit addresses.
TEST(ElfFlags, OldLayoutHasTheSmInTheLowByte) {
  const ElfTarget target = decode_elf_target(kOsAbiCudaOld, kAbiVersionOld, 0x005a0d5a);
  EXPECT_TRUE(target.old_layout());
  EXPECT_EQ(target.sm, 90);
  EXPECT_EQ(target.virtual_sm, 90);
  EXPECT_TRUE(target.accelerated);
  EXPECT_TRUE(target.address_64);
  EXPECT_TRUE(target.texture_unified);
  EXPECT_FALSE(target.texture_independent);
  EXPECT_EQ(target.code_kind, 0);
  EXPECT_EQ(target.cuinfo_section, 0);
  EXPECT_EQ(target.other, 0u);
}

TEST(ElfFlags, OldLayoutTellsTextureModeAddressSizeAndVirtualTarget) {
  const ElfTarget independent = decode_elf_target(kOsAbiCudaOld, kAbiVersionOld, 0x004b064b);
  EXPECT_TRUE(independent.texture_independent);
  EXPECT_FALSE(independent.texture_unified);
  EXPECT_FALSE(decode_elf_target(kOsAbiCudaOld, kAbiVersionOld, 0x004b014b).address_64);
  EXPECT_EQ(decode_elf_target(kOsAbiCudaOld, kAbiVersionOld, 0x003c054b).virtual_sm, 60);
}

// ptxas 12.9 still marks sm_100a in the flags; 13.0 does not.
TEST(ElfFlags, AcceleratedBitIsNoPartOfTheCodeKind) {
  const ElfTarget target = decode_elf_target(kOsAbiCuda, kAbiVersion, 0x0600640a);
  EXPECT_TRUE(target.accelerated);
  EXPECT_EQ(target.sm, 100);
  EXPECT_EQ(target.code_kind, static_cast<u8>(CodeKind::Capmerc));
}

TEST(ElfFlags, EveryValueSurvivesDecodingAndEncoding) {
  u32 flags = 1;
  for (int i = 0; i < 20000; ++i) {
    flags = flags * 1664525u + 1013904223u;
    for (const u8 os_abi : {kOsAbiCuda, kOsAbiCudaOld, u8{0}})
      for (const u8 abi : {u8{0}, kAbiVersionOld, kAbiVersion, u8{9}}) {
        const ElfTarget target = decode_elf_target(os_abi, abi, flags);
        ASSERT_EQ(encode_elf_flags(target), flags);
        ASSERT_EQ(target.os_abi, os_abi);
        ASSERT_EQ(target.abi_version, abi);
      }
  }
}

// Their folders are named after the target.
TEST(ElfFlags, TargetsOfTheShippedCubinsAreRead) {
  u32 files = 0;
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(CULINK_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".cubin")
      continue;
    ++files;
    const Result<MappedFile> bytes = MappedFile::open(entry.path().string());
    ASSERT_TRUE(bytes) << entry.path();
    const Result<elf::ElfView> view = elf::ElfView::open(bytes->bytes());
    ASSERT_TRUE(view) << entry.path();
    const elf::FileHeader &header = view->header();
    const ElfTarget target = decode_elf_target(header.ident[elf::kIdentOsAbi],
                                               header.ident[elf::kIdentAbiVersion], header.flags);
    const std::string folder = entry.path().parent_path().filename().string();
    EXPECT_EQ("sm_" + std::to_string(target.sm), folder.substr(0, folder.find('-')));
    ASSERT_LT(target.cuinfo_section, view->sections().size());
    EXPECT_EQ(view->sections()[target.cuinfo_section].name, ".note.nv.cuinfo") << entry.path();
    const ArchInfo *arch = find_arch(target.sm);
    ASSERT_NE(arch, nullptr) << entry.path();
    EXPECT_EQ(target.code_kind, static_cast<u8>(arch->code_kind)) << entry.path();
    EXPECT_EQ(view->find(".nv.compat") != nullptr, arch->has_compat) << entry.path();
    EXPECT_EQ(view->find(".nv.merc.symtab") != nullptr, arch->has_mercury_plane) << entry.path();
  }
  EXPECT_GT(files, 0u);
}

} // namespace
} // namespace culink::arch
