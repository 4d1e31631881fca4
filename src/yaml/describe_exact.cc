// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file as a document of the exact form. The law is assemble(describe_exact(f)) == f; the rules
// that keep documents short are in exact_parts.h, and whatever they do not give is stated.
//
// Three things make the law hold for broken files too. Header fields are taken as stored, not as
// the tolerant view repairs them. Each byte of the file is described by one owner: the first
// section that covers it; a section that overlaps what is already owned keeps its header only
// (`shares` when the ranges are equal, as with Mercury counterparts). And last of all the document
// is assembled and compared; bytes that nobody owns, such as padding that is not zero, become
// `patch`.
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

namespace culink::text {

using elf::SectionRole;
using elf::SectionType;

namespace {

enum class Content : u8 {
  None,       // no bytes: size 0, or a type without data
  Own,        // described with the section
  Shared,     // the bytes of another section
  HeaderOnly, // outside the file, or overlapping
};

// Ranges of the file that have an owner.
class OwnedRanges {
public:
  // Takes the range if no byte of it is owned.
  [[nodiscard]] bool take(u64 offset, u64 size, u32 owner) {
    const auto next = ranges_.lower_bound(offset);
    if (next != ranges_.end() && next->first < offset + size)
      return false;
    if (next != ranges_.begin() && std::prev(next)->second.end > offset)
      return false;
    ranges_.emplace(offset, Range{offset + size, owner});
    return true;
  }
  // The owner of exactly this range, or 0.
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
  NameIndex index{"symbol"};
  std::vector<SymbolName> forms;
  std::vector<elf::Symbol> symbols;
};

struct SectionState {
  RawSection raw;
  Content content = Content::None;
  u32 shares = 0;
  bool named = false;                    // `name` leads to raw.name
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

    const arch::FileTarget target = arch::target_of(file_);
    Node out = Node::map();
    out.set("cubin", "exact");
    if (target.arch)
      out.set("arch", std::string(target.arch->name));
    out.set("type", words_of(Words::FileType, header_.type));
    if (facts_.elf_class == elf::ElfClass::Elf32)
      out.set("class", "32");

