// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a file in the exact form. The invariant is assemble(describe_exact(f)) == f. The rules
// that keep documents short are in yaml/headers.h; only differences from them are written.
//
// Three rules ensure the invariant for damaged files too. Header fields are taken as stored, not as
// repaired by the tolerant view. Each byte of the file has one owner, the first section that covers
// it; a section that overlaps owned bytes keeps its header only (`shares` if the ranges are equal,
// as with Mercury counterparts). At the end the document is assembled and compared; bytes without
// an owner, such as padding that is not zero, become `patch`.
#include "yaml/text_form.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

#include "elf/symbol_codec.h"
#include "elf/target/elf_flags.h"
#include "support/bytes.h"
#include "yaml/document/byte_lines.h"
#include "yaml/document/values.h"
#include "yaml/headers.h"
#include "yaml/records.h"
#include "yaml/row_io.h"

namespace culink::text {

using elf::SectionRole;
using elf::SectionType;

namespace {

enum class Content : u8 {
  None,       // no bytes: size 0, or a type without data
  Own,        // described in this section
  Shared,     // equal to the range of another section
  HeaderOnly, // outside the file, or overlapping
};

// Ranges of the file that have an owner.
class OwnedRanges {
public:
  // Takes the range if all of its bytes are free.
  [[nodiscard]] bool take(u64 offset, u64 size, u32 owner) {
    const auto next = ranges_.lower_bound(offset);
    if (next != ranges_.end() && next->first < offset + size)
      return false;
    if (next != ranges_.begin() && std::prev(next)->second.end > offset)
      return false;
    ranges_.emplace(offset, Range{offset + size, owner});
    return true;
  }
  // Returns the owner of exactly this range, or 0.
  [[nodiscard]] u32 owner_of(u64 offset, u64 size) const {
    const auto found = ranges_.find(offset);
    return found != ranges_.end() && found->second.end == offset + size ? found->second.owner : 0;
  }

private:
  struct Range {
    u64 end;
    u32 owner; // a section, or 0 for the headers
  };
  std::map<u64, Range> ranges_;
};

struct TableSymbols {
  NameIndex names{"symbol"};
  std::vector<elf::Symbol> symbols;
};

struct SectionState {
  RawSection raw;
  Content content = Content::None;
  u32 shares = 0;
  std::string_view name;                 // set if the string table leads from it to raw.name_offset
  std::unique_ptr<StringPlaces> strings; // of a string table with content
  std::unique_ptr<TableSymbols> symbols; // of a symbol table with content
};

class ExactDescriber {
public:
  explicit ExactDescriber(const elf::ElfView &file)
      : file_(file), header_(file.header()), states_(file.sections().size()) {}

  [[nodiscard]] Node run() {
    facts_.type = header_.type;
    facts_.elf_class = header_.elf_class();
    for (u32 i = 0; i < count(); ++i)
      states_[i].raw = raw_section(file_, i);
    assign_bytes();
    name_sections();
    name_symbols();
    collect_used_names();

    if (const arch::FileTarget target = arch::target_of(file_); target.arch)
      facts_.arch = target.arch->name;
    facts_.section_count = count();
    facts_.segment_count = static_cast<u32>(file_.segments().size());
    facts_.name_section = names_.find(".shstrtab").value_or(0);
    facts_.cuinfo_section = names_.find(".note.nv.cuinfo").value_or(0);

    Node out = Node::map();
    out.set("cubin", "exact");
    if (!facts_.arch.empty())
      out.set("arch", facts_.arch);
    out.set("type", words_of(Words::FileType, header_.type));
    if (facts_.elf_class == elf::ElfClass::Elf32)
      out.set("class", "32");

    FileCursor cursor(file_header_size(facts_.elf_class));
    Node list = Node::sequence();
    for (u32 i = 1; i < count(); ++i)
      list.add(describe_section(i, cursor));
    facts_.data_end = cursor.end();
    RowWriter io{out, names_};
    io.items("header", describe_header(header_, default_header(facts_)));
    if (count() != 0) {
      Node null = describe_null_section(states_[0].raw, facts_, names_);
      // Without `sections`, this records that there is a section table.
      if (!null.items.empty() || count() == 1)
        out.set("null_section", std::move(null));
    }
    io.items("sections", std::move(list));
    io.items("segments", describe_segments());
    io.number("file_size", file_.file().size(), unless(file_end(header_, facts_)));
    patch(out);
    return out;
  }

private:
  void assign_bytes() {
    OwnedRanges owned;
    (void)owned.take(0, file_header_size(facts_.elf_class), 0);
    if (count() != 0)
      (void)owned.take(header_.shoff, count() * section_header_size(facts_.elf_class), 0);
    if (!file_.segments().empty())
      (void)owned.take(header_.phoff,
                       file_.segments().size() * segment_header_size(facts_.elf_class), 0);
    for (u32 i = 1; i < count(); ++i) {
      SectionState &state = states_[i];
      const RawSection &raw = state.raw;
      if (raw.size == 0 || elf::has_no_file_data(raw.type))
        continue;
      if (!slice(file_.file(), raw.offset, raw.size)) {
        state.content = Content::HeaderOnly;
      } else if (owned.take(raw.offset, raw.size, i)) {
        state.content = Content::Own;
      } else {
        state.shares = owned.owner_of(raw.offset, raw.size);
        state.content = state.shares == 0 ? Content::HeaderOnly : Content::Shared;
      }
    }
    // On sm_110, ptxas and nvlink give the Mercury counterpart of reserved shared memory a range in
    // the file, although its type has no data; the range contains an earlier section table.
    for (u32 i = 1; i < count(); ++i) {
      SectionState &state = states_[i];
      const RawSection &raw = state.raw;
      if (elf::has_no_file_data(raw.type) && (raw.flags & elf::kFlagMercury) != 0 &&
          raw.size != 0 && slice(file_.file(), raw.offset, raw.size) &&
          owned.take(raw.offset, raw.size, i))
        state.content = Content::Own;
    }
  }

