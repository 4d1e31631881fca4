// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembles the exact form. All references are by name, so the work is done in rounds: names of
// sections, header fields, symbols, string tables (which hold all those names), contents, offsets,
// and finally bytes. Defaults for values that the document omits come from yaml/headers.h.
//
// The input is untrusted: sizes are bounded before memory is allocated, and a write outside the
// file is an error.
#include "yaml/text_form.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "elf/elf_view.h"
#include "elf/symbol_codec.h"
#include "support/bytes.h"
#include "support/result.h"
#include "yaml/document/byte_lines.h"
#include "yaml/document/document.h"
#include "yaml/document/values.h"
#include "yaml/headers.h"
#include "yaml/records.h"
#include "yaml/row_io.h"

namespace culink::text {

using elf::SectionType;

namespace {

constexpr std::array<std::string_view, 10> kTopKeys = {
    "cubin",        "arch",     "type",     "class",     "header",
    "null_section", "sections", "segments", "file_size", "patch"};

constexpr std::array<std::string_view, 32> kSectionKeys = {
    "name",        "name_at",    "type",         "flags",       "addr",        "gap",
    "offset",      "size",       "align",        "entsize",     "header_only", "shares",
    "link",        "info",       "info_section", "info_symbol", "registers",   "symbol0",
    "strings",     "symbols",    "indices",      "relocs",      "code",        "data",
    "raw",         "attributes", "callgraph",    "prototypes",  "compat",      "notes",
    "rel_actions", "unified"};

// The symbols of a table, as rows of the document and in encoded form.
struct SymbolInput {
  NameIndex names{"symbol"};
  std::vector<SymbolRow> rows;
  std::vector<elf::Symbol> symbols;
};

// A section during assembly.
struct SectionInput {
  explicit SectionInput(const MapReader &row) : map(row) {}

  MapReader map;
  const Node *content = nullptr;
  std::string name;
  RawSection raw;
  SectionDefaults defaults;
  std::vector<u8> bytes;
  std::unique_ptr<SymbolInput> table;    // decoded `symbols`
  std::unique_ptr<StringPlaces> strings; // set for a string table
  bool header_only = false;
  bool has_name_offset = false;
};

// The state of one assembly.
class ExactAssembler {
public:
  explicit ExactAssembler(const Node &document) : top_(document, kTopKeys, complaints_) {}

  [[nodiscard]] Result<std::vector<u8>> run() {
    constexpr std::array<void (ExactAssembler::*)(), 9> kRounds = {
        &ExactAssembler::read_file_facts, &ExactAssembler::read_names,
        &ExactAssembler::read_fields,     &ExactAssembler::read_symbols,
        &ExactAssembler::build_strings,   &ExactAssembler::encode_contents,
        &ExactAssembler::finish_fields,   &ExactAssembler::lay_out,
        &ExactAssembler::write,
    };
    for (const auto round : kRounds) {
      if (complaints_.any())
        return complaints_.first();
      (this->*round)();
    }
    if (complaints_.any())
      return complaints_.first();
    return std::move(image_);
  }

private:
  void read_file_facts() {
    const u64 bits = top_.number("class", 64, 64);
    if (bits != 64 && bits != 32)
      complaints_.add(*top_.find("class"), "32 or 64 is needed here");
    facts_.elf_class = bits == 32 ? elf::ElfClass::Elf32 : elf::ElfClass::Elf64;
    read_words(Words::FileType, top_.find("type"), facts_.type, complaints_);
    if (const Node *item = top_.find("arch")) {
      facts_.arch = read_name(*item, complaints_);
      if (!default_flags(facts_.arch, 0))
        complaints_.add(*item, fmt::format("'{}' is no known target; write one such as sm_90, or "
                                           "leave it out and state header: {{flags: ...}}",
                                           facts_.arch));
    }
  }