    FileCursor cursor(file_header_size(facts_.elf_class));
    Node list = Node::sequence();
    for (u32 i = 1; i < count(); ++i)
      list.add(describe_section(i, cursor));
    const HeaderFacts header_facts{facts_.elf_class,
                                   header_.type,
                                   target.arch ? std::string(target.arch->name) : std::string(),
                                   count(),
                                   static_cast<u32>(file_.segments().size()),
                                   names_.find(".shstrtab").value_or(0),
                                   names_.find(".note.nv.cuinfo").value_or(0),
                                   cursor.end()};
    Node header = describe_header(header_, default_header(header_facts));
    if (!header.items.empty())
      out.set("header", std::move(header));
    if (std::optional<Node> null = describe_null_section())
      out.set("null_section", std::move(*null));
    if (!list.items.empty())
      out.set("sections", std::move(list));
    describe_segments(out);
    const u64 table_end = count() * section_header_size(facts_.elf_class) + header_.shoff;
    const u64 segment_end =
        file_.segments().size() * segment_header_size(facts_.elf_class) + header_.phoff;
    const u64 end = std::max(
        {cursor.end(), count() == 0 ? 0 : table_end, file_.segments().empty() ? 0 : segment_end});
    if (end != file_.file().size())
      out.set("file_size", hexadecimal(file_.file().size()));
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
    // On sm_110 ptxas and nvlink give the Mercury counterpart of reserved shared memory a place in
    // the file, though its type has none, and leave an earlier section table in it.
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
      const std::string_view name = section(i).name;
      states_[i].named = i != 0 && !name.empty() && strings.find(name) == states_[i].raw.name;
      names_.add(name_of(i));
      facts_.has_compat = facts_.has_compat || name_of(i) == ".nv.compat";
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
        const elf::Symbol symbol = table[s];
        const SymbolName name = symbol_name(symbol, names_, strings);
        state.symbols->symbols.push_back(symbol);
        state.symbols->forms.push_back(name);
        state.symbols->index.add(name.name);
      }
    }
  }

  void collect_used_names() {
    used_.resize(count());
    if (header_.name_section < count())
      for (u32 i = 1; i < count(); ++i)
        used_[header_.name_section].push_back(name_of(i));
    for (const SectionState &state : states_)
      if (state.symbols && state.raw.link < count())
        for (const SymbolName &name : state.symbols->forms)
          used_[state.raw.link].push_back(name.name);
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
    const std::string_view name = name_of(index);
    if (states_[index].named)
      out.set("name", name_node(name));
    else if (raw.name != 0)
      out.set("name_at", hexadecimal(raw.name));
    if (raw.type != default_section_type(name, facts_.type))
      out.set("type", words_of(Words::SectionType, raw.type));
    const SectionDefaults defaults = section_defaults(name, raw.type, facts_);
    if (raw.flags != defaults.flags)
      out.set("flags", words_of(Words::SectionFlags, raw.flags));
    if (raw.addr != 0)
      out.set("addr", hexadecimal(raw.addr));
    if (raw.link != names_.find(defaults.link).value_or(0))
      out.set("link", names_.reference(raw.link));
    describe_info_field(out, index, defaults);
    if (raw.align != defaults.align)
      out.set("align", hexadecimal(raw.align));
    if (raw.entsize != defaults.entsize)
      out.set("entsize", hexadecimal(raw.entsize));
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
    // A place outside the file must not move the sections behind it.
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
      // These have a content even when the document states none.
      if (raw.type == SectionType::Strtab || raw.type == SectionType::SymtabShndx)
        out.set("raw", "");
      return;
    }
    if (state.content != Content::Own)
      return;
    const ByteSpan data = bytes_of(index);
    const SectionRole role = elf::classify_section(name_of(index), raw.type, raw.flags).role;
    const std::size_t before = out.items.size();
    const std::string_view key = record_key(role);
    if (raw.type == SectionType::Strtab)
      describe_strings(out, index);
    else if (state.symbols)
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
    const TableSymbols &names = *states_[index].symbols;
    const ByteSpan first = section(index).data.first(symbol_size());
    Node rows = Node::sequence();
    for (u32 i = 0; i < names.symbols.size(); ++i) {
      const bool null = i == 0 && std::ranges::all_of(first, [](u8 byte) { return byte == 0; });
      if (null)
        continue;
      Node row = describe_symbol(names.symbols[i], names.forms[i], names_);
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
    // The widest index any entry can have: entries are decoded as they are stored.
    const elf::RelocationTable table(facts_.elf_class, rela, 0xffffffff, section(index).data);
    if (raw.size % elf::relocation_entry_size(facts_.elf_class, rela) != 0)
      return;
    const NameIndex &symbols = symbols_of(raw.link);
    Node rows = Node::sequence();
    for (u32 i = 0; i < table.size(); ++i)
      rows.add(describe_relocation(table[i], rela, symbols));
    out.set("relocs", std::move(rows));
  }

  void describe_strings(Node &out, u32 index) {
    if (std::optional<Node> list = string_list_node(section(index).data, used_[index]))
      out.set("strings", std::move(*list));
  }

  void describe_indices(Node &out, u32 index) {
    const RawSection &raw = states_[index].raw;
    const ByteSpan data = section(index).data;
    const TableSymbols *table =
        raw.link < count() && states_[raw.link].symbols ? states_[raw.link].symbols.get() : nullptr;
    bool usual = table && data.size() == table->symbols.size() * 4;
    for (u32 i = 0; usual && i < table->symbols.size(); ++i) {
      const elf::Symbol &symbol = table->symbols[i];
      const bool extended = symbol.raw_section == elf::kSectionXindex;
      usual = load_le<u32>(data.data() + i * 4) == (extended ? symbol.section : 0);
    }
    if (usual)
      return;
    if (data.size() % 4 == 0)
      out.set("indices", number_lines_node(data));
    else
      out.set("raw", data_node(data));
  }

  [[nodiscard]] std::optional<Node> describe_null_section() const {
    if (count() == 0)
      return std::nullopt;
    const RawSection &raw = states_[0].raw;
    const RawSection usual = null_section(count(), names_.find(".shstrtab").value_or(0));
    Node out = Node::map(Node::Style::Flow);
    const auto state = [&](std::string_view key, u64 value, u64 otherwise) {
      if (value != otherwise)
        out.set(key, hexadecimal(value));
    };
    state("name_at", raw.name, usual.name);
    state("type", static_cast<u32>(raw.type), static_cast<u32>(usual.type));
    state("flags", raw.flags, usual.flags);
    state("addr", raw.addr, usual.addr);
    state("offset", raw.offset, usual.offset);
    state("size", raw.size, usual.size);
    if (raw.link != usual.link)
      out.set("link", names_.reference(raw.link));
    state("info", raw.info, usual.info);
    state("align", raw.align, usual.align);
    state("entsize", raw.entsize, usual.entsize);
    const bool alone = count() == 1; // `sections` is empty: the table exists all the same
    if (out.items.empty() && !alone)
      return std::nullopt;
    return out;
  }

  void describe_segments(Node &out) const {
    const std::vector<elf::Segment> &segments = file_.segments();
    if (segments.empty())
      return;
    std::vector<PlacedSection> placed;
    for (const SectionState &state : states_)
      placed.push_back(
          {state.raw.type, state.raw.flags, state.raw.offset, state.raw.size, state.raw.align});
    const SegmentContext context{names_, placed, header_.phoff,
                                 segments.size() * segment_header_size(facts_.elf_class),
                                 segments.size() <= kMaxRangedSegments};
    Node list = Node::sequence();
    for (const elf::Segment &segment : segments)
      list.add(describe_segment(segment, context));
    out.set("segments", std::move(list));
  }

  // What the document does not give yet, from the file itself.
  void patch(Node &out) const {
    const Result<std::vector<u8>> made = assemble_exact(out);
    const ByteSpan file = file_.file();
    const bool sound = made && made->size() == file.size();
    const ByteSpan image = sound ? ByteSpan(*made) : ByteSpan();
    if (!sound) { // nothing but bytes, then
      out = Node::map();
      out.set("cubin", "exact");
      out.set("class", facts_.elf_class == elf::ElfClass::Elf32 ? "32" : "64");
      out.set("file_size", hexadecimal(file.size()));
    }
    Node list = describe_patches(file, image);
    if (!list.items.empty())
      out.set("patch", std::move(list));
  }

  [[nodiscard]] const elf::Section &section(u32 index) const { return file_.sections()[index]; }
  // Of sections with content of their own.
  [[nodiscard]] ByteSpan bytes_of(u32 index) const {
    return file_.file().subspan(states_[index].raw.offset, states_[index].raw.size);
  }
  [[nodiscard]] u32 symbol_size() const { return elf::symbol_entry_size(facts_.elf_class); }
  [[nodiscard]] u32 count() const { return static_cast<u32>(states_.size()); }
  [[nodiscard]] const NameIndex &symbols_of(u32 link) const {
    return link < count() && states_[link].symbols ? states_[link].symbols->index : no_symbols_;
  }
  [[nodiscard]] const StringPlaces &strings_of(u32 table) const {
    return table < count() && states_[table].strings ? *states_[table].strings : no_strings_;
  }
  [[nodiscard]] std::string_view name_of(u32 index) const {
    return states_[index].named ? section(index).name : std::string_view();
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
