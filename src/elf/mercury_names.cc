// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of constant banks: Mercury code names them after their use, machine code after their
// number. Types of tables: one pair for each table that both planes have.
#include "elf/mercury_names.h"

#include <array>

namespace culink::elf {
namespace {

struct BankName {
  std::string_view sass;    // the whole name, or up to the function that it belongs to
  std::string_view mercury; // likewise
};
constexpr std::array<BankName, 4> kBankNames = {{
    {".nv.constant0.", ".nv.constant.entry_image_header_indices."},
    {".nv.constant2.", ".nv.constant.optimizer."},
    {".nv.constant3", ".nv.constant.user"},
    {".nv.constant4", ".nv.constant.pic"},
}};

struct TypePair {
  SectionType plain;
  SectionType mercury;
};
constexpr std::array<TypePair, 6> kTypePairs = {{
    {SectionType::Rela, SectionType::MercuryRela},
    {SectionType::Symtab, SectionType::MercurySymtab},
    {SectionType::CudaInfo, SectionType::MercuryInfo},
    {SectionType::CudaResolvedRela, SectionType::MercuryResolvedRela},
    {SectionType::CudaCallgraph, SectionType::MercuryCallgraph},
    {SectionType::CudaPrototype, SectionType::MercuryPrototype},
}};

} // namespace

std::string mercury_link_name(std::string_view name) {
  std::string table;
  for (const std::string_view prefix : {".nv.resolvedrela", ".rela", ".rel"})
    if (table.empty() && name.size() > prefix.size() && name.starts_with(prefix) &&
        name[prefix.size()] == '.')
      table = prefix;
  const std::string_view target = name.substr(table.size());
  for (const BankName &bank : kBankNames) {
    const bool owned = bank.sass.ends_with('.');
    if (owned ? target.starts_with(bank.sass) : target == bank.sass)
      return table.append(bank.mercury).append(target.substr(bank.sass.size()));
  }
  return std::string(name);
}

std::string mercury_counterpart_name(std::string_view name) {
  constexpr std::string_view kCode = ".text.", kUnifiedCode = ".nv.uft.rel.";
  const bool code = name.starts_with(kCode) || name.starts_with(kUnifiedCode);
  return (code ? ".nv.capmerc" : ".nv.merc") + mercury_link_name(name);
}

SectionType mercury_type(SectionType type) {
  for (const TypePair &pair : kTypePairs)
    if (pair.plain == type)
      return pair.mercury;
  return type;
}

SectionType mirrored_type(SectionType type) {
  if (type < SectionType::MercuryRela) // as nearly all
    return type;
  for (const TypePair &pair : kTypePairs)
    if (pair.mercury == type)
      return pair.plain;
  // The counterpart of bank 2 in a linked file.
  return type == SectionType::MercuryConstantOpt2 ? SectionType::MercuryConstantOpt : type;
}

} // namespace culink::elf