  void read_names() {
    static const Node kNull = Node::map();
    const std::span<const Node> list = top_.list("sections");
    if (!list.empty() || top_.has("null_section")) {
      sections_.reserve(list.size() + 1);
      const Node *null = top_.find("null_section");
      sections_.emplace_back(MapReader(null ? *null : kNull, kSectionKeys, complaints_));
      names_.add("");
    }
    for (const Node &item : list) {
      const MapReader map(item, kSectionKeys, complaints_);
      SectionInput &section = sections_.emplace_back(map);
      section.name = map.name("name");
      section.has_name_offset = map.has("name_at");
      for (const Node &field : item.items)
        if (is_content_key(field.key)) {
          if (section.content)
            complaints_.add(field, fmt::format("the section has its content under `{}` already",
                                               section.content->key));
          section.content = &field;
        }
      facts_.has_compat = facts_.has_compat || section.name == ".nv.compat";
    }
    for (u32 i = 1; i < sections_.size(); ++i)
      names_.add(sections_[i].has_name_offset ? std::string_view() : sections_[i].name);
    facts_.name_section = names_.find(".shstrtab").value_or(0);
    if (const Node *header = top_.find("header"))
      if (const Node *index = header->find("shstrndx"))
        facts_.name_section = static_cast<u32>(read_number(*index, 0xffff, complaints_));
    if (facts_.name_section == elf::kSectionXindex)
      if (const Node *null = top_.find("null_section"))
        if (const Node *link = null->find("link"))
          facts_.name_section = names_.resolve(*link, complaints_);
  }

  void read_fields() {
    for (u32 i = 1; i < sections_.size(); ++i)
      read_section_fields(sections_[i]);
  }

  void read_section_fields(SectionInput &section) {
    const MapReader &map = section.map;
    RawSection &raw = section.raw;
    RowReader io{map, names_, complaints_};
    io.word("type", Words::SectionType, raw.type, default_section_type(section.name, facts_.type));
    section.defaults = section_defaults(section.name, raw.type, facts_);
    io.number("name_at", raw.name_offset, unless(0));
    io.word("flags", Words::SectionFlags, raw.flags, section.defaults.flags);
    io.number("addr", raw.addr, unless(0));
    io.number("align", raw.align, unless(section.defaults.align));
    io.number("entsize", raw.entsize, unless(section.defaults.entsize));
    io.reference("link", raw.link, names_.find(section.defaults.link).value_or(0));
    io.number("size", raw.size, unless(0));
    section.header_only = map.flag("header_only") || map.has("shares");
    if (section.content && section.header_only)
      complaints_.add(*section.content, "a section without bytes of its own cannot have content");
    if (section.content && map.has("size"))
      complaints_.add(*map.find("size"), "the size follows from the content; leave it out");
    const bool empty = section.content || section.header_only || elf::has_no_file_data(raw.type);
    if (!empty && complaints_.spend(raw.size, map.node()))
      section.bytes.resize(raw.size); // their values do not matter
  }

  void read_symbols() {
    for (SectionInput &section : sections_) {
      if (!section.content || section.content->key != "symbols")
        continue;
      section.table = std::make_unique<SymbolInput>();
      SymbolInput &table = *section.table;
      const Node *first = section.map.find("symbol0");
      table.rows.push_back(first ? read_symbol(*first, names_, complaints_) : SymbolRow{});
      for (const Node &row : read_list(*section.content, complaints_))
        table.rows.push_back(read_symbol(row, names_, complaints_));
      for (const SymbolRow &row : table.rows) {
        table.names.add(row.name);
        table.symbols.push_back(row.symbol);
      }
    }
  }

