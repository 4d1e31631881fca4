// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/target/reloc.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "elf/elf_view.h"
#include "reloc_rows.h"
#include "support/mapped_file.h"

namespace culink::arch {
namespace {

using test::all_rows;

TEST(Reloc, EveryRowIsFoundByNumberAndName) {
  std::set<std::string_view> names;
  for (const RelocInfo *row : all_rows()) {
    SCOPED_TRACE(std::string(row->name));
    EXPECT_EQ(find_reloc(row->number), row);
    EXPECT_EQ(find_reloc(row->name), row);
    names.insert(row->name);
  }
  EXPECT_EQ(names.size(), 115u + 63u);
  EXPECT_EQ(find_reloc("ABS32_LO_32"), find_reloc(56));
  EXPECT_EQ(find_reloc("32"), find_reloc(1));
}

TEST(Reloc, NumbersWithoutARowAreNotFound) {
  for (const u32 number : {0u, 116u, 0xffffu, 0x10000u, 0x10040u, 0xffffffffu})
    EXPECT_EQ(find_reloc(number), nullptr) << number;
  for (const char *name : {"", "R_CUDA_", "R_CUDA_NONE", "R_MERCURY_", "G128"})
    EXPECT_EQ(find_reloc(name), nullptr) << name;
}

TEST(Reloc, EveryPieceLiesInsideTheWordAndOverlapsNoOther) {
  for (const RelocInfo *row : all_rows()) {
    SCOPED_TRACE(std::string(row->name));
    std::set<u32> taken;
    bool ended = false;
    for (const RelocPiece &piece : row->pieces) {
      EXPECT_FALSE(ended && piece.width != 0) << "a gap before a piece";
      ended = piece.width == 0;
      const u32 source_bits = piece.source == PieceSource::Bank ? 5 : 64;
      EXPECT_LE(piece.value_bit + piece.width, source_bits);
      EXPECT_LE(piece.word_bit + piece.width, 128);
      for (u32 bit = piece.word_bit; bit < u32{piece.word_bit} + piece.width; ++bit)
        EXPECT_TRUE(taken.insert(bit).second) << bit;
    }
    EXPECT_EQ(row->word_bits(), taken.empty() ? 0 : *taken.rbegin() + 1);
    EXPECT_EQ(row->has_field(), !taken.empty());
  }
}

TEST(Reloc, EveryRowIsConsistent) {
  for (const RelocInfo *row : all_rows()) {
    SCOPED_TRACE(std::string(row->name));
    // What the linker writes it must know how to write.
    if (row->resolver == Resolver::Linker || row->resolver == Resolver::Clear) {
      EXPECT_TRUE(row->has_field());
    }
    EXPECT_EQ(row->resolver == Resolver::Clear, row->value == ValueKind::Zero);
    EXPECT_EQ(row->writes_bank(), row->value == ValueKind::BankOffset);
    if (row->resolver == Resolver::LoaderFunction) {
      EXPECT_EQ(row->value, ValueKind::Descriptor);
    }
    if (row->image == ImageAction::Slot || row->image == ImageAction::ZeroValue) {
      EXPECT_EQ(row->resolver, Resolver::Linker);
    }
    if (row->image_kept_by_r) {
      EXPECT_EQ(row->image, ImageAction::Slot);
    }
    if (row->value == ValueKind::Unknown) {
      EXPECT_FALSE(row->has_field());
    }
  }
}

// A unified type is its plain twin but for the number.
TEST(Reloc, EveryUnifiedRowHasAPlainTwinOfTheSameShape) {
  u32 count = 0;
  for (const RelocInfo *row : all_rows()) {
    SCOPED_TRACE(std::string(row->name));
    EXPECT_EQ(row->value == ValueKind::Unified, row->kept_as != 0);
    if (row->kept_as == 0) {
      EXPECT_EQ(row->number_in_executable(), row->number);
      continue;
    }
    ++count;
    const RelocInfo *plain = find_reloc(row->number_in_executable());
    ASSERT_NE(plain, nullptr);
    EXPECT_EQ(plain->resolver, row->resolver);
    EXPECT_EQ(plain->value, ValueKind::Address);
    EXPECT_EQ(plain->rel_addend_in_place, row->rel_addend_in_place);
    for (u32 i = 0; i < row->pieces.size(); ++i) {
      EXPECT_EQ(plain->pieces[i].value_bit, row->pieces[i].value_bit);
      EXPECT_EQ(plain->pieces[i].word_bit, row->pieces[i].word_bit);
      EXPECT_EQ(plain->pieces[i].width, row->pieces[i].width);
    }
  }
  EXPECT_EQ(count, 24u); // 102 to 113 and their Mercury twins
}

TEST(Reloc, EverySassTwinExists) {
  for (const RelocInfo &row : cuda_relocs())
    EXPECT_EQ(row.sass.code + row.sass.data + row.sass.operand + row.sass.kernel + row.sass.uft, 0);
  for (const RelocInfo &row : mercury_relocs()) {
    SCOPED_TRACE(std::string(row.name));
    for (const u8 twin :
         {row.sass.code, row.sass.data, row.sass.operand, row.sass.kernel, row.sass.uft})
      EXPECT_TRUE(twin == 0 || find_reloc(twin) != nullptr);
    // In data both sides store the same bits.
    if (row.sass.data != 0 && row.has_field() && row.sass.code != row.sass.data) {
      const RelocPiece &plain = find_reloc(row.sass.data)->pieces[0];
      EXPECT_EQ(plain.value_bit, row.pieces[0].value_bit);
      EXPECT_EQ(plain.width, row.pieces[0].width);
    }
  }
}

// Most names end in the width of the field and its position: CONST_FIELD21_38, ABS24_40.
TEST(Reloc, NamesSayWidthAndPosition) {
  const std::regex shape("R_CUDA_(?:TEX_)?(?:ABS|CONST_FIELD|BINDLESSOFF|TEX_SLOT)(\\d+)_(\\d+)");
  u32 checked = 0;
  for (const RelocInfo &row : cuda_relocs()) {
    const std::string name(row.name);
    std::smatch parts;
    if (!std::regex_match(name, parts, shape))
      continue;
    SCOPED_TRACE(name);
    ++checked;
    int total = 0;
    for (const RelocPiece &piece : row.pieces)
      total += piece.width;
    EXPECT_EQ(total, std::stoi(parts[1]));
    EXPECT_EQ(row.pieces[0].word_bit, std::stoi(parts[2]));
  }
  EXPECT_EQ(checked, 32u);
}

// What .nv.rel.action of toolkit 11.8 says of types 75 to 101.
TEST(Reloc, FieldsAgreeWithTheActionsOfToolkit11) {
  const std::array<RelocPiece, 2> action = {{{2, 16, 8}, {10, 34, 47}}};
  const RelocInfo &call = *find_reloc(75);
  for (u32 i = 0; i < action.size(); ++i) {
    EXPECT_EQ(call.pieces[i].value_bit, action[i].value_bit);
    EXPECT_EQ(call.pieces[i].word_bit, action[i].word_bit);
    EXPECT_EQ(call.pieces[i].width, action[i].width);
  }
  const ValueKind kinds[] = {ValueKind::Address, ValueKind::Generic, ValueKind::Descriptor};
  for (u32 i = 0; i < 24; ++i) {
    const RelocInfo &row = *find_reloc(76 + i);
    EXPECT_EQ(row.value, kinds[i / 8]) << row.name;
    EXPECT_EQ(row.pieces[0].value_bit, i % 8 * 8) << row.name;
    EXPECT_EQ(row.pieces[0].width, 8) << row.name;
    EXPECT_EQ(row.pieces[0].word_bit, 0) << row.name;
  }
  EXPECT_EQ(find_reloc(100)->pieces[0].width, 20);
  EXPECT_EQ(find_reloc(100)->pieces[0].word_bit, 44);
  EXPECT_EQ(find_reloc(101)->pieces[0].width, 12);
}

// The list of relocations that nvlink never resolves, as measured.
TEST(Reloc, NeverResolvedTypesAreTheLoaders) {
  std::set<u32> loaders = {3, 4, 6, 7, 8, 9, 52, 53, 58, 67, 75, 101, 114};
  for (u32 number = 84; number <= 99; ++number)
    loaders.insert(number);
  const std::set<u32> functions = {31, 32, 33, 34, 35, 47, 48, 49, 61, 62, 63};
  for (const RelocInfo &row : cuda_relocs()) {
    EXPECT_EQ(row.resolver == Resolver::Loader, loaders.count(row.number) == 1) << row.name;
    EXPECT_EQ(row.resolver == Resolver::LoaderFunction, functions.count(row.number) == 1)
        << row.name;
  }
  EXPECT_EQ(find_reloc(40)->resolver, Resolver::LoaderOrError);
  EXPECT_EQ(find_reloc(68)->resolver, Resolver::Nobody);
}

// A linked file carries no type that the linker resolves away, nor a unified one.
TEST(Reloc, EveryRelocationOfTheShippedCubinsHasARow) {
  u32 seen = 0;
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(CULINK_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".cubin")
      continue;
    const Result<MappedFile> bytes = MappedFile::open(entry.path().string());
    ASSERT_TRUE(bytes) << entry.path();
    const Result<elf::ElfView> view = elf::ElfView::open(bytes->bytes());
    ASSERT_TRUE(view) << entry.path();
    const bool linked = view->header().type == elf::FileType::Executable;
    for (const elf::Section &section : view->sections()) {
      const elf::RelocationTable table = view->relocations(section);
      for (u32 i = 0; i < table.size(); ++i) {
        const RelocInfo *row = find_reloc(table[i].type);
        ASSERT_NE(row, nullptr) << entry.path() << ' ' << section.name << ' ' << table[i].type;
        EXPECT_EQ(row->number >= kFirstMercuryReloc, section.is_mercury()) << row->name;
        if (linked) {
          EXPECT_EQ(row->number_in_executable(), row->number) << row->name;
          EXPECT_NE(row->resolver, Resolver::Clear) << row->name;
        }
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 100u);
}

TEST(RelocRoles, ImageSlotsHoldHeaderIndices) {
  EXPECT_EQ(image_slot_reloc(ImageKind::Texture, Plane::Sass).name, "R_CUDA_TEX_HEADER_INDEX");
  EXPECT_EQ(image_slot_reloc(ImageKind::Sampler, Plane::Sass).name, "R_CUDA_SAMP_HEADER_INDEX");
  EXPECT_EQ(image_slot_reloc(ImageKind::Surface, Plane::Sass).name, "R_CUDA_SURF_HEADER_INDEX");
  for (const ImageKind kind : {ImageKind::Texture, ImageKind::Sampler, ImageKind::Surface}) {
    const RelocInfo &mercury = image_slot_reloc(kind, Plane::Mercury);
    EXPECT_EQ(mercury.value, ValueKind::HeaderIndex);
    EXPECT_EQ(find_reloc(mercury.sass.data)->value, ValueKind::HeaderIndex);
  }
}

TEST(RelocRoles, ASamplerSlotOfMercuryCodeHasItsOwnNumberOnTheSassPlane) {
  const u32 number = image_slot_reloc(ImageKind::Sampler, Plane::Mercury).sass.data;
  EXPECT_EQ(find_reloc(number)->name, "R_CUDA_SAMP_HEADER_INDEX_0");
}

TEST(RelocRoles, OperandsOfIndexedImageLoadsAreThoseOfOneMercuryRelocation) {
  const RelocInfo &mercury = *find_reloc("R_MERCURY_ABS16");
  EXPECT_EQ(reloc_for(RelocRole::ImageIndex).number, mercury.sass.code);
  EXPECT_EQ(reloc_for(RelocRole::ImageBase).number, mercury.sass.operand);
  EXPECT_EQ(reloc_for(RelocRole::CodeAddress).name, "R_CUDA_64");
  EXPECT_EQ(reloc_for(RelocRole::NewestField).name, "R_CUDA_CONST_FIELD22_37");
}

TEST(RelocRoles, FieldsOfUpTo16BitsAreShortInCapsules) {
  EXPECT_TRUE(is_short_in_capsule(reloc_for(RelocRole::ImageIndex)));
  EXPECT_TRUE(is_short_in_capsule(reloc_for(RelocRole::ImageBase)));
  EXPECT_FALSE(is_short_in_capsule(reloc_for(RelocRole::NewestField)));
}

} // namespace
} // namespace culink::arch
