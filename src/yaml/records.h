// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections that hold records, as text and back. docs/text-format.md has the form of each.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "elf/section_kind.h"
#include "support/types.h"
#include "yaml/document/byte_lines.h"
#include "yaml/document/document.h"
#include "yaml/document/name_index.h"

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

} // namespace culink::text
