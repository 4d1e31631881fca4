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

// Roles that have the same header.
enum class Shape : u8 {
  Plain,
  Null,
  SymbolTable,
  SymbolIndices,
  Relocations,
  Text,
  Capmerc,
  Info,
  Pairs,
  Actions,
  Notes,
  Constants,
  Memory,
  Words,
};
struct ShapeRow {
  SectionRole role;
  Shape shape;
};
constexpr std::array<ShapeRow, 25> kShapes{{
    {SectionRole::Null, Shape::Null},
    {SectionRole::SymbolTable, Shape::SymbolTable},
    {SectionRole::SymbolIndices, Shape::SymbolIndices},
    {SectionRole::Rel, Shape::Relocations},
    {SectionRole::Rela, Shape::Relocations},
    {SectionRole::ResolvedRela, Shape::Relocations},
    {SectionRole::Text, Shape::Text},
    {SectionRole::CapmercText, Shape::Capmerc},
    {SectionRole::Info, Shape::Info},
    {SectionRole::Callgraph, Shape::Pairs},
    {SectionRole::Prototype, Shape::Pairs},
    {SectionRole::RelAction, Shape::Actions},
    {SectionRole::NoteTkinfo, Shape::Notes},
    {SectionRole::NoteCuinfo, Shape::Notes},
    {SectionRole::NoteCuver, Shape::Notes},
    {SectionRole::Note, Shape::Notes},
    {SectionRole::Constant, Shape::Constants},
    {SectionRole::ConstantNamed, Shape::Constants},
    {SectionRole::Global, Shape::Memory},
    {SectionRole::GlobalInit, Shape::Memory},
    {SectionRole::Local, Shape::Memory},
    {SectionRole::Shared, Shape::Memory},
    {SectionRole::DebugShared, Shape::Memory},
    {SectionRole::ReservedShared, Shape::Memory},
    {SectionRole::Compat, Shape::Words},
}};

Shape shape_of(SectionRole role) {
  for (const ShapeRow &row : kShapes)
    if (row.role == role)
      return row.shape;
  return Shape::Plain;
}

void set_memory_space(SectionDefaults &out, u64 flags, const elf::SectionKind &kind) {
  out.flags = flags;
  out.align = 4;
  if (kind.owner.empty())
    return;
  out.flags |= elf::kFlagInfoLink;
  out.info_section = text_of(kind.owner, false);
}

void set_table(SectionDefaults &out, u64 align, u64 entsize, std::string_view link) {
  out.align = align;
  out.entsize = entsize;
  out.link = link;
}

void set_relocations(SectionDefaults &out, std::string_view name, const elf::SectionKind &kind,
                     bool wide, std::string_view symtab) {
  const bool rela = kind.role != SectionRole::Rel;
  set_table(out, wide ? 8 : 4, wide ? (rela ? 24 : 16) : (rela ? 12 : 8), symtab);
  out.flags = elf::kFlagInfoLink;
  out.info_section = relocation_target(name, kind.mercury);
}

void set_info(SectionDefaults &out, const elf::SectionKind &kind, std::string_view symtab) {
  set_table(out, 4, 0, symtab);
  if (kind.owner.empty())
    return;
  out.flags = elf::kFlagInfoLink;
  out.info_section = text_of(kind.owner, kind.mercury);
}

void set_notes(SectionDefaults &out, SectionRole role, const FileFacts &file) {
  out.align = 4;
  if (role == SectionRole::NoteTkinfo)
    out.flags = elf::kFlagTkinfoNote;
  if (role != SectionRole::NoteCuinfo)
    return;
  out.flags = elf::kFlagCuinfoNote;
  out.link = ".note.nv.tkinfo";
  if (file.has_compat) {
    out.flags |= elf::kFlagInfoLink;
    out.info_section = ".nv.compat";
  }
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
  const bool wide = file.elf_class == elf::ElfClass::Elf64;
  const std::string_view symtab = kind.mercury ? kMercurySymtab : ".symtab";
  SectionDefaults out;
  out.type = type;
  switch (shape_of(kind.role)) {
  case Shape::Plain:
    break;
  case Shape::Null:
    out.align = 0;
    break;
  case Shape::SymbolTable:
    set_table(out, wide ? 8 : 4, wide ? 24 : 16, ".strtab");
    break;
  case Shape::SymbolIndices:
    set_table(out, 4, 4, symtab);
    break;
  case Shape::Relocations:
    set_relocations(out, name, kind, wide, symtab);
    break;
  case Shape::Text:
    out.flags = elf::kFlagAlloc | elf::kFlagExec;
    set_table(out, 128, 0, symtab);
    out.info_symbol = kind.owner;
    break;
  case Shape::Capmerc:
    set_table(out, 16, 0, kMercurySymtab);
    out.info_symbol = kind.owner;
    break;
  case Shape::Info:
    set_info(out, kind, symtab);
    break;
  case Shape::Pairs:
    set_table(out, 4, 8, symtab);
    break;
  case Shape::Actions:
    set_table(out, 8, 8, "");
    break;
  case Shape::Notes:
    set_notes(out, kind.role, file);
    break;
  case Shape::Constants:
    set_memory_space(out, elf::kFlagAlloc, kind);
    break;
  case Shape::Memory:
    set_memory_space(out, elf::kFlagAlloc | elf::kFlagWrite, kind);
    break;
  case Shape::Words:
    out.align = 4;
    break;
  }
  if (kind.mercury || kind.role == SectionRole::CapmercText)
    out.flags |= elf::kFlagMercury;
  return out;
}

} // namespace culink::text
