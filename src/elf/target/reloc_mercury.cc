// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The R_MERCURY_* rows, for .nv.merc.rela.* sections. The numbers are not R_CUDA_* plus 0x10000:
// one number corresponds to several on the SASS side, where the instruction determines the field.
// No tool prints names for these numbers. The names are ours and describe the observed effect; the
// UNNAMED numbers were never observed.
//
// What may surprise: in .nv.merc.rela.text.* the offsets refer to the expanded capsule, so they
// exceed the section's bytes. The pieces are only valid in data and debug sections.
#include "elf/target/reloc.h"

namespace culink::arch {
namespace {

using enum Resolver;
using enum ImageAction;
using enum Evidence;
using V = ValueKind;

// Most rows only differ in their first columns.
constexpr RelocInfo row(u32 number, std::string_view name, Resolver resolver, ValueKind value,
                        RelocPiece piece, SassNumbers sass, u32 kept_as = 0,
                        ImageAction image = Keep, Evidence evidence = Inferred) {
  return {.number = number,
          .name = name,
          .resolver = resolver,
          .value = value,
          .image = image,
          .pieces = {{piece}},
          .evidence = evidence,
          .kept_as = kept_as,
          .sass = sass};
}

// Columns: number, name, resolver, value, piece {value bit, word bit, width}, R_CUDA_* numbers on
// the SASS side {code, data, constant operand, kernel, __UFT_OFFSET}, number when kept in an
// executable, images, evidence.
// clang-format off
constexpr std::array<RelocInfo, 63> kMercuryRows{{
    row(0x10001, "R_MERCURY_G64", Loader, V::Generic, {0, 0, 64}, {0, 4}),
    row(0x10002, "R_MERCURY_ABS64", Linker, V::Address,
        {0, 0, 64}, {75, 2, 0, 0, 114}, 0, Keep, Measured),
    row(0x10003, "R_MERCURY_ABS32", Linker, V::Address,
        {0, 0, 32}, {55, 1, 115}, 0, Slot, Measured),
    row(0x10004, "R_MERCURY_ABS16", Linker, V::Address, {0, 0, 16}, {59, 0, 66}, 0, Slot),
    row(0x10005, "R_MERCURY_ABS32_LO", Loader, V::Address, {0, 0, 32}, {56, 56, 0, 62}),
    row(0x10006, "R_MERCURY_ABS32_HI", Loader, V::Address, {32, 0, 32}, {57, 57, 0, 63}),
    row(0x10007, "R_MERCURY_CODE_OFFSET64", Loader, V::CodeOffset, {0, 0, 64}, {}),
    row(0x10008, "R_MERCURY_CODE_OFFSET32", Loader, V::CodeOffset, {0, 0, 32}, {}),
    row(0x10009, "R_MERCURY_UNNAMED_09", Loader, V::Unknown, {}, {}),
    row(0x1000a, "R_MERCURY_UNNAMED_0A", Loader, V::Unknown, {}, {}),
    row(0x1000b, "R_MERCURY_TEX_HEADER_INDEX", Loader, V::HeaderIndex, {}, {0, 6}),
    row(0x1000c, "R_MERCURY_SAMP_HEADER_INDEX", Loader, V::HeaderIndex, {}, {0, 101}),
    row(0x1000d, "R_MERCURY_SURF_HEADER_INDEX", Loader, V::HeaderIndex, {}, {0, 52}),
    row(0x1000e, "R_MERCURY_UNUSED_CLEAR64", Clear, V::Zero,
        {0, 0, 64}, {0, 73}, 0, NullSymbol, Measured),
    row(0x1000f, "R_MERCURY_FUNC_DESC_64", LoaderFunction, V::Descriptor,
        {0, 0, 64}, {0, 35}, 0, Refuse),
    row(0x10010, "R_MERCURY_8_0", Linker, V::Address, {0, 0, 8}, {0, 76}),
    row(0x10011, "R_MERCURY_8_8", Linker, V::Address, {8, 0, 8}, {0, 77}),
    row(0x10012, "R_MERCURY_8_16", Linker, V::Address, {16, 0, 8}, {0, 78}),
    row(0x10013, "R_MERCURY_8_24", Linker, V::Address, {24, 0, 8}, {0, 79}),
    row(0x10014, "R_MERCURY_8_32", Linker, V::Address, {32, 0, 8}, {0, 80}),
    row(0x10015, "R_MERCURY_8_40", Linker, V::Address, {40, 0, 8}, {0, 81}),
    row(0x10016, "R_MERCURY_8_48", Linker, V::Address, {48, 0, 8}, {0, 82}),
    row(0x10017, "R_MERCURY_8_56", Linker, V::Address, {56, 0, 8}, {0, 83}),
    row(0x10018, "R_MERCURY_G8_0", Loader, V::Generic, {0, 0, 8}, {0, 84}),
    row(0x10019, "R_MERCURY_G8_8", Loader, V::Generic, {8, 0, 8}, {0, 85}),
    row(0x1001a, "R_MERCURY_G8_16", Loader, V::Generic, {16, 0, 8}, {0, 86}),
    row(0x1001b, "R_MERCURY_G8_24", Loader, V::Generic, {24, 0, 8}, {0, 87}),
    row(0x1001c, "R_MERCURY_G8_32", Loader, V::Generic, {32, 0, 8}, {0, 88}),
    row(0x1001d, "R_MERCURY_G8_40", Loader, V::Generic, {40, 0, 8}, {0, 89}),
    row(0x1001e, "R_MERCURY_G8_48", Loader, V::Generic, {48, 0, 8}, {0, 90}),
    row(0x1001f, "R_MERCURY_G8_56", Loader, V::Generic, {56, 0, 8}, {0, 91}),
    row(0x10020, "R_MERCURY_FUNC_DESC_8_0", Loader, V::Descriptor, {0, 0, 8}, {0, 92}),
    row(0x10021, "R_MERCURY_FUNC_DESC_8_8", Loader, V::Descriptor, {8, 0, 8}, {0, 93}),
    row(0x10022, "R_MERCURY_FUNC_DESC_8_16", Loader, V::Descriptor, {16, 0, 8}, {0, 94}),
    row(0x10023, "R_MERCURY_FUNC_DESC_8_24", Loader, V::Descriptor, {24, 0, 8}, {0, 95}),
    row(0x10024, "R_MERCURY_FUNC_DESC_8_32", Loader, V::Descriptor, {32, 0, 8}, {0, 96}),
    row(0x10025, "R_MERCURY_FUNC_DESC_8_40", Loader, V::Descriptor, {40, 0, 8}, {0, 97}),
    row(0x10026, "R_MERCURY_FUNC_DESC_8_48", Loader, V::Descriptor, {48, 0, 8}, {0, 98}),
    row(0x10027, "R_MERCURY_FUNC_DESC_8_56", Loader, V::Descriptor, {56, 0, 8}, {0, 99}),
    row(0x10028, "R_MERCURY_CODE_ADDRESS32_LO", Loader, V::CodeAddress, {0, 0, 32}, {56}),
    row(0x10029, "R_MERCURY_CODE_ADDRESS32_HI", Loader, V::CodeAddress, {32, 0, 32}, {57}),
    row(0x1002a, "R_MERCURY_UNNAMED_2A", Loader, V::Unknown, {}, {}),
    row(0x1002b, "R_MERCURY_UNNAMED_2B", Loader, V::Unknown, {}, {}),
    row(0x1002c, "R_MERCURY_UNNAMED_2C", Loader, V::Unknown, {}, {}),
    row(0x1002d, "R_MERCURY_UNNAMED_2D", Loader, V::Unknown, {}, {}),
    row(0x1002e, "R_MERCURY_UNNAMED_2E", Loader, V::Unknown, {}, {}),
    row(0x1002f, "R_MERCURY_UNNAMED_2F", Loader, V::Unknown, {}, {}),
    row(0x10030, "R_MERCURY_UNNAMED_30", Loader, V::Unknown, {}, {}),
    row(0x10031, "R_MERCURY_UNNAMED_31", Loader, V::Unknown, {}, {}),
    row(0x10032, "R_MERCURY_UNIFIED", Linker, V::Unified, {0, 0, 64}, {0, 102}, 0x10002),
    row(0x10033, "R_MERCURY_UNIFIED_32", Linker, V::Unified, {0, 0, 32}, {0, 103}, 0x10003),
    row(0x10034, "R_MERCURY_UNIFIED_8_0", Linker, V::Unified, {0, 0, 8}, {0, 104}, 0x10010),
    row(0x10035, "R_MERCURY_UNIFIED_8_8", Linker, V::Unified, {8, 0, 8}, {0, 105}, 0x10011),
    row(0x10036, "R_MERCURY_UNIFIED_8_16", Linker, V::Unified, {16, 0, 8}, {0, 106}, 0x10012),
    row(0x10037, "R_MERCURY_UNIFIED_8_24", Linker, V::Unified, {24, 0, 8}, {0, 107}, 0x10013),
    row(0x10038, "R_MERCURY_UNIFIED_8_32", Linker, V::Unified, {32, 0, 8}, {0, 108}, 0x10014),
    row(0x10039, "R_MERCURY_UNIFIED_8_40", Linker, V::Unified, {40, 0, 8}, {0, 109}, 0x10015),
    row(0x1003a, "R_MERCURY_UNIFIED_8_48", Linker, V::Unified, {48, 0, 8}, {0, 110}, 0x10016),
    row(0x1003b, "R_MERCURY_UNIFIED_8_56", Linker, V::Unified, {56, 0, 8}, {0, 111}, 0x10017),
    row(0x1003c, "R_MERCURY_CODE_ADDRESS32", Linker, V::CodeAddress, {0, 0, 32}, {0, 1}),
    row(0x1003d, "R_MERCURY_CODE_ADDRESS64", Linker, V::CodeAddress, {0, 0, 64}, {0, 2}),
    row(0x1003e, "R_MERCURY_UNIFIED32_LO", Loader, V::Unified,
        {0, 0, 32}, {112, 0, 0, 62}, 0x10005),
    row(0x1003f, "R_MERCURY_UNIFIED32_HI", Loader, V::Unified,
        {32, 0, 32}, {113, 0, 0, 63}, 0x10006),
}};
// clang-format on

constexpr bool numbered_in_a_row() {
  for (u32 i = 0; i < kMercuryRows.size(); ++i)
    if (kMercuryRows[i].number != kFirstMercuryReloc + i)
      return false;
  return true;
}
static_assert(numbered_in_a_row());

} // namespace

std::span<const RelocInfo> mercury_relocs() {
  return kMercuryRows;
}

} // namespace culink::arch
