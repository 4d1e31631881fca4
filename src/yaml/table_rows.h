// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols and relocations as rows of a document, in both directions.
#pragma once

#include <string>
#include <vector>

#include "elf/elf_view.h"
#include "yaml/document/byte_lines.h"
#include "yaml/document/document.h"
#include "yaml/document/name_index.h"

namespace culink::text {

// How a symbol's name appears in its row. Section symbols carry the name of their section, which
// the row does not repeat.
struct SymbolName {
  enum class Form : u8 {
    Implied, // none for most, the section's name for section symbols: no key
    Stated,  // `name`
    Offset,  // `name_at`: the string table does not lead from a name to this offset
  };
  Form form = Form::Implied;
  std::string_view name; // what references may call it
};

// Precondition: `strings` is the string table of the symbol's table.
[[nodiscard]] SymbolName symbol_name(const elf::Symbol &symbol, const NameIndex &sections,
                                     const StringPlaces &strings);
[[nodiscard]] Node describe_symbol(const elf::Symbol &symbol, const SymbolName &name,
                                   const NameIndex &sections);

// A row as read. `symbol.name` is not set; `name` is the one that the string table must hold.
struct SymbolRow {
  elf::Symbol symbol;
  std::string name;
  bool has_offset = false; // symbol.name_offset is given, `name` is empty
};
[[nodiscard]] SymbolRow read_symbol(const Node &node, const NameIndex &sections,
                                    Complaints &complaints);

[[nodiscard]] Node describe_relocation(const elf::Relocation &relocation, bool has_addend,
                                       const NameIndex &symbols);
[[nodiscard]] elf::Relocation read_relocation(const Node &node, bool has_addend,
                                              const NameIndex &symbols, Complaints &complaints);

} // namespace culink::text
