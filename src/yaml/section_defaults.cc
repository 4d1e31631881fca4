// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section's name nearly determines its header: .rela.text.f is a table of relocations for .text.f
// with the symbols of .symtab. Stating only what differs keeps documents short, and makes them
// editable: nobody has to renumber links. The rules are those of ptxas and nvlink 13.0; a file that
// follows others (an old ABI, another tool) has the fields written out.
//
// A Mercury counterpart .nv.merc.X has the header of X, with the Mercury flag, its own symbol
// table, and types of its own for tables. Its code is not .nv.merc.text.f but .nv.capmerc.text.f.
#include "yaml/section_defaults.h"

#include <algorithm>
#include <array>

#include "elf/elf_view.h"
#include "elf/header_rules.h"
#include "elf/names.h"

namespace culink::text {

using elf::SectionRole;
using elf::SectionType;

namespace {

constexpr std::string_view kMercury = ".nv.merc"; // and the name of the counterpart, with its dot
constexpr std::string_view kCapmerc = ".nv.capmerc";
constexpr std::string_view kMercurySymtab = ".nv.merc.symtab";

struct RelocationPrefix {
  std::string_view prefix;
  SectionType type;
};
// Longest first: .rela.x is not .rel of a section named a.x.
constexpr std::array<RelocationPrefix, 3> kRelocationPrefixes{{
    {".nv.resolvedrela", SectionType::CudaResolvedRela},
    {".rela", SectionType::Rela},
    {".rel", SectionType::Rel},
}};

const RelocationPrefix *relocation_prefix(std::string_view name) {
  for (const RelocationPrefix &row : kRelocationPrefixes)
    if (name.starts_with(row.prefix) && name.substr(row.prefix.size()).starts_with('.') &&
        name != ".rel.action")
      return &row;
  return nullptr;
}

// Whether a name is one that the rule is about, whatever the section's type.
bool rule_matches(const elf::SectionNameRule &rule, std::string_view name) {
  if (!name.starts_with(rule.name))
    return false;
  std::string_view rest = name.substr(rule.name.size());
  switch (rule.match) {
  case elf::NameMatch::Exact:
    return rest.empty();
  case elf::NameMatch::Owned:
    return rest.starts_with('.');
  case elf::NameMatch::ExactOrOwned:
    return rest.empty() || rest.starts_with('.');
  case elf::NameMatch::Prefix:
    return true;
  case elf::NameMatch::Numbered:
    return !rest.empty() && rest[0] >= '0' && rest[0] <= '9';
  }
  return false;
}

SectionType type_from_rules(std::string_view name, bool plain) {
  for (const elf::SectionNameRule &rule : elf::section_name_rules()) {
    if (!rule_matches(rule, name))
      continue;
    if (plain)
      return rule.plain_type;
    const u8 bank = elf::classify_section(name, rule.type, 0).bank;
    if (rule.match == elf::NameMatch::Numbered && bank != elf::kNoBank)
      return static_cast<SectionType>(static_cast<u32>(SectionType::CudaConstantB0) + bank);
    return rule.type;
  }
  return SectionType::Progbits;
}

std::string text_of(std::string_view owner, bool mercury) {
  return std::string(mercury ? ".nv.capmerc.text." : ".text.") + std::string(owner);
}

// The section that a relocation table is for.
std::string relocation_target(std::string_view name, bool mercury) {
  if (mercury && !name.starts_with(kMercury)) // the type alone says Mercury
    return {};
  if (mercury)
    name.remove_prefix(kMercury.size());
  const RelocationPrefix *row = relocation_prefix(name);
  if (!row)
    return {};
  const std::string_view target = name.substr(row->prefix.size());
  if (!mercury)
    return std::string(target);
  return std::string(target.starts_with(".text.") ? kCapmerc : kMercury) + std::string(target);
}

// sh_info where it is a section.
std::string info_section(const elf::HeaderRule &rule, std::string_view name,
                         const elf::SectionKind &kind, const FileFacts &file) {
  switch (rule.info) {
  case elf::HeaderInfo::OwnerText: // memory of Mercury code has its owner written out
    return kind.owner.empty() ? std::string()
                              : text_of(kind.owner, kind.mercury && kind.role == SectionRole::Info);
  case elf::HeaderInfo::Target:
    return relocation_target(name, kind.mercury);
  case elf::HeaderInfo::CompatOrNot:
    return file.has_compat ? ".nv.compat" : "";
  default:
    return {};
  }
}

std::string_view link_section(elf::HeaderLink link, bool mercury) {
  switch (link) {
  case elf::HeaderLink::Nothing:
    return "";
  case elf::HeaderLink::Strings:
    return ".strtab";
  case elf::HeaderLink::Symbols:
    return mercury ? kMercurySymtab : ".symtab";
  case elf::HeaderLink::TkinfoNote:
    return ".note.nv.tkinfo";
  }
  return "";
}

} // namespace

SectionType default_section_type(std::string_view name, elf::FileType file) {
  if (name.empty())
    return SectionType::Null;
  if (name.starts_with(kCapmerc) && name.substr(kCapmerc.size()).starts_with('.'))
    return SectionType::CudaCapmerc;
  if (name.starts_with(kMercury) && name.substr(kMercury.size()).starts_with('.'))
    return elf::mercury_type(
        default_section_type(name.substr(kMercury.size()), elf::FileType::Relocatable));
  if (const RelocationPrefix *row = relocation_prefix(name))
    return row->type;
  return type_from_rules(name, file == elf::FileType::Executable);
}

SectionDefaults section_defaults(std::string_view name, SectionType type, const FileFacts &file) {
  const elf::SectionKind kind = elf::classify_section(name, type, 0);
  SectionDefaults out;
  out.type = type;
  if (kind.mercury)
    out.flags = elf::kFlagMercury;
  const elf::HeaderRule *rule = elf::find_header_rule(kind.role);
  if (!rule)
    return out;
  out.align = rule->align;
  out.entsize = rule->entsize;
  if (const bool symbols = kind.role == SectionRole::SymbolTable;
      file.elf_class == elf::ElfClass::Elf32 && (symbols || kind.is_relocations())) {
    out.align = 4;
    out.entsize = symbols
                      ? elf::symbol_entry_size(file.elf_class)
                      : elf::relocation_entry_size(file.elf_class, kind.role != SectionRole::Rel);
  }
  out.link = link_section(rule->link, kind.mercury);
  out.info_section = info_section(*rule, name, kind, file);
  if (rule->info == elf::HeaderInfo::Function)
    out.info_symbol = kind.owner;
  const bool links = rule->info == elf::HeaderInfo::Target || !out.info_section.empty();
  out.flags |= rule->flags | (links ? elf::kFlagInfoLink : 0);
  return out;
}

} // namespace culink::text