  void name_sections() {
    for (u32 i = 1; i < count(); ++i)
      if (states_[i].content == Content::Own && states_[i].raw.type == SectionType::Strtab)
        states_[i].strings = std::make_unique<StringPlaces>(section(i).data);
    const StringPlaces &strings = strings_of(header_.name_section);
    for (u32 i = 0; i < count(); ++i) {
      SectionState &state = states_[i];
      const std::string_view name = section(i).name;
      if (i != 0 && !name.empty() && strings.find(name) == state.raw.name_offset)
        state.name = name;
      names_.add(state.name);
      facts_.has_compat = facts_.has_compat || state.name == ".nv.compat";
    }
  }

  void name_symbols() {
    for (u32 i = 1; i < count(); ++i) {
      SectionState &state = states_[i];
      if (state.content != Content::Own || !elf::is_symbol_table(state.raw.type) ||
          state.raw.size % symbol_size() != 0)
        continue;
      state.symbols = std::make_unique<TableSymbols>();
      const elf::SymbolTable table = file_.symbols(section(i));
      const StringPlaces &strings = strings_of(state.raw.link);
      for (u32 s = 0; s < table.size(); ++s) {
        state.symbols->symbols.push_back(table[s]);
        state.symbols->names.add(symbol_name(table[s], strings));
      }
    }
  }

  void collect_used_names() {
    used_.resize(count());
    if (header_.name_section < count())
      for (u32 i = 1; i < count(); ++i)
        used_[header_.name_section].push_back(states_[i].name);
    for (const SectionState &state : states_)
      if (state.symbols && state.raw.link < count())
        for (u32 i = 0; i < state.symbols->names.size(); ++i)
          used_[state.raw.link].push_back(state.symbols->names.name(i));
  }

  [[nodiscard]] Node describe_section(u32 index, FileCursor &cursor) {
    Node out = Node::map();
    describe_header_fields(out, index);
    describe_place(out, index, cursor);
    describe_content(out, index);
    const bool block = std::ranges::any_of(out.items, [](const Node &item) {
      return (!item.items.empty() && item.style == Node::Style::Block) ||
             item.style == Node::Style::Lines;
    });
    out.style = block ? Node::Style::Block : Node::Style::Flow;
    return out;
  }

  void describe_header_fields(Node &out, u32 index) {
    const RawSection &raw = states_[index].raw;
    const std::string_view name = states_[index].name;
    if (!name.empty())
      out.set("name", name_node(name));
    else if (raw.name_offset != 0)
      out.set("name_at", hexadecimal(raw.name_offset));
    RowWriter io{out, names_};
    io.word("type", Words::SectionType, raw.type, default_section_type(name, facts_.type));
    const SectionDefaults defaults = section_defaults(name, raw.type, facts_);
    io.word("flags", Words::SectionFlags, raw.flags, defaults.flags);
    io.number("addr", raw.addr, unless(0));
    io.reference("link", raw.link, names_.find(defaults.link).value_or(0));
    describe_info_field(out, index, defaults);
    io.number("align", raw.align, unless(defaults.align));
    io.number("entsize", raw.entsize, unless(defaults.entsize));
  }

