// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that hold records or tables, as text and back. docs/text-format.md has the form of each.
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

// One row of `attributes`, and the bytes of such rows.
[[nodiscard]] Node describe_info_record(const elf::InfoRecord &record, const NameIndex &symbols);
[[nodiscard]] std::vector<u8> assemble_info(const Node &content, const NameIndex &symbols,
                                            Complaints &complaints);

// The name of a symbol, unless the string table of its symbol table does not lead from there to the
// symbol's offset.
[[nodiscard]] std::string_view symbol_name(const elf::Symbol &symbol, const StringPlaces &strings);
// `name` is what symbol_name gives. Section symbols carry the name of their section, which the row
// does not repeat.
[[nodiscard]] Node describe_symbol(const elf::Symbol &symbol, std::string_view name,
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
