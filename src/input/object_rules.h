// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules about names of sections and about memory spaces, for check_object.cc.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "elf/elf_view.h"
#include "elf/section_kind.h"

namespace culink {

// Sections of these kinds are merged by name, so their names must be of the kind. Those without
// bytes in the file may claim any size, and must be of one of these kinds.
struct RoleName {
  elf::SectionRole role;
  std::string_view prefix;
};
inline constexpr std::array<RoleName, 9> kRoleNames = {{
    {elf::SectionRole::Text, ".text."},
    {elf::SectionRole::Info, ".nv.info"},
    {elf::SectionRole::Constant, ".nv.constant"},
    {elf::SectionRole::ConstantNamed, ".nv.constant."},
    {elf::SectionRole::GlobalInit, ".nv.global.init"},
    {elf::SectionRole::Global, ".nv.global"},
    {elf::SectionRole::Shared, ".nv.shared."},
    {elf::SectionRole::DebugShared, ".nv_debug.shared"},
    {elf::SectionRole::Local, ".nv.local."},
}};
inline constexpr std::array<std::string_view, elf::kSectionRoleCount> kPrefixOfRole = [] {
  std::array<std::string_view, elf::kSectionRoleCount> prefixes;
  for (const RoleName &row : kRoleNames)
    prefixes[static_cast<u8>(row.role)] = row.prefix;
  return prefixes;
}();

// Whether a text is the number of a bank, alone or followed by a dot.
inline bool starts_with_bank(std::string_view text, u8 bank) {
  if (bank >= 10) {
    if (!text.starts_with(static_cast<char>('0' + bank / 10)))
      return false;
    text.remove_prefix(1);
  }
  return text.starts_with(static_cast<char>('0' + bank % 10)) &&
         (text.size() == 1 || text[1] == '.');
}

inline bool name_fits(const elf::Section &section, const elf::SectionKind &kind) {
  if (kind.role == elf::SectionRole::ReservedShared)
    return section.name.starts_with(".nv.shared.reserved.") ||
           section.name.starts_with(".nv.reservedSmem");
  const std::string_view prefix = kPrefixOfRole[static_cast<u8>(kind.role)];
  if (prefix.empty())
    return !section.no_data();
  return section.name.starts_with(prefix) &&
         (kind.role != elf::SectionRole::Constant ||
          starts_with_bank(section.name.substr(prefix.size()), kind.bank));
}

// Whether the name is known, as that of a section of another type.
inline bool has_known_name(std::string_view name, elf::SectionRole role) {
  return name.starts_with(".rel") ||
         std::any_of(elf::section_name_rules().begin(), elf::section_name_rules().end(),
                     [name, role](const elf::SectionNameRule &rule) {
                       const bool whole = rule.match == elf::NameMatch::Exact;
                       return rule.role != role &&
                              (whole ? name == rule.name : name.starts_with(rule.name));
                     });
}

// Whether a table of relocations has the name that goes with the section it is for.
inline bool is_table_of(const elf::Section &table, std::string_view target) {
  const bool rela = table.type == elf::SectionType::Rela;
  return table.name.starts_with(".rel") && (!rela || table.name.substr(4).starts_with('a')) &&
         table.name.substr(rela ? 5 : 4) == target;
}

// Memory spaces: the sections that variables may be in, and their st_other.
struct SpaceRow {
  elf::SectionRole role;
  u8 other; // 0: anything
};
inline constexpr std::array<SpaceRow, 13> kSpaces = {{
    {elf::SectionRole::Constant, elf::kOtherConstant},
    {elf::SectionRole::ConstantNamed, elf::kOtherConstant},
    {elf::SectionRole::Global, elf::kOtherGlobal},
    {elf::SectionRole::GlobalInit, elf::kOtherGlobal},
    {elf::SectionRole::Shared, elf::kOtherShared},
    {elf::SectionRole::DebugShared, elf::kOtherShared},
    {elf::SectionRole::ReservedShared, 0},
    {elf::SectionRole::Local, 0},
    {elf::SectionRole::Host, 0},
    {elf::SectionRole::Uft, 0},
    {elf::SectionRole::UftEntry, 0},
    {elf::SectionRole::Udt, 0},
    {elf::SectionRole::UdtEntry, 0},
}};
inline constexpr std::array<const SpaceRow *, elf::kSectionRoleCount> kSpaceOfRole = [] {
  std::array<const SpaceRow *, elf::kSectionRoleCount> rows{};
  for (const SpaceRow &row : kSpaces)
    rows[static_cast<u8>(row.role)] = &row;
  return rows;
}();

} // namespace culink