  void describe_info_field(Node &out, u32 index, const SectionDefaults &defaults) {
    const SectionState &state = states_[index];
    const RawSection &raw = state.raw;
    const NameIndex &symbols = symbols_of(raw.link);
    u32 otherwise = 0;
    if (state.symbols)
      otherwise = default_first_global(state.symbols->symbols);
    else if (!defaults.info_section.empty())
      otherwise = names_.find(defaults.info_section).value_or(0);
    else
      otherwise = symbols.find(defaults.info_symbol).value_or(0);
    if (raw.info == otherwise)
      return;
    const u32 low = raw.info & 0xffffff;
    const bool section_info =
        (raw.flags & elf::kFlagInfoLink) != 0 || elf::is_relocation_table(raw.type);
    if (!defaults.info_symbol.empty() && low < symbols.size()) {
      // Up to sm_89 the top byte holds the function's registers.
      if (low != otherwise)
        out.set("info_symbol", symbols.reference(low));
      if (raw.info >> 24 != 0)
        out.set("registers", decimal(raw.info >> 24));
    } else if (section_info && raw.info < count()) {
      out.set("info_section", names_.reference(raw.info));
    } else {
      out.set("info", hexadecimal(raw.info));
    }
  }

  void describe_place(Node &out, u32 index, FileCursor &cursor) {
    const SectionState &state = states_[index];
    const RawSection &raw = state.raw;
    const bool no_data = elf::has_no_file_data(raw.type);
    if (no_data && raw.size != 0 && state.content != Content::Own)
      out.set("size", hexadecimal(raw.size));
    if (state.content == Content::Shared) {
      out.set("shares", names_.reference(state.shares));
      return;
    }
    const u64 expected = cursor.aligned(raw.align);
    const u64 bytes = state.content == Content::Own ? raw.size : 0;
    if (state.content == Content::HeaderOnly) {
      out.set("header_only", "true");
      out.set("size", hexadecimal(raw.size));
    }
    // An offset outside the file must not move the following sections.
    const bool inside = raw.offset <= file_.file().size();
    if (state.content == Content::HeaderOnly || raw.offset < expected || !inside) {
      out.set("offset", hexadecimal(raw.offset));
      if (bytes != 0)
        cursor.cover(raw.offset, bytes);
      return;
    }
    if (raw.offset != expected)
      out.set("gap", hexadecimal(raw.offset - expected));
    cursor.place(raw.offset, bytes);
  }

  void describe_content(Node &out, u32 index) {
    const SectionState &state = states_[index];
    const RawSection &raw = state.raw;
    if (state.content == Content::None) {
      // The default of these types is not empty.
      if (raw.type == SectionType::Strtab || raw.type == SectionType::SymtabShndx)
        out.set("raw", "");
      return;
    }
    if (state.content != Content::Own)
      return;
    const ByteSpan data = bytes_of(index);
    const SectionRole role = elf::classify_section(state.name, raw.type, raw.flags).role;
    const std::size_t before = out.items.size();
    const std::string_view key = record_key(role);
    if (raw.type == SectionType::Strtab) {
      if (std::optional<Node> list = string_list_node(section(index).data, used_[index]))
        out.set("strings", std::move(*list));
    } else if (state.symbols)
      describe_symbols(out, index);
    else if (elf::is_relocation_table(raw.type))
      describe_relocations(out, index);
    else if (raw.type == SectionType::SymtabShndx)
      return describe_indices(out, index);
    else if (!key.empty()) {
      const u32 strtab = raw.link < count() ? states_[raw.link].raw.link : 0;
      if (auto records = describe_records(role, data, {symbols_of(raw.link), strings_of(strtab)}))
        out.set(key, std::move(*records));
    } else if (role == SectionRole::Text && data.size() % kInstructionSize == 0) {
      out.set("code", code_node(data));
    } else if (!elf::is_symbol_table(raw.type)) {
      out.set("data", data_node(data));
    }
    if (out.items.size() == before)
      out.set("raw", data_node(data));
  }

