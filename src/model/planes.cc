// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about objects that hold their code twice, as Mercury code and as SASS. Debug sections
// are rebuilt function by function when code is laid out or finalized, so passes ask which function
// a part of a debug section is about, and whether two definitions of it are one.
#include "model/planes.h"

#include <algorithm>

namespace culink {

namespace {

bool same_bytes(ByteSpan a, ByteSpan b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// A capsule without its first word, the number of its section, which links change.
ByteSpan code_in_capsule(const InputObject &plane, u32 section) {
  const ByteSpan capsule = plane.section(section).data;
  return capsule.subspan(std::min<size_t>(capsule.size(), sizeof(u32)));
}

} // namespace

bool have_equal_code(const Planes &planes, SymbolRef a, SymbolRef b) {
  const InputObject &sass_a = planes.sass[a.object.value], &sass_b = planes.sass[b.object.value];
  const elf::Symbol &symbol_a = sass_a.symbols[a.symbol], &symbol_b = sass_b.symbols[b.symbol];
  if (!symbol_a.in_section() || !symbol_b.in_section())
    return false;
  return same_bytes(sass_a.section(symbol_a.section).data, sass_b.section(symbol_b.section).data) &&
         same_bytes(code_in_capsule(planes.mercury[a.object.value], symbol_a.section),
                    code_in_capsule(planes.mercury[b.object.value], symbol_b.section));
}

std::vector<CodeAddress> code_addresses(const InputObject &object, u32 section) {
  std::vector<CodeAddress> out;
  for (const elf::Section &table : object.view.sections()) {
    if (table.type != elf::SectionType::Rela || table.info != section)
      continue;
    for (const elf::Relocation entry : object.view.relocations(table))
      if (object.symbols[entry.symbol].type() == elf::SymbolType::Function)
        out.push_back({entry.offset, entry.symbol});
  }
  std::sort(out.begin(), out.end(), [](const CodeAddress &a, const CodeAddress &b) {
    return std::pair(a.offset, a.symbol) < std::pair(b.offset, b.symbol);
  });
  return out;
}

const elf::Section *find_part(const InputObject &object, std::span<const SectionLocation> locations,
                              OutId id) {
  for (const elf::Section &section : object.view.sections())
    if (locations[section.index].section == id)
      return &section;
  return nullptr;
}

} // namespace culink
