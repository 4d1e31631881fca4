// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of one assembly of the exact form; assemble_exact.cc says how it goes.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"
#include "support/result.h"
#include "yaml/document/document.h"
#include "yaml/document/name_index.h"
#include "yaml/document/node_reader.h"
#include "yaml/document/string_list.h"
#include "yaml/exact_parts.h"
#include "yaml/table_rows.h"

namespace culink::text {

inline constexpr std::array<std::string_view, 10> kTopKeys = {
    "cubin",        "arch",     "type",     "class",     "header",
    "null_section", "sections", "segments", "file_size", "patch"};

inline constexpr std::array<std::string_view, 32> kSectionKeys = {
    "name",        "name_at",    "type",         "flags",       "addr",        "gap",
    "offset",      "size",       "align",        "entsize",     "header_only", "shares",
    "link",        "info",       "info_section", "info_symbol", "registers",   "symbol0",
    "strings",     "symbols",    "indices",      "relocs",      "code",        "data",
    "raw",         "attributes", "callgraph",    "prototypes",  "compat",      "notes",
    "rel_actions", "unified"};

// The symbols of a table, as rows of the document and as they are encoded.
struct SymbolInput {
  NameIndex names{"symbol"};
  std::vector<SymbolRow> rows;
  std::vector<elf::Symbol> symbols;
};

// A section on its way from the document to bytes.
struct SectionInput {
  explicit SectionInput(const Node &map) : node(&map) {}

  const Node *node;
  const Node *content = nullptr;
  std::string name;
  RawSection raw;
  SectionDefaults defaults;
  std::vector<u8> bytes;
  std::unique_ptr<SymbolInput> table;    // of `symbols`
  std::unique_ptr<StringPlaces> strings; // of a string table
  bool header_only = false;
  bool has_name_offset = false;
};

class ExactAssembler {
public:
  explicit ExactAssembler(const Node &document) : top_(document, kTopKeys, complaints_) {}

  [[nodiscard]] Result<std::vector<u8>> run();

private:
  void read_file_facts();
  void read_names();
  void read_fields();
  void read_symbols();
  void build_strings();
  void encode_contents();
  void finish_fields();
  void lay_out();
  void write();

  void read_section_fields(u32 index);
  void encode_section(u32 index);
  void encode_symbols(SectionInput &section);
  void encode_relocations(SectionInput &section);
  void encode_indices(SectionInput &section);
  [[nodiscard]] u32 read_info(u32 index) const;
  void place_section(SectionInput &section, FileCursor &cursor);
  void write_section_table();
  void write_segments();
  void apply_patches();
  void copy(u64 offset, ByteSpan bytes, const Node &place);
  [[nodiscard]] MutableByteSpan room(u64 offset, u64 size, std::string_view what);

  // Only the header says how large it is.
  [[nodiscard]] static bool without_bytes(const SectionInput &section) {
    return section.header_only || (elf::has_no_file_data(section.raw.type) && !section.content);
  }
  [[nodiscard]] const NameIndex &symbols_of(const SectionInput &user) const {
    const u32 link = user.raw.link;
    const bool known = link < sections_.size() && sections_[link].table;
    return known ? sections_[link].table->names : no_symbols_;
  }
  [[nodiscard]] const StringPlaces &strings_of(u32 table) const {
    const bool known = table < sections_.size() && sections_[table].strings;
    return known ? *sections_[table].strings : no_strings_;
  }

  mutable Complaints complaints_;
  MapReader top_;
  HeaderFacts header_facts_;
  FileFacts facts_;
  elf::FileHeader header_;
  std::vector<SectionInput> sections_; // [0] is the null section
  NameIndex names_{"section"};
  NameIndex no_symbols_{"symbol"};
  StringPlaces no_strings_;
  u32 name_section_ = 0;
  u64 data_end_ = 0;
  std::vector<u8> image_;
};

} // namespace culink::text