  void describe_symbols(Node &out, u32 index) {
    const TableSymbols &table = *states_[index].symbols;
    const ByteSpan first = section(index).data.first(symbol_size());
    Node rows = Node::sequence();
    for (u32 i = 0; i < table.symbols.size(); ++i) {
      const bool null = i == 0 && std::ranges::all_of(first, [](u8 byte) { return byte == 0; });
      if (null)
        continue;
      Node row = describe_symbol(table.symbols[i], table.names.name(i), names_);
      if (i == 0)
        out.set("symbol0", std::move(row));
      else
        rows.add(std::move(row));
    }
    out.set("symbols", std::move(rows));
  }

  void describe_relocations(Node &out, u32 index) {
    const RawSection &raw = states_[index].raw;
    const bool rela = elf::is_rela(raw.type);
    // Accept any index: entries are decoded as stored.
    const elf::RelocationTable table(facts_.elf_class, rela, 0xffffffff, section(index).data);
    if (raw.size % elf::relocation_entry_size(facts_.elf_class, rela) != 0)
      return;
    const NameIndex &symbols = symbols_of(raw.link);
    Node rows = Node::sequence();
    for (u32 i = 0; i < table.size(); ++i)
      rows.add(describe_relocation(table[i], rela, symbols));
    out.set("relocs", std::move(rows));
  }

  void describe_indices(Node &out, u32 index) {
    const RawSection &raw = states_[index].raw;
    const ByteSpan data = section(index).data;
    if (raw.link < count() && states_[raw.link].symbols &&
        std::ranges::equal(data, extended_indices(states_[raw.link].symbols->symbols)))
      return;
    if (data.size() % 4 == 0)
      out.set("indices", number_lines_node(data));
    else
      out.set("raw", data_node(data));
  }

  [[nodiscard]] Node describe_segments() const {
    const std::vector<elf::Segment> &segments = file_.segments();
    std::vector<RawSection> placed;
    for (const SectionState &state : states_)
      placed.push_back(state.raw);
    const SegmentContext context{names_, std::move(placed), header_.phoff,
                                 segments.size() * segment_header_size(facts_.elf_class),
                                 segments.size() <= kMaxRangedSegments};
    Node list = Node::sequence();
    for (const elf::Segment &segment : segments)
      list.add(describe_segment(segment, context));
    return list;
  }

  // Adds the bytes of the file that the document does not describe.
  void patch(Node &out) const {
    const Result<std::vector<u8>> made = assemble_exact(out);
    const ByteSpan file = file_.file();
    const bool sound = made && made->size() == file.size();
    const ByteSpan image = sound ? ByteSpan(*made) : ByteSpan();
    if (!sound) { // then the file is described by bytes only
      out = Node::map();
      out.set("cubin", "exact");
      out.set("class", facts_.elf_class == elf::ElfClass::Elf32 ? "32" : "64");
      out.set("file_size", hexadecimal(file.size()));
    }
    RowWriter{out, names_}.items("patch", describe_patches(file, image));
  }

  [[nodiscard]] const elf::Section &section(u32 index) const { return file_.sections()[index]; }
  // Precondition: the section has content of its own.
  [[nodiscard]] ByteSpan bytes_of(u32 index) const {
    return file_.file().subspan(states_[index].raw.offset, states_[index].raw.size);
  }
  [[nodiscard]] u32 symbol_size() const { return elf::symbol_entry_size(facts_.elf_class); }
  [[nodiscard]] u32 count() const { return static_cast<u32>(states_.size()); }
  [[nodiscard]] const NameIndex &symbols_of(u32 link) const {
    return link < count() && states_[link].symbols ? states_[link].symbols->names : no_symbols_;
  }
  [[nodiscard]] const StringPlaces &strings_of(u32 table) const {
    return table < count() && states_[table].strings ? *states_[table].strings : no_strings_;
  }

  const elf::ElfView &file_;
  const elf::FileHeader &header_;
  std::vector<SectionState> states_;
  FileFacts facts_;
  NameIndex names_{"section"};
  std::vector<std::vector<std::string_view>> used_; // by string table: the names that refer to it
  NameIndex no_symbols_{"symbol"};
  StringPlaces no_strings_;
};

} // namespace

Node describe_exact(const elf::ElfView &file) {
  return ExactDescriber(file).run();
}

} // namespace culink::text