  void build_strings() {
    std::vector<std::vector<std::string_view>> used(sections_.size());
    const auto use = [&](u32 table, std::string_view name) {
      if (table < used.size() && !name.empty())
        used[table].push_back(name);
    };
    for (const SectionInput &section : sections_)
      if (!section.has_name_offset)
        use(facts_.name_section, section.name);
    for (const SectionInput &section : sections_)
      if (section.table)
        for (const SymbolRow &row : section.table->rows)
          use(section.raw.link, row.name);
    for (const SectionInput &section : sections_) {
      std::vector<std::string_view> strings;
      if (section.content)
        collect_strings(*section.content, strings);
      if (section.raw.link < sections_.size())
        for (const std::string_view text : strings)
          use(sections_[section.raw.link].raw.link, text);
    }
    for (u32 i = 1; i < sections_.size(); ++i) {
      SectionInput &section = sections_[i];
      if (section.raw.type != SectionType::Strtab || section.header_only)
        continue;
      if (!section.content || section.content->key == "strings") {
        const std::span<const Node> list =
            section.content ? read_list(*section.content, complaints_) : std::span<const Node>();
        section.bytes = read_string_list(list, used[i], complaints_);
      } else {
        section.bytes = read_data(*section.content, complaints_);
      }
      section.strings = std::make_unique<StringPlaces>(section.bytes);
    }
  }

  void encode_contents() {
    for (u32 i = 1; i < sections_.size() && !complaints_.any(); ++i)
      encode_section(i);
  }

  void encode_section(u32 index) {
    SectionInput &section = sections_[index];
    if (section.strings || section.header_only)
      return;
    if (!section.content) {
      if (section.raw.type == SectionType::SymtabShndx)
        encode_indices(section);
      return;
    }
    const std::string_view key = section.content->key;
    if (key == "symbols")
      encode_symbols(section);
    else if (key == "relocs")
      encode_relocations(section);
    else if (key == "indices")
      encode_indices(section);
    else if (key == "strings")
      section.bytes = read_string_list(read_list(*section.content, complaints_), {}, complaints_);
    else if (key == "code")
      section.bytes = read_code(*section.content, complaints_);
    else if (key == "data" || key == "raw")
      section.bytes = read_data(*section.content, complaints_);
    else {
      const u32 symtab = section.raw.link;
      const u32 strtab = symtab < sections_.size() ? sections_[symtab].raw.link : 0;
      section.bytes = assemble_records(*section.content, {symbols_of(section), strings_of(strtab)},
                                       complaints_);
    }
  }

  void encode_symbols(SectionInput &section) {
    const StringPlaces &strings = strings_of(section.raw.link);
    for (u32 i = 0; i < section.table->rows.size(); ++i) {
      const SymbolRow &row = section.table->rows[i];
      elf::Symbol &symbol = section.table->symbols[i];
      const Node &place = i == 0 ? section.map.node() : section.content->items[i - 1];
      if (!row.has_offset && !row.name.empty()) {
        const std::optional<u32> offset = strings.find(row.name);
        if (!offset)
          complaints_.add(place,
                          fmt::format("the string table of `link` does not hold '{}'; link to "
                                      "one with `strings`, or write name_at",
                                      row.name));
        symbol.name_offset = offset.value_or(0);
      }
      if (const std::optional<Error> error =
              elf::append_symbol(section.bytes, symbol, facts_.elf_class))
        complaints_.add(place, error->text());
    }
  }

  void encode_relocations(SectionInput &section) {
    const bool rela = elf::is_rela(section.raw.type);
    const NameIndex &symbols = symbols_of(section);
    for (const Node &row : read_list(*section.content, complaints_)) {
      const elf::Relocation entry = read_relocation(row, rela, symbols, complaints_);
      if (const std::optional<Error> error =
              elf::append_relocation(section.bytes, entry, facts_.elf_class, rela))
        complaints_.add(row, error->text());
    }
  }

  // Encodes .symtab_shndx: numbers in a block of lines, or the indices that the symbols need.
  void encode_indices(SectionInput &section) {
    if (section.content) {
      section.bytes = read_number_lines(*section.content, complaints_);
      return;
    }
    if (const u32 link = section.raw.link; link < sections_.size() && sections_[link].table)
      section.bytes = extended_indices(sections_[link].table->symbols);
  }

