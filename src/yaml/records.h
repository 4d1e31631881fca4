// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that hold records or tables, as text and back. docs/text-format.md has the form of each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"
#include "elf/section_kind.h"
#include "support/types.h"
#include "yaml/document/byte_lines.h"
#include "yaml/document/document.h"
#include "yaml/document/values.h"

namespace culink::text {

// What records refer to: the symbol table of their sh_link, and its string table.
struct RecordNames {
  const NameIndex &symbols;
  const StringPlaces &strings;
};

// The value for the key record_key(role), such that assemble_records gives back the bytes; nothing
// when the bytes are no such records.
[[nodiscard]] std::optional<Node> describe_records(elf::SectionRole role, ByteSpan bytes,
                                                   const RecordNames &names);
// The document's key for the records of a role ("attributes", "callgraph" ...), or "".
[[nodiscard]] std::string_view record_key(elf::SectionRole role);

// The bytes of a value that stands under one of the record keys.
[[nodiscard]] std::vector<u8> assemble_records(const Node &content, const RecordNames &names,
                                               Complaints &complaints);
[[nodiscard]] bool is_record_key(std::string_view key);
// The prototype strings that the value refers to, so that the string table can hold them.
void collect_strings(const Node &content, std::vector<std::string_view> &out);

// Notes have a file of their own, and so has .nv.info.
[[nodiscard]] std::optional<Node> describe_notes(ByteSpan bytes);
[[nodiscard]] std::vector<u8> assemble_notes(const Node &content, Complaints &complaints);
[[nodiscard]] std::optional<Node> describe_info(ByteSpan bytes, const NameIndex &symbols);
[[nodiscard]] std::vector<u8> assemble_info(const Node &content, const NameIndex &symbols,
                                            Complaints &complaints);
// One record of a list as assemble_info takes it, appended.
void assemble_info_record(std::vector<u8> &out, const Node &record, const NameIndex &symbols,
                          Complaints &complaints);

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
