// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The R_CUDA_* rows. A name consists of a category, the width of the field and its bit position; LO
// and HI take the low or high half of the value. The name does not show the resolver or the bits of
// the value: ABS32_HI_32 takes bits 63 to 32, CONST_FIELD19_40 takes a word offset and a bank
// number in 19 bits.
//
// The fields of types that nvlink resolves were found by linking every type with every single-bit
// addend; nvlink does not check ranges and drops bits outside (Q122). Types 75 to 101 are described
// by .nv.rel.action of toolkit 11. Types that only the loader applies have the bits that their
// names imply. 0 and numbers from 116 on are not relocations: nvlink drops or refuses them.
#include "elf/target/reloc.h"

namespace culink::arch {
namespace {

using enum Resolver;
using enum ImageAction;
using enum Evidence;
using V = ValueKind;

constexpr RelocPiece bank(u8 bank_bit, u8 word_bit, u8 width) {
  return {bank_bit, word_bit, width, PieceSource::Bank};
}

// Columns: number, name, resolver, value, images, pieces {value bit, word bit, width}, evidence,
// number when kept in an executable, kept against an image by -r, in-place addend in SHT_REL.
// clang-format off
constexpr std::array<RelocInfo, 115> kCudaRows{{
    {1, "R_CUDA_32", Linker, V::Address, Keep, {{{0, 0, 32}}}},
    {2, "R_CUDA_64", Linker, V::Address, Keep, {{{0, 0, 64}}}},
    {3, "R_CUDA_G32", Loader, V::Generic, Keep, {{{0, 0, 32}}}, Inferred},
    {4, "R_CUDA_G64", Loader, V::Generic, Keep, {{{0, 0, 64}}}, Inferred},
    {5, "R_CUDA_ABS32_26", Linker, V::Address, Slot, {{{0, 26, 32}}}, Measured, 0, true},
    {6, "R_CUDA_TEX_HEADER_INDEX", Loader, V::HeaderIndex, Keep, {{}}, Inferred},
    {7, "R_CUDA_SAMP_HEADER_INDEX", Loader, V::HeaderIndex, Keep, {{}}, Inferred},
    {8, "R_CUDA_SURF_HW_DESC", Loader, V::HeaderIndex, Keep, {{}}, Inferred},
    {9, "R_CUDA_SURF_HW_SW_DESC", Loader, V::HeaderIndex, Keep, {{}}, Inferred},
    {10, "R_CUDA_ABS32_LO_26", Linker, V::Address, Keep, {{{0, 26, 32}}}},
    {11, "R_CUDA_ABS32_HI_26", Linker, V::Address, Keep, {{{32, 26, 32}}}},
    {12, "R_CUDA_ABS32_23", Linker, V::Address, Slot, {{{0, 23, 32}}}, Measured, 0, true},
    {13, "R_CUDA_ABS32_LO_23", Linker, V::Address, Keep, {{{0, 23, 32}}}},
    {14, "R_CUDA_ABS32_HI_23", Linker, V::Address, Keep, {{{32, 23, 32}}}},
    {15, "R_CUDA_ABS24_26", Linker, V::Address, ZeroValue, {{{0, 26, 24}}}},
    {16, "R_CUDA_ABS24_23", Linker, V::Address, ZeroValue, {{{0, 23, 24}}}},
    {17, "R_CUDA_ABS16_26", Linker, V::Address, Slot, {{{0, 26, 16}}}},
    {18, "R_CUDA_ABS16_23", Linker, V::Address, Slot, {{{0, 23, 16}}}},
    {19, "R_CUDA_TEX_SLOT", Linker, V::AddendOnly, ZeroValue, {{{0, 32, 8}}}},
    {20, "R_CUDA_SAMP_SLOT", Linker, V::AddendOnly, ZeroValue, {{{0, 40, 5}}}},
    {21, "R_CUDA_SURF_SLOT", Linker, V::AddendOnly, ZeroValue, {{{0, 26, 6}}}},
    {22, "R_CUDA_TEX_BINDLESSOFF13_32", Linker, V::Address, Slot, {{{2, 32, 13}}}},
    {23, "R_CUDA_TEX_BINDLESSOFF13_47", Linker, V::Address, Slot, {{{2, 47, 13}}}},
    {24, "R_CUDA_CONST_FIELD19_28", Linker, V::BankOffset, Slot,
     {{{2, 28, 14}, bank(0, 42, 4), bank(4, 26, 1)}}},
    {25, "R_CUDA_CONST_FIELD19_23", Linker, V::BankOffset, Slot, {{{2, 23, 14}, bank(0, 37, 5)}}},
    {26, "R_CUDA_TEX_SLOT9_49", Linker, V::AddendOnly, ZeroValue, {{{0, 49, 9}}}},
    {27, "R_CUDA_6_31", Linker, V::Address, ZeroValue, {{{0, 31, 6}}}},
    {28, "R_CUDA_2_47", Linker, V::Address, ZeroValue, {{{0, 47, 2}}}},
    {29, "R_CUDA_TEX_BINDLESSOFF13_41", Linker, V::Address, Slot, {{{2, 41, 13}}}},
    {30, "R_CUDA_TEX_BINDLESSOFF13_45", Linker, V::Address, Slot, {{{2, 45, 13}}}},
    {31, "R_CUDA_FUNC_DESC32_23", LoaderFunction, V::Descriptor, Refuse, {{{0, 23, 32}}}, Inferred},
    {32, "R_CUDA_FUNC_DESC32_LO_23", LoaderFunction, V::Descriptor, Refuse,
     {{{0, 23, 32}}}, Inferred},
    {33, "R_CUDA_FUNC_DESC32_HI_23", LoaderFunction, V::Descriptor, Refuse,
     {{{32, 23, 32}}}, Inferred},
    {34, "R_CUDA_FUNC_DESC_32", LoaderFunction, V::Descriptor, Refuse, {{{0, 0, 32}}}, Inferred},
    {35, "R_CUDA_FUNC_DESC_64", LoaderFunction, V::Descriptor, Refuse, {{{0, 0, 64}}}, Inferred},
    {36, "R_CUDA_CONST_FIELD21_26", Linker, V::BankOffset, ZeroValue,
     {{{0, 26, 16}, bank(0, 42, 5)}}},
    {37, "R_CUDA_QUERY_DESC21_37", Linker, V::BankOffset, ZeroValue,
     {{{0, 37, 16}, bank(0, 53, 5)}}},
    {38, "R_CUDA_CONST_FIELD19_26", Linker, V::BankOffset, Slot, {{{2, 26, 14}, bank(0, 40, 5)}}},
    {39, "R_CUDA_CONST_FIELD21_23", Linker, V::BankOffset, Slot, {{{0, 23, 16}, bank(0, 39, 5)}}},
    {40, "R_CUDA_PCREL_IMM24_26", LoaderOrError, V::PcRelative, Refuse, {{{0, 26, 24}}}, Inferred},
    {41, "R_CUDA_PCREL_IMM24_23", LoaderOrError, V::PcRelative, Refuse, {{{0, 23, 24}}}, Inferred},
    {42, "R_CUDA_ABS32_20", Linker, V::Address, Slot, {{{0, 20, 32}}}, Measured, 0, true},
    {43, "R_CUDA_ABS32_LO_20", Linker, V::Address, Keep, {{{0, 20, 32}}}},
    {44, "R_CUDA_ABS32_HI_20", Linker, V::Address, Keep, {{{32, 20, 32}}}},
    {45, "R_CUDA_ABS24_20", Linker, V::Address, ZeroValue, {{{0, 20, 24}}}},
    {46, "R_CUDA_ABS16_20", Linker, V::Address, Slot, {{{0, 20, 16}}}},
    {47, "R_CUDA_FUNC_DESC32_20", LoaderFunction, V::Descriptor, Refuse, {{{0, 20, 32}}}, Inferred},
    {48, "R_CUDA_FUNC_DESC32_LO_20", LoaderFunction, V::Descriptor, Refuse,
     {{{0, 20, 32}}}, Inferred},
    {49, "R_CUDA_FUNC_DESC32_HI_20", LoaderFunction, V::Descriptor, Refuse,
     {{{32, 20, 32}}}, Inferred},
    {50, "R_CUDA_CONST_FIELD19_20", Linker, V::BankOffset, Slot, {{{2, 20, 14}, bank(0, 34, 5)}}},
    {51, "R_CUDA_BINDLESSOFF13_36", Linker, V::Address, Slot, {{{2, 36, 13}}}},
    {52, "R_CUDA_SURF_HEADER_INDEX", Loader, V::HeaderIndex, Keep, {{}}, Inferred},
    {53, "R_CUDA_INSTRUCTION64", Loader, V::Instruction, Keep, {{}}, Inferred},
    {54, "R_CUDA_CONST_FIELD21_20", Linker, V::BankOffset, Slot, {{{0, 20, 16}, bank(0, 36, 5)}}},
    {55, "R_CUDA_ABS32_32", Linker, V::Address, Slot, {{{0, 32, 32}}}, Measured, 0, true},
    {56, "R_CUDA_ABS32_LO_32", Linker, V::Address, Keep, {{{0, 32, 32}}}},
    {57, "R_CUDA_ABS32_HI_32", Linker, V::Address, Keep, {{{32, 32, 32}}}},
    {58, "R_CUDA_ABS47_34", Loader, V::Address, Keep, {{{2, 34, 47}}}, Inferred},
    {59, "R_CUDA_ABS16_32", Linker, V::Address, Slot, {{{0, 32, 16}}}},
    {60, "R_CUDA_ABS24_32", Linker, V::Address, ZeroValue, {{{0, 32, 24}}}},
    {61, "R_CUDA_FUNC_DESC32_32", LoaderFunction, V::Descriptor, Refuse, {{{0, 32, 32}}}, Inferred},
    {62, "R_CUDA_FUNC_DESC32_LO_32", LoaderFunction, V::Descriptor, Refuse,
     {{{0, 32, 32}}}, Inferred},
    {63, "R_CUDA_FUNC_DESC32_HI_32", LoaderFunction, V::Descriptor, Refuse,
     {{{32, 32, 32}}}, Inferred},
    {64, "R_CUDA_CONST_FIELD19_40", Linker, V::BankOffset, Slot, {{{2, 40, 14}, bank(0, 54, 5)}}},
    {65, "R_CUDA_BINDLESSOFF14_40", Linker, V::Address, Slot, {{{2, 40, 14}}}},
    {66, "R_CUDA_CONST_FIELD21_38", Linker, V::BankOffset, Slot, {{{0, 38, 16}, bank(0, 54, 5)}}},
    {67, "R_CUDA_INSTRUCTION128", Loader, V::Instruction, Keep, {{}}, Inferred},
    {68, "R_CUDA_YIELD_OPCODE9_0", Nobody, V::Instruction, Keep, {{{0, 0, 9}}}, Inferred},
    {69, "R_CUDA_YIELD_CLEAR_PRED4_87", Nobody, V::Instruction, Keep, {{{0, 87, 4}}}, Inferred},
    {70, "R_CUDA_32_LO", Linker, V::Address, Keep, {{{0, 0, 32}}}},
    {71, "R_CUDA_32_HI", Linker, V::Address, Keep, {{{32, 0, 32}}}},
    {72, "R_CUDA_UNUSED_CLEAR32", Clear, V::Zero, NullSymbol, {{{0, 0, 32}}}},
    {73, "R_CUDA_UNUSED_CLEAR64", Clear, V::Zero, NullSymbol, {{{0, 0, 64}}}},
    {74, "R_CUDA_ABS24_40", Linker, V::Address, ZeroValue, {{{0, 40, 24}}}},
    {75, "R_CUDA_ABS55_16_34", Loader, V::Address, Keep, {{{2, 16, 8}, {10, 34, 47}}}, Described},
    {76, "R_CUDA_8_0", Linker, V::Address, Keep, {{{0, 0, 8}}}},
    {77, "R_CUDA_8_8", Linker, V::Address, Keep, {{{8, 0, 8}}}, Measured, 0, false, true},
    {78, "R_CUDA_8_16", Linker, V::Address, Keep, {{{16, 0, 8}}}, Measured, 0, false, true},
    {79, "R_CUDA_8_24", Linker, V::Address, Keep, {{{24, 0, 8}}}, Measured, 0, false, true},
    {80, "R_CUDA_8_32", Linker, V::Address, Keep, {{{32, 0, 8}}}, Measured, 0, false, true},
    {81, "R_CUDA_8_40", Linker, V::Address, Keep, {{{40, 0, 8}}}, Measured, 0, false, true},
    {82, "R_CUDA_8_48", Linker, V::Address, Keep, {{{48, 0, 8}}}, Measured, 0, false, true},
    {83, "R_CUDA_8_56", Linker, V::Address, Keep, {{{56, 0, 8}}}, Measured, 0, false, true},
    {84, "R_CUDA_G8_0", Loader, V::Generic, Keep, {{{0, 0, 8}}}, Described},
    {85, "R_CUDA_G8_8", Loader, V::Generic, Keep, {{{8, 0, 8}}}, Described},
    {86, "R_CUDA_G8_16", Loader, V::Generic, Keep, {{{16, 0, 8}}}, Described},
    {87, "R_CUDA_G8_24", Loader, V::Generic, Keep, {{{24, 0, 8}}}, Described},
    {88, "R_CUDA_G8_32", Loader, V::Generic, Keep, {{{32, 0, 8}}}, Described},
    {89, "R_CUDA_G8_40", Loader, V::Generic, Keep, {{{40, 0, 8}}}, Described},
    {90, "R_CUDA_G8_48", Loader, V::Generic, Keep, {{{48, 0, 8}}}, Described},
    {91, "R_CUDA_G8_56", Loader, V::Generic, Keep, {{{56, 0, 8}}}, Described},
    {92, "R_CUDA_FUNC_DESC_8_0", Loader, V::Descriptor, Keep, {{{0, 0, 8}}}, Described},
    {93, "R_CUDA_FUNC_DESC_8_8", Loader, V::Descriptor, Keep, {{{8, 0, 8}}}, Described},
    {94, "R_CUDA_FUNC_DESC_8_16", Loader, V::Descriptor, Keep, {{{16, 0, 8}}}, Described},
    {95, "R_CUDA_FUNC_DESC_8_24", Loader, V::Descriptor, Keep, {{{24, 0, 8}}}, Described},
    {96, "R_CUDA_FUNC_DESC_8_32", Loader, V::Descriptor, Keep, {{{32, 0, 8}}}, Described},
    {97, "R_CUDA_FUNC_DESC_8_40", Loader, V::Descriptor, Keep, {{{40, 0, 8}}}, Described},
    {98, "R_CUDA_FUNC_DESC_8_48", Loader, V::Descriptor, Keep, {{{48, 0, 8}}}, Described},
    {99, "R_CUDA_FUNC_DESC_8_56", Loader, V::Descriptor, Keep, {{{56, 0, 8}}}, Described},
    {100, "R_CUDA_ABS20_44", Linker, V::Address, ZeroValue, {{{0, 44, 20}}}},
    {101, "R_CUDA_SAMP_HEADER_INDEX_0", Loader, V::HeaderIndex, Keep, {{{0, 0, 12}}}, Described},
    {102, "R_CUDA_UNIFIED", Linker, V::Unified, Keep, {{{0, 0, 64}}}, Measured, 2},
    {103, "R_CUDA_UNIFIED_32", Linker, V::Unified, Keep, {{{0, 0, 32}}}, Measured, 1},
    {104, "R_CUDA_UNIFIED_8_0", Linker, V::Unified, Keep, {{{0, 0, 8}}}, Measured, 76},
    {105, "R_CUDA_UNIFIED_8_8", Linker, V::Unified, Keep, {{{8, 0, 8}}}, Measured, 77, false, true},
    {106, "R_CUDA_UNIFIED_8_16", Linker, V::Unified, Keep,
     {{{16, 0, 8}}}, Measured, 78, false, true},
    {107, "R_CUDA_UNIFIED_8_24", Linker, V::Unified, Keep,
     {{{24, 0, 8}}}, Measured, 79, false, true},
    {108, "R_CUDA_UNIFIED_8_32", Linker, V::Unified, Keep,
     {{{32, 0, 8}}}, Measured, 80, false, true},
    {109, "R_CUDA_UNIFIED_8_40", Linker, V::Unified, Keep,
     {{{40, 0, 8}}}, Measured, 81, false, true},
    {110, "R_CUDA_UNIFIED_8_48", Linker, V::Unified, Keep,
     {{{48, 0, 8}}}, Measured, 82, false, true},
    {111, "R_CUDA_UNIFIED_8_56", Linker, V::Unified, Keep,
     {{{56, 0, 8}}}, Measured, 83, false, true},
    {112, "R_CUDA_UNIFIED32_LO_32", Linker, V::Unified, Keep, {{{0, 32, 32}}}, Measured, 56},
    {113, "R_CUDA_UNIFIED32_HI_32", Linker, V::Unified, Keep, {{{32, 32, 32}}}, Measured, 57},
    {114, "R_CUDA_ABS56_16_34", Loader, V::Address, Keep, {{{2, 16, 8}, {10, 34, 48}}}, Inferred},
    {115, "R_CUDA_CONST_FIELD22_37", Linker, V::BankOffset, Slot, {{{0, 37, 17}, bank(0, 54, 5)}}},
}};
// clang-format on

constexpr bool numbered_from_one() {
  for (u32 i = 0; i < kCudaRows.size(); ++i)
    if (kCudaRows[i].number != i + 1)
      return false;
  return true;
}
static_assert(numbered_from_one());

} // namespace

std::span<const RelocInfo> cuda_relocs() {
  return kCudaRows;
}

} // namespace culink::arch
