// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts sections with records or tables to text and back. docs/text-format.md describes each
// form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"
#include "elf/records/nv_info.h"
#include "elf/section_kind.h"
#include "support/types.h"
#include "yaml/document/byte_lines.h"
#include "yaml/document/document.h"
#include "yaml/document/values.h"

namespace culink::text {

// The tables that records refer to: the symbol table of their sh_link, and its string table.
struct RecordNames {
  const NameIndex &symbols;
  const StringPlaces &strings;
};

// Returns the value for the key record_key(role), from which assemble_records restores the bytes;
// nullopt if the bytes are not such records.
[[nodiscard]] std::optional<Node> describe_records(elf::SectionRole role, ByteSpan bytes,
                                                   const RecordNames &names);
// Returns the document's key for the records of a role ("attributes", "callgraph" ...), or "".
[[nodiscard]] std::string_view record_key(elf::SectionRole role);

// Returns the bytes of a value of one of the record keys.
[[nodiscard]] std::vector<u8> assemble_records(const Node &content, const RecordNames &names,
                                               Complaints &complaints);
[[nodiscard]] bool is_record_key(std::string_view key);
// Appends the prototype strings that the value refers to, for the string table.
void collect_strings(const Node &content, std::vector<std::string_view> &out);

// Describes one row of `attributes`; and assembles such rows.
[[nodiscard]] Node describe_info_record(const elf::InfoRecord &record, const NameIndex &symbols);
[[nodiscard]] std::vector<u8> assemble_info(const Node &content, const NameIndex &symbols,
                                            Complaints &complaints);

// Returns the name of a symbol, or "" if the string table gives another offset for that name.
[[nodiscard]] std::string_view symbol_name(const elf::Symbol &symbol, const StringPlaces &strings);
// `name` is the result of symbol_name. A section symbol has the name of its section, which the row
// does not repeat.
[[nodiscard]] Node describe_symbol(const elf::Symbol &symbol, std::string_view name,
                                   const NameIndex &sections);

// A row as read. `symbol.name` is not set; `name` is the name to store in the string table.
struct SymbolRow {
  elf::Symbol symbol;
  std::string name;
  bool has_offset = false; // symbol.name_offset is set, `name` is empty
};
[[nodiscard]] SymbolRow read_symbol(const Node &node, const NameIndex &sections,
                                    Complaints &complaints);

[[nodiscard]] Node describe_relocation(const elf::Relocation &relocation, bool has_addend,
                                       const NameIndex &symbols);
[[nodiscard]] elf::Relocation read_relocation(const Node &node, bool has_addend,
                                              const NameIndex &symbols, Complaints &complaints);

} // namespace culink::text
