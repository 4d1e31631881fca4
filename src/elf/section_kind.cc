// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kind of a section. Device ELF encodes it in the name, in sh_type and in sh_flags, which do
// not always agree. Objects have NVIDIA's types; in an executable the memory spaces become plain
// PROGBITS and NOBITS, so that only the name shows the kind; tools of other vendors may use other
// names. One table lists names with the permitted types of each, another one lists types for all
// other sections.
//
// What may surprise: the Mercury mirror of a section X is .nv.merc plus the name of X, with a
// different type if X is a table; it is classified as X. Functions may have any name, so the table
// is ordered: a rule with a longer name precedes the rule that would parse its rest as an owner.
#include "elf/section_kind.h"

#include <array>

#include "elf/elf_view.h"
#include "elf/names.h"
#include "support/bytes.h"

namespace culink::elf {
namespace {

using enum NameMatch;
using T = SectionType;

constexpr u8 bank_of(ConstantUse use) {
  return static_cast<u8>(use);
}

// Per-function rules come first: most sections of a large cubin match them.
constexpr std::array<SectionNameRule, 58> kNameRules{{
    {".text", ExactOrOwned, SectionRole::Text, T::Progbits, T::Progbits},
    {".nv.info", ExactOrOwned, SectionRole::Info, T::CudaInfo, T::CudaInfo},
    {".nv.constant.entry_params", ExactOrOwned, SectionRole::ConstantNamed,
     T::MercuryConstantParams, T::Progbits, bank_of(ConstantUse::EntryParams)},
    {".nv.constant.entry_image_header_indices", ExactOrOwned, SectionRole::ConstantNamed,
     T::MercuryConstantImgHdr, T::Progbits, bank_of(ConstantUse::ImageHeaders)},
    {".nv.constant.driver", ExactOrOwned, SectionRole::ConstantNamed, T::MercuryConstantDriver,
     T::Progbits, bank_of(ConstantUse::Driver)},
    {".nv.constant.optimizer", ExactOrOwned, SectionRole::ConstantNamed, T::MercuryConstantOpt,
     T::Progbits, bank_of(ConstantUse::Optimizer)},
    {".nv.constant.user", ExactOrOwned, SectionRole::ConstantNamed, T::MercuryConstantUser,
     T::Progbits, bank_of(ConstantUse::User)},
    {".nv.constant.pic", ExactOrOwned, SectionRole::ConstantNamed, T::MercuryConstantPic,
     T::Progbits, bank_of(ConstantUse::Pic)},
    {".nv.constant.tools_data", ExactOrOwned, SectionRole::ConstantNamed, T::MercuryConstantTools,
     T::Progbits, bank_of(ConstantUse::Tools)},
    {".nv.constant", Numbered, SectionRole::Constant, T::CudaConstant, T::Progbits},
    {".nv.shared.reserved.", Prefix, SectionRole::ReservedShared, T::CudaReservedShared, T::Nobits},
    {".nv.shared", ExactOrOwned, SectionRole::Shared, T::CudaShared, T::Nobits},
    {".nv.local", ExactOrOwned, SectionRole::Local, T::CudaLocal, T::Nobits},
    {".nv.uft.rel", ExactOrOwned, SectionRole::UftRel, T::CudaUft, T::Progbits},
    {".shstrtab", Exact, SectionRole::StringTable, T::Strtab, T::Strtab},
    {".strtab", Exact, SectionRole::StringTable, T::Strtab, T::Strtab},
    {".symtab", Exact, SectionRole::SymbolTable, T::Symtab, T::Symtab},
    {".symtab_shndx", Exact, SectionRole::SymbolIndices, T::SymtabShndx, T::SymtabShndx},
    {".nv.callgraph", Exact, SectionRole::Callgraph, T::CudaCallgraph, T::CudaCallgraph},
    {".nv.prototype", Exact, SectionRole::Prototype, T::CudaPrototype, T::CudaPrototype},
    {".nv.metadata", Exact, SectionRole::Metadata, T::CudaMetadata, T::CudaMetadata},
    {".nv.compat", Exact, SectionRole::Compat, T::CudaCompat, T::CudaCompat},
    {".nv.rel.action", Exact, SectionRole::RelAction, T::CudaRelocInfo, T::CudaRelocInfo},
    {".note.nv.tkinfo", Exact, SectionRole::NoteTkinfo, T::Note, T::Note},
    {".note.nv.cuinfo", Exact, SectionRole::NoteCuinfo, T::Note, T::Note},
    {".note.nv.cuver", Exact, SectionRole::NoteCuver, T::Note, T::Note},
    {".nv.global", Exact, SectionRole::Global, T::CudaGlobal, T::Nobits},
    {".nv.global.init", Exact, SectionRole::GlobalInit, T::CudaGlobalInit, T::Progbits},
    {".nv.host", Exact, SectionRole::Host, T::CudaHost, T::Progbits},
    {".nv_debug.shared", Exact, SectionRole::DebugShared, T::CudaShared, T::Nobits},
    {".nv.reservedSmem", Exact, SectionRole::ReservedShared, T::CudaReservedShared, T::Nobits},
    {".nv.reservedSmem.begin", Exact, SectionRole::ReservedShared, T::CudaReservedShared,
     T::Nobits},
    {".nv.reservedSmem.cap", Exact, SectionRole::ReservedShared, T::CudaReservedShared, T::Nobits},
    {".nv.reservedSmem.end", Exact, SectionRole::ReservedShared, T::CudaReservedShared, T::Nobits},
    {".nv.reservedSmem.offset0", Exact, SectionRole::ReservedShared, T::CudaReservedShared,
     T::Nobits},
    {".nv.reservedSmem.offset1", Exact, SectionRole::ReservedShared, T::CudaReservedShared,
     T::Nobits},
    {".nv.uft", Exact, SectionRole::Uft, T::CudaUft, T::Progbits},
    {".nv.uft.entry", Exact, SectionRole::UftEntry, T::CudaUftEntry, T::Progbits},
    {".nv.udt", Exact, SectionRole::Udt, T::CudaUdt, T::Progbits},
    {".nv.udt.entry", Exact, SectionRole::UdtEntry, T::CudaUdtEntry, T::Progbits},
    {".nv.uidx", Exact, SectionRole::Uidx, T::CudaUidx, T::Progbits},
    {".nv.unified.texrefDescSize", Exact, SectionRole::DescriptorSize, T::Progbits, T::Progbits},
    {".nv.independent.texrefDescSize", Exact, SectionRole::DescriptorSize, T::Progbits,
     T::Progbits},
    {".nv.independent.samplerrefDescSize", Exact, SectionRole::DescriptorSize, T::Progbits,
     T::Progbits},
    {".nv.surfrefDescSize", Exact, SectionRole::DescriptorSize, T::Progbits, T::Progbits},
    {".nv.ptx.const0.size", Exact, SectionRole::PtxConstSize, T::Progbits, T::Progbits},
    {".debug_", Prefix, SectionRole::Dwarf, T::Progbits, T::Progbits},
    {".nv_debug_", Prefix, SectionRole::NvDebug, T::Progbits, T::Progbits},
    {".nvHRKE", Exact, SectionRole::HostReferences, T::Progbits, T::Progbits},
    {".nvHRKI", Exact, SectionRole::HostReferences, T::Progbits, T::Progbits},
    {".nvHRDE", Exact, SectionRole::HostReferences, T::Progbits, T::Progbits},
    {".nvHRDI", Exact, SectionRole::HostReferences, T::Progbits, T::Progbits},
    {".nvHRCE", Exact, SectionRole::HostReferences, T::Progbits, T::Progbits},
    {".nvHRCI", Exact, SectionRole::HostReferences, T::Progbits, T::Progbits},
    {".nvFatBinSegment", Exact, SectionRole::FatbinSegment, T::Progbits, T::Progbits},
    {".nv_fatbin", Exact, SectionRole::Fatbin, T::Progbits, T::Progbits},
    {"__nv_relfatbin", Exact, SectionRole::RelocatableFatbin, T::Progbits, T::Progbits},
    {"__nv_module_id", Exact, SectionRole::ModuleId, T::Progbits, T::Progbits},
}};

// The kind that a type determines by itself. Constant banks are computed: type - 0x70000064.
struct TypeRule {
  SectionType type;
  SectionRole role;
};
constexpr std::array<TypeRule, 27> kTypeRules{{
    {T::Rela, SectionRole::Rela},
    {T::Rel, SectionRole::Rel},
    {T::Null, SectionRole::Null},
    {T::Symtab, SectionRole::SymbolTable},
    {T::Strtab, SectionRole::StringTable},
    {T::Note, SectionRole::Note},
    {T::SymtabShndx, SectionRole::SymbolIndices},
    {T::CudaInfo, SectionRole::Info},
    {T::CudaCallgraph, SectionRole::Callgraph},
    {T::CudaPrototype, SectionRole::Prototype},
    {T::CudaResolvedRela, SectionRole::ResolvedRela},
    {T::CudaMetadata, SectionRole::Metadata},
    {T::CudaGlobal, SectionRole::Global},
    {T::CudaGlobalInit, SectionRole::GlobalInit},
    {T::CudaLocal, SectionRole::Local},
    {T::CudaShared, SectionRole::Shared},
    {T::CudaRelocInfo, SectionRole::RelAction},
    {T::CudaMercury, SectionRole::MercuryText},
    {T::CudaMercurySassMap, SectionRole::MercurySassMap},
    {T::CudaUft, SectionRole::Uft},
    {T::CudaUidx, SectionRole::Uidx},
    {T::CudaUftEntry, SectionRole::UftEntry},
    {T::CudaUdt, SectionRole::Udt},
    {T::CudaUdtEntry, SectionRole::UdtEntry},
    {T::CudaReservedShared, SectionRole::ReservedShared},
    {T::CudaCompat, SectionRole::Compat},
    {T::CudaHost, SectionRole::Host},
}};

constexpr std::string_view kMercuryPrefix = ".nv.merc"; // the mirrored name follows, with its dot
constexpr std::string_view kCapmercPrefix = ".nv.capmerc";

// Longest first: .rela.text.f must not be taken for the .rel section of a target "a.text.f".
constexpr std::array<std::string_view, 3> kRelocationPrefixes{".nv.resolvedrela", ".rela", ".rel"};

constexpr std::array<std::string_view, kSectionRoleCount> kRoleNames{
    "unknown",
    "null",
    "string-table",
    "symbol-table",
    "symbol-indices",
    "rel",
    "rela",
    "resolved-rela",
    "text",
    "capmerc-text",
    "mercury-text",
    "mercury-map",
    "info",
    "callgraph",
    "prototype",
    "metadata",
    "compat",
    "rel-action",
    "note-tkinfo",
    "note-cuinfo",
    "note-cuver",
    "note",
    "constant",
    "constant-named",
    "global",
    "global-init",
    "local",
    "shared",
    "debug-shared",
    "reserved-shared",
    "host",
    "uft",
    "uft-entry",
    "uft-rel",
    "udt",
    "udt-entry",
    "uidx",
    "descriptor-size",
    "ptx-const-size",
    "dwarf",
    "nv-debug",
    "host-references",
    "fatbin-segment",
    "fatbin",
    "relocatable-fatbin",
    "module-id",
};

constexpr u32 kFirstBankType = static_cast<u32>(T::CudaConstantB0);

// Returns the bank of a constant section's type, numbered or named.
std::optional<u8> bank_of_type(SectionType type) {
  const u32 bank = static_cast<u32>(type) - kFirstBankType;
  if (bank <= kLastConstantBank ||
      (bank >= bank_of(ConstantUse::EntryParams) && bank <= bank_of(ConstantUse::Tools)))
    return static_cast<u8>(bank);
  return std::nullopt;
}

// Returns the bank number at the start of `text`, and its length; "07" and "18" are not banks.
std::optional<std::pair<u8, size_t>> leading_bank(std::string_view text) {
  size_t digits = 0;
  u32 number = 0;
  while (digits < text.size() && digits < 3 && text[digits] >= '0' && text[digits] <= '9')
    number = number * 10 + static_cast<u32>(text[digits++] - '0');
  if (digits == 0 || number > kLastConstantBank || (digits > 1 && text[0] == '0'))
    return std::nullopt;
  return std::pair{static_cast<u8>(number), digits};
}

// Returns the owner after a rule's name: the rest must be empty, or a dot and the owner.
std::optional<std::string_view> owner_in(std::string_view rest, NameMatch match) {
  if (rest.empty() && match != Owned)
    return rest;
  if (rest.starts_with('.') && match != Exact)
    return rest.substr(1);
  return std::nullopt;
}

bool is_bank_type(SectionType type) {
  return static_cast<u32>(type) - kFirstBankType <= kLastConstantBank;
}

bool rule_allows(const SectionNameRule &rule, SectionType type) {
  return type == rule.type || type == rule.plain_type ||
         (rule.match == Numbered && is_bank_type(type));
}

// Precondition: the rule allows the type.
std::optional<SectionKind> match_rule(const SectionNameRule &rule, std::string_view name,
                                      SectionType type) {
  if (!has_prefix(name, rule.name))
    return std::nullopt;
  std::string_view rest = name.substr(rule.name.size());
  SectionKind found{.role = rule.role, .bank = rule.bank};
  if (rule.match == Numbered) {
    const auto bank = leading_bank(rest);
    if (!bank || (is_bank_type(type) && static_cast<u32>(type) != kFirstBankType + bank->first))
      return std::nullopt;
    found.bank = bank->first;
    rest = rest.substr(bank->second);
  }
  if (rule.match == Prefix)
    return found;
  const auto owner = owner_in(rest, rule.match);
  if (!owner)
    return std::nullopt;
  found.owner = *owner;
  return found;
}

SectionKind classify_by_type(SectionType type, u64 flags) {
  if (const auto bank = bank_of_type(type))
    return {.role = *bank <= kLastConstantBank ? SectionRole::Constant : SectionRole::ConstantNamed,
            .bank = *bank};
  if (type == T::Progbits && (flags & kFlagExec) != 0)
    return {.role = SectionRole::Text};
  if (type == T::Note && (flags & kFlagTkinfoNote) != 0)
    return {.role = SectionRole::NoteTkinfo};
  if (type == T::Note && (flags & kFlagCuinfoNote) != 0)
    return {.role = SectionRole::NoteCuinfo};
  for (const TypeRule &rule : kTypeRules)
    if (rule.type == type)
      return {.role = rule.role};
  return {};
}

// Returns the function in the name of a section of unknown type.
std::string_view owner_by_name(std::string_view name) {
  for (const SectionNameRule &rule : kNameRules)
    if (const auto found = match_rule(rule, name, rule.type))
      return found->owner;
  return {};
}

// The name of a relocation section only gives its target; the type gives the kind.
SectionKind classify_relocations(std::string_view name, SectionType type) {
  SectionKind found = classify_by_type(type, 0);
  for (const std::string_view prefix : kRelocationPrefixes)
    if (has_prefix(name, prefix)) {
      found.owner = owner_by_name(name.substr(prefix.size()));
      break;
    }
  return found;
}

SectionKind classify_plain(std::string_view name, SectionType type, u64 flags) {
  if (is_relocation_table(type))
    return classify_relocations(name, type);
  for (const SectionNameRule &rule : kNameRules) {
    if (!rule_allows(rule, type)) // the most frequent case
      continue;
    if (const auto found = match_rule(rule, name, type)) {
      // In toolkits 12.8 and 12.9, .note.nv.cuinfo is called .note.nv.cuver.
      if (found->role == SectionRole::NoteCuver && (flags & kFlagCuinfoNote) != 0)
        return {.role = SectionRole::NoteCuinfo};
      return *found;
    }
  }
  return classify_by_type(type, flags);
}

bool starts_with_part(std::string_view name, std::string_view part) {
  return has_prefix(name, part) && name.substr(part.size()).starts_with('.');
}

} // namespace

SectionKind classify_section(std::string_view name, SectionType type, u64 flags) {
  SectionKind found;
  if (type == T::CudaCapmerc) {
    found.role = SectionRole::CapmercText;
    if (starts_with_part(name, kCapmercPrefix))
      found.owner = owner_by_name(name.substr(kCapmercPrefix.size()));
  } else {
    const bool mirror = starts_with_part(name, kMercuryPrefix);
    found = classify_plain(mirror ? name.substr(kMercuryPrefix.size()) : name, mirrored_type(type),
                           flags);
    found.mercury = mirror;
  }
  const bool own_type = type != mirrored_type(type) || found.role == SectionRole::CapmercText ||
                        found.role == SectionRole::MercuryText ||
                        found.role == SectionRole::MercurySassMap;
  found.mercury = found.mercury || own_type || (flags & kFlagMercury) != 0;
  return found;
}

std::vector<SectionKind> classify_sections(std::span<const Section> sections) {
  std::vector<SectionKind> out;
  out.reserve(sections.size());
  for (const Section &section : sections)
    out.push_back(classify_section(section.name, section.type, section.flags));
  return out;
}

std::string_view name_of_section_role(SectionRole role) {
  return kRoleNames[static_cast<u8>(role)];
}

std::span<const SectionNameRule> section_name_rules() {
  return kNameRules;
}

const SectionNameRule *find_name_rule(std::string_view name) {
  for (const SectionNameRule &rule : kNameRules)
    if (match_rule(rule, name, rule.type))
      return &rule;
  return nullptr;
}

} // namespace culink::elf