  [[nodiscard]] u32 read_info(u32 index) const {
    const SectionInput &section = sections_[index];
    const MapReader &map = section.map;
    if (map.has("info"))
      return static_cast<u32>(map.number("info", 0, kMaxWord));
    u32 out = 0;
    if (const Node *item = map.find("info_section"))
      out = names_.resolve(*item, complaints_);
    else if (const Node *symbol = map.find("info_symbol"))
      out = symbols_of(section).resolve(*symbol, complaints_);
    else if (section.table)
      out = default_first_global(section.table->symbols);
    else if (!section.defaults.info_section.empty())
      out = names_.find(section.defaults.info_section).value_or(0);
    else
      out = symbols_of(section).find(section.defaults.info_symbol).value_or(0);
    return out | static_cast<u32>(map.number("registers", 0, 0xff) << 24);
  }

  void finish_fields() {
    const StringPlaces &section_names = strings_of(facts_.name_section);
    for (u32 i = 1; i < sections_.size(); ++i) {
      SectionInput &section = sections_[i];
      section.raw.info = read_info(i);
      if (!section.bytes.empty() || !without_bytes(section))
        section.raw.size = section.bytes.size();
      if (section.has_name_offset || section.name.empty())
        continue;
      const std::optional<u32> offset = section_names.find(section.name);
      if (!offset)
        complaints_.add(section.map.node(),
                        fmt::format("no string table holds the section's name '{}'; add a section "
                                    ".shstrtab, or write name_at",
                                    section.name));
      section.raw.name_offset = offset.value_or(0);
    }
  }

  void place_section(SectionInput &section, FileCursor &cursor) {
    const MapReader &map = section.map;
    RawSection &raw = section.raw;
    if (map.has("offset")) {
      raw.offset = map.number("offset", 0);
      if (section.bytes.empty())
        return;
      if (raw.offset > kMaxImageBytes)
        return complaints_.add(*map.find("offset"), "lies beyond the largest file");
      cursor.cover(raw.offset, raw.size);
      return;
    }
    const u64 gap = map.number("gap", 0, kMaxImageBytes);
    raw.offset = cursor.aligned(raw.align) + gap;
    if (!section.header_only)
      cursor.place(raw.offset, section.bytes.size());
    if (raw.offset > kMaxImageBytes)
      complaints_.add(section.map.node(),
                      fmt::format("the file would be larger than {:#x} bytes; lower "
                                  "`align` or `gap`",
                                  kMaxImageBytes));
  }

  void lay_out() {
    FileCursor cursor(file_header_size(facts_.elf_class));
    for (u32 i = 1; i < sections_.size() && !complaints_.any(); ++i)
      place_section(sections_[i], cursor);
    for (SectionInput &section : sections_) {
      const Node *item = section.map.find("shares");
      if (!item || &section == &sections_[0])
        continue;
      const u32 owner = names_.resolve(*item, complaints_);
      if (owner == 0 || owner >= sections_.size() || sections_[owner].map.has("shares"))
        return complaints_.add(*item, "a section with bytes of its own is needed here");
      section.raw.offset = sections_[owner].raw.offset;
      section.raw.size = sections_[owner].raw.size;
    }
    facts_.data_end = cursor.end();
    facts_.section_count = static_cast<u32>(sections_.size());
    facts_.segment_count = static_cast<u32>(top_.list("segments").size());
    facts_.cuinfo_section = names_.find(".note.nv.cuinfo").value_or(0);
    if (facts_.segment_count > 0xffff)
      top_.report("more than 65535 segments");
    header_ = default_header(facts_);
    if (const Node *item = top_.find("header"))
      read_header(*item, header_, complaints_);
  }

