// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The section headers of ptxas and nvlink, by role of the section. YAML takes its defaults from
// here, and the verifier compares with them. The linker has separate values, so that the verifier
// detects its mistakes.
//
// A role that no tool was observed to write has no row: the verifier accepts any header.
#pragma once

#include <array>

#include "elf/section_kind.h"

namespace culink::elf {

enum class HeaderLink : u8 { Nothing, Strings, Symbols, TkinfoNote };
enum class HeaderInfo : u8 {
  Nothing,
  FirstGlobal, // of a symbol table
  Function,    // a symbol: the function with the code
  OwnerText,   // the code of the function in the name, if the name has one
  Target,      // the target section of the relocations
  CompatOrNot, // .note.nv.cuinfo: .nv.compat if it exists
};

struct HeaderRule {
  SectionRole role;
  u64 flags;
  u32 entsize;       // in a 64-bit file
  u32 align;         // the usual one
  HeaderLink link;   // Mercury sections link to the Mercury symbol table
  HeaderInfo info;   // with SHF_INFO_LINK where it is a section
  u32 least = 0;     // minimum alignment of a valid file; 0: any
  bool known = true; // false: too rare to know that other headers are wrong
};

inline constexpr std::array kHeaderRules = [] {
  using enum SectionRole;
  constexpr bool kRare = false;
  using L = HeaderLink;
  using I = HeaderInfo;
  constexpr u64 kConst = kFlagAlloc, kData = kFlagAlloc | kFlagWrite,
                kCode = kFlagAlloc | kFlagExec;
  return std::to_array<HeaderRule>({
      {Null, 0, 0, 0, L::Nothing, I::Nothing, 0, kRare},
      {StringTable, 0, 0, 1, L::Nothing, I::Nothing, 1},
      {SymbolTable, 0, 24, 8, L::Strings, I::FirstGlobal, 8},
      {SymbolIndices, 0, 4, 4, L::Symbols, I::Nothing, 4},
      {Rel, 0, 16, 8, L::Symbols, I::Target, 8},
      {Rela, 0, 24, 8, L::Symbols, I::Target, 8},
      {ResolvedRela, 0, 24, 8, L::Symbols, I::Target, 8},
      {Text, kCode, 0, 128, L::Symbols, I::Function, 16},
      {CapmercText, 0, 0, 16, L::Symbols, I::Function, 16},
      {Info, 0, 0, 4, L::Symbols, I::OwnerText, 4},
      {Callgraph, 0, 8, 4, L::Symbols, I::Nothing, 4},
      {Prototype, 0, 8, 4, L::Symbols, I::Nothing, 4},
      {Compat, 0, 0, 4, L::Nothing, I::Nothing, 4},
      {RelAction, 0, 8, 8, L::Nothing, I::Nothing, 8},
      {NoteTkinfo, kFlagTkinfoNote, 0, 4, L::Nothing, I::Nothing, 4},
      {NoteCuinfo, kFlagCuinfoNote, 0, 4, L::TkinfoNote, I::CompatOrNot, 4},
      {NoteCuver, 0, 0, 4, L::Nothing, I::Nothing, 0, kRare},
      {Note, 0, 0, 4, L::Nothing, I::Nothing, 0, kRare},
      {Constant, kConst, 0, 4, L::Nothing, I::OwnerText},
      {ConstantNamed, kConst, 0, 4, L::Nothing, I::OwnerText},
      {Global, kData, 0, 4, L::Nothing, I::Nothing},
      {GlobalInit, kData, 0, 4, L::Nothing, I::Nothing},
      {Local, kData, 0, 4, L::Nothing, I::OwnerText, 0, kRare},
      {Shared, kData, 0, 4, L::Nothing, I::OwnerText},
      {DebugShared, kData, 0, 4, L::Nothing, I::Nothing},
      {ReservedShared, kData, 0, 4, L::Nothing, I::Nothing},
      {Dwarf, 0, 0, 1, L::Nothing, I::Nothing},
      {NvDebug, 0, 0, 1, L::Nothing, I::Nothing},
  });
}();

// Returns the rule of a role, or null. Uses an index: files have a hundred thousand sections.
[[nodiscard]] inline const HeaderRule *find_header_rule(SectionRole role) {
  static constexpr std::array<u8, kSectionRoleCount> kRowOfRole = [] {
    std::array<u8, kSectionRoleCount> rows{}; // row number plus 1; 0: none
    for (u8 i = 0; i < kHeaderRules.size(); ++i)
      rows[static_cast<u8>(kHeaderRules[i].role)] = i + 1;
    return rows;
  }();
  const u8 row = kRowOfRole[static_cast<u8>(role)];
  return row == 0 ? nullptr : &kHeaderRules[row - 1];
}

} // namespace culink::elf