  // The last round of the exact form: when every section has its bytes and its offset, the image is
  // allocated and filled. A document may place tables and sections anywhere, so each write is
  // checked against the size; `patch` comes last and may overwrite everything.
  void write() {
    if (header_.shoff > kMaxImageBytes || header_.phoff > kMaxImageBytes) {
      // Only a file without that table may have such an offset.
      if ((header_.shoff > kMaxImageBytes && !sections_.empty()) ||
          (header_.phoff > kMaxImageBytes && facts_.segment_count != 0))
        return top_.report("a header table lies beyond the largest file");
    }
    const u64 size = top_.number("file_size", file_end(header_, facts_), kMaxImageBytes);
    if (size > kMaxImageBytes || size < file_header_size(facts_.elf_class))
      return top_.report(fmt::format("a file of {:#x} bytes is too small or too large", size));
    image_.resize(size);
    if (!store_header(image_.data(), header_))
      complaints_.add(top_.node(), "a header field does not fit class 32");
    for (const SectionInput &section : sections_)
      if (!section.bytes.empty())
        copy(section.raw.offset, section.bytes, section.map.node());
    write_section_table();
    write_segments();
    apply_patches();
  }

  void write_section_table() {
    if (sections_.empty())
      return;
    const u64 entry = section_header_size(facts_.elf_class);
    const MutableByteSpan out = room(header_.shoff, sections_.size() * entry, "the section table");
    if (out.empty())
      return;
    sections_[0].raw = read_null_section(sections_[0].map, facts_, names_, complaints_);
    for (u32 i = 0; i < sections_.size(); ++i)
      if (!store_header(out.data() + i * entry, sections_[i].raw, facts_.elf_class))
        complaints_.add(sections_[i].map.node(),
                        "a field of the section header does not fit class 32");
  }

  void write_segments() {
    const std::span<const Node> list = top_.list("segments");
    if (list.empty())
      return;
    std::vector<RawSection> placed;
    for (const SectionInput &section : sections_)
      placed.push_back(section.raw);
    const u64 entry = segment_header_size(facts_.elf_class);
    const SegmentContext context{names_, std::move(placed), header_.phoff, list.size() * entry,
                                 list.size() <= kMaxRangedSegments};
    const MutableByteSpan out = room(header_.phoff, list.size() * entry, "the segment table");
    for (u32 i = 0; i < list.size() && !out.empty(); ++i)
      if (!store_header(out.data() + i * entry, read_segment(list[i], context, complaints_),
                        facts_.elf_class))
        complaints_.add(list[i], "a field does not fit class 32");
  }

  void apply_patches() {
    constexpr std::string_view kKeys[] = {"at", "hex"};
    for (const Node &item : top_.list("patch")) {
      const MapReader patch(item, kKeys, complaints_);
      if (const Node *hex = patch.find("hex"))
        copy(patch.number("at", 0), read_data(*hex, complaints_), item);
    }
  }

  void copy(u64 offset, ByteSpan bytes, const Node &place) {
    if (offset > image_.size() || image_.size() - offset < bytes.size())
      return complaints_.add(place, fmt::format("bytes {:#x} + {:#x} lie outside the file ({:#x} "
                                                "bytes); raise or remove file_size",
                                                offset, bytes.size(), image_.size()));
    std::ranges::copy(bytes, image_.begin() + static_cast<std::ptrdiff_t>(offset));
  }

  [[nodiscard]] MutableByteSpan room(u64 offset, u64 size, std::string_view what) {
    if (offset <= image_.size() && image_.size() - offset >= size)
      return MutableByteSpan(image_).subspan(offset, size);
    top_.report(fmt::format("{} at {:#x} lies outside the file ({:#x} bytes)", what, offset,
                            image_.size()));
    return {};
  }

  // True if a section has a size in its header but no bytes.
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
  FileFacts facts_;
  elf::FileHeader header_;
  std::vector<SectionInput> sections_; // [0] is the null section
  NameIndex names_{"section"};
  NameIndex no_symbols_{"symbol"};
  StringPlaces no_strings_;
  std::vector<u8> image_;
};

} // namespace

Result<std::vector<u8>> assemble_exact(const Node &document) {
  return ExactAssembler(document).run();
}

// A document that lists sections, or has `cubin: exact`, is in the exact form.
Result<std::vector<u8>> assemble(const Node &document) {
  if (!document.is_map())
    return Error{"", "", "a document is a map: arch, type and what the file holds"};
  if (document.find("sections") || document.find("cubin"))
    return assemble_exact(document);
  return assemble_minimal(document);
}

} // namespace culink::text
