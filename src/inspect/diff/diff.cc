// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares two files: first header and layout, then all parts in order. Each difference is reported
// by the part that knows its meaning. Offsets come last, because almost any other difference moves
// them.
//
// The tables of the two files: which sections and symbols there are, in which order, and the fields
// of their entries. Indices are never compared: sh_link, sh_info and st_shndx are reported by name,
// so an additional section does not show up in every header after it.
#include "inspect/diff/diff.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_capmerc.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"
#include "elf/section_kind.h"
#include "elf/target/reloc.h"
#include "inspect/diff/diff_report.h"
#include "support/bytes.h"

namespace culink::text {

namespace diff {

using elf::ElfView;
using elf::FileHeader;
using elf::Section;
using elf::SectionRole;
using elf::Segment;
using elf::Symbol;
using elf::SymbolTable;

namespace {

std::string symbol_value(const Side &side, const Symbol &symbol) {
  return fmt::format(
      "binding {}, type {}, other {:#04x}, section {}, value {:#x}, size {:#x}",
      name_or_number(elf::kSymbolBindingNames.name_of(symbol.binding()), symbol.info >> 4),
      name_or_number(elf::kSymbolTypeNames.name_of(symbol.type()), symbol.info & 15), symbol.other,
      side.symbol_section(symbol), symbol.value, symbol.size);
}

std::vector<Item> symbol_items(const Files &files, const Side &side, const Section &table) {
  const SymbolTable symbols = side.view().symbols(table);
  std::vector<Item> items;
  items.reserve(symbols.size());
  for (u32 i = 0; i < symbols.size(); ++i) {
    const Symbol symbol = symbols[i];
    if (symbol.type() == elf::SymbolType::Section && symbol.in_section() &&
        files.one_sided(side.view().sections()[symbol.section]))
      continue;
    items.push_back({side.symbol(symbols, i), symbol_value(side, symbol), i});
  }
  return items;
}

// ---- Records ------------------------------------------------------------------------------------

// Record sections of the two files, and string tables: relocations, .nv.info, call graph,
// prototypes, .nv.compat and notes. Every symbol index and string offset is replaced by a name
// before the comparison. A record is matched by its subject (attribute and symbol, caller, offset
// in the code), so a changed value is reported as a change of that record.

std::string hex_bytes(ByteSpan bytes, std::string_view between = " ") {
  std::string text;
  for (const u8 byte : bytes)
    text += fmt::format("{}{:02x}", text.empty() ? "" : between, byte);
  return text;
}

// Appends the bytes that the codec could not read as one entry, so that they are compared, too.
void add_rest(std::vector<Item> &items, ByteSpan rest) {
  if (!rest.empty())
    add_item(items, "unreadable rest", hex_bytes(rest, ""));
}

// Returns a string of the symbol table's string table.
std::string string_text(const Side &side, const Section &section, u32 offset) {
  const Section &symbols = side.view().sections()[section.link];
  const auto found = c_string_at(side.view().sections()[symbols.link].data, offset);
  return found ? quoted(*found) : fmt::format("{:#x} (no string)", offset);
}

// ---- .nv.info -----------------------------------------------------------------------------------

template <typename Attribute>
std::string payload_text(const elf::AttributeRecord<Attribute> &record, u32 first_word) {
  if (!record.sized())
    return fmt::format("{:#x}", record.value);
  std::string text;
  u64 at = u64{first_word} * 4;
  for (; at + 4 <= record.payload.size(); at += 4)
    text += fmt::format("{}{:#x}", text.empty() ? "" : " ", load_le<u32>(&record.payload[at]));
  for (; at < record.payload.size(); ++at)
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", record.payload[at]);
  return text;
}

std::vector<Item> info_items(const Side &side, const Section &section) {
  const SymbolTable symbols = side.view().linked_symbols(section);
  const elf::InfoSection info = elf::decode_info(section.data);
  std::vector<Item> items;
  for (const elf::InfoRecord &record : info.records) {
    const u32 code = static_cast<u32>(record.attribute);
    Item item{name_or_number(elf::kInfoAttributeNames.name_of(code), code), "",
              static_cast<u32>(items.size())};
    const u32 words = symbol_word_count(record);
    for (u32 i = 0; i < words; ++i) {
      const auto index = load_at<u32>(record.payload, u64{i} * 4);
      if (!index)
        break;
      // A single symbol is the subject of the record; a list of symbols is its value.
      std::string &text = words == 1 ? item.key : item.value;
      text += fmt::format("{}{}", text.empty() ? "" : " ", side.symbol(symbols, *index));
    }
    const std::string rest = payload_text(record, words);
    item.value += fmt::format("{}{}", item.value.empty() || rest.empty() ? "" : " ", rest);
    const auto row = elf::info_row(record.attribute);
    if (!row || row->format != record.format)
      item.value += fmt::format(" (format {})", static_cast<u32>(record.format));
    items.push_back(std::move(item));
  }
  add_rest(items, info.rest);
  return items;
}

std::vector<Item> compat_items(const Side &, const Section &section) {
  const elf::CompatSection compat = elf::decode_compat(section.data);
  std::vector<Item> items;
  for (const elf::CompatRecord &record : compat.records) {
    const u32 code = static_cast<u32>(record.attribute);
    add_item(
        items, name_or_number(elf::kCompatAttributeNames.name_of(code), code),
        fmt::format("{} (format {})", payload_text(record, 0), static_cast<u32>(record.format)));
  }
  add_rest(items, compat.rest);
  return items;
}

// ---- Call graph ---------------------------------------------------------------------------------

std::vector<Item> call_items(const Side &side, const Section &section) {
  const SymbolTable symbols = side.view().linked_symbols(section);
  const elf::CallGraph graph = elf::decode_call_graph(section.data);
  std::vector<Item> items;
  for (const elf::CallGroup &group : graph.groups) {
    const bool prototype = second_is_prototype(group.part);
    const u32 part = static_cast<u32>(group.part);
    add_item(items, fmt::format("start of part -{}", part), "");
    for (const elf::CallPair &pair : group.pairs) {
      const std::string second =
          prototype ? string_text(side, section, pair.second) : side.symbol(symbols, pair.second);
      add_item(items,
               fmt::format("part -{}: {} -> {}", part, side.symbol(symbols, pair.first), second),
               "");
    }
  }
  add_rest(items, graph.rest);
  return items;
}

std::vector<Item> prototype_items(const Side &side, const Section &section) {
  const SymbolTable symbols = side.view().linked_symbols(section);
  const elf::PrototypeSection prototypes = elf::decode_prototypes(section.data);
  std::vector<Item> items;
  for (const elf::Prototype &record : prototypes.records)
    add_item(items, side.symbol(symbols, record.symbol), string_text(side, section, record.string));
  add_rest(items, prototypes.rest);
  return items;
}

// ---- Notes --------------------------------------------------------------------------------------

void add_toolkit_note(std::vector<Item> &items, u64 number, const elf::ToolkitInfo &info) {
  const auto add = [&](std::string_view field, std::string text) {
    add_item(items, fmt::format("{} of note {}", field, number), std::move(text));
  };
  add("version", std::to_string(info.version));
  add("object", quoted(info.object));
  add("tool", quoted(info.tool));
  add("tool version", quoted(info.tool_version));
  add("build", quoted(info.build));
  add("options", quoted(info.options));
}

std::vector<Item> note_items(const Side &, const Section &section) {
  const elf::NoteSection notes = elf::decode_notes(section.data);
  std::vector<Item> items;
  u64 number = 0;
  for (const elf::Note &note : notes.notes) {
    add_item(items, fmt::format("owner and type of note {}", number),
             fmt::format("{} {}", quoted(note.owner()), note.type));
    const Result<elf::ToolkitInfo> toolkit = elf::decode_toolkit_info(note.desc);
    const Result<elf::CudaInfo> cuda = elf::decode_cuda_info(note.desc);
    if (note.type == elf::kNoteToolkitInfo && toolkit)
      add_toolkit_note(items, number, *toolkit);
    else if (note.type == elf::kNoteCudaInfo && cuda && !cuda->words)
      add_item(items, fmt::format("contents of note {}", number),
               fmt::format("version {}, virtual architecture {}, toolkit {}", cuda->version,
                           cuda->virtual_arch, cuda->toolkit));
    else
      add_rest(items, note.desc);
    ++number;
  }
  add_rest(items, notes.rest);
  return items;
}

// ---- Relocations --------------------------------------------------------------------------------

std::string relocation_name(u32 type) {
  const arch::RelocInfo *row = arch::find_reloc(type);
  return row ? std::string(row->name) : fmt::format("type {:#x}", type);
}

std::vector<Item> relocation_items(const Side &side, const Section &section) {
  const SymbolTable symbols = side.view().linked_symbols(section);
  const elf::RelocationTable table = side.view().relocations(section);
  std::vector<Item> items;
  items.reserve(table.size());
  for (u32 i = 0; i < table.size(); ++i) {
    const elf::Relocation r = table[i];
    add_item(items, fmt::format("at {:#x}", r.offset),
             fmt::format("{} against {}, addend {:#x}", relocation_name(r.type),
                         side.symbol(symbols, r.symbol), r.addend));
  }
  const u64 read = section.entsize == 0 ? 0 : u64{table.size()} * section.entsize;
  add_rest(items, section.data.subspan(std::min<u64>(read, section.data.size())));
  return items;
}

std::vector<Item> string_items(const Side &, const Section &table) {
  std::vector<Item> items;
  std::string_view rest(reinterpret_cast<const char *>(table.data.data()), table.data.size());
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\0'), rest.size());
    add_item(items, quoted(rest.substr(0, end)), "");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return items;
}

// ---- Which comparison for which role ------------------------------------------------------------

struct RecordRow {
  SectionRole role;
  DiffTopic topic;
  std::string_view noun;
  std::vector<Item> (*items)(const Side &, const Section &);
};

constexpr std::array kRecords = std::to_array<RecordRow>({
    {SectionRole::StringTable, DiffTopic::Strings, "string", string_items},
    {SectionRole::NoteTkinfo, DiffTopic::Tkinfo, "field", note_items},
    {SectionRole::NoteCuinfo, DiffTopic::Notes, "field", note_items},
    {SectionRole::NoteCuver, DiffTopic::Notes, "field", note_items},
    {SectionRole::Note, DiffTopic::Notes, "field", note_items},
    {SectionRole::Compat, DiffTopic::Compat, "record", compat_items},
    {SectionRole::Info, DiffTopic::Info, "record", info_items},
    {SectionRole::Callgraph, DiffTopic::CallGraph, "record", call_items},
    {SectionRole::Prototype, DiffTopic::CallGraph, "record", prototype_items},
    {SectionRole::Rel, DiffTopic::Relocs, "relocation", relocation_items},
    {SectionRole::Rela, DiffTopic::Relocs, "relocation", relocation_items},
    {SectionRole::ResolvedRela, DiffTopic::Relocs, "relocation", relocation_items},
});

bool has_records(const Section &section) {
  const SectionRole role = role_of(section);
  return role == SectionRole::SymbolTable ||
         std::ranges::count(kRecords, role, &RecordRow::role) != 0;
}

void diff_records(const Files &files, Report &report) {
  for (const Pair &pair : files.pairs) {
    const SectionRole role = role_of(*pair.a);
    if (role != role_of(*pair.b))
      continue; // reported as a difference of types
    if (files.same_numbers && std::ranges::equal(pair.a->data, pair.b->data))
      continue;
    for (const RecordRow &row : kRecords)
      if (row.role == role)
        diff_items({row.topic, files.a.section(pair.a->index), row.noun, row.noun != "field"},
                   row.items(files.a, *pair.a), row.items(files.b, *pair.b), report);
  }
}

// ---- Section headers ---------------------------------------------------------------------------

// Returns the meaning of sh_info in this section as text.
std::string info_text(const Side &side, const Section &s) {
  switch (role_of(s)) {
  case SectionRole::Text:
  case SectionRole::CapmercText: {
    // Targets before sm_90 keep the register count in the top byte.
    const SymbolTable symbols = side.view().linked_symbols(s);
    const std::string name = side.symbol(symbols, s.info & 0xffffff);
    return s.info >> 24 == 0 ? name : fmt::format("{} and {} registers", name, s.info >> 24);
  }
  case SectionRole::SymbolTable:
    return std::to_string(s.info);
  default:
    return s.info < side.view().sections().size() ? side.section(s.info) : std::to_string(s.info);
  }
}

std::string type_text(const Section &s) {
  return name_or_number(elf::kSectionTypeNames.name_of(s.type), static_cast<u32>(s.type));
}

struct SectionField {
  std::string_view name;
  std::string (*text)(const Side &, const Section &);
};

constexpr std::array kSectionFields = std::to_array<SectionField>({
    {"type", [](const Side &, const Section &s) { return type_text(s); }},
    {"flags", [](const Side &, const Section &s) { return fmt::format("{:#x}", s.flags); }},
    {"link", [](const Side &side, const Section &s) { return side.section(s.link); }},
    {"info", info_text},
    {"alignment", [](const Side &, const Section &s) { return std::to_string(s.align); }},
    {"entry size", [](const Side &, const Section &s) { return std::to_string(s.entsize); }},
    {"address", [](const Side &, const Section &s) { return fmt::format("{:#x}", s.addr); }},
});

bool same_header(const Section &a, const Section &b) {
  return a.type == b.type && a.flags == b.flags && a.link == b.link && a.info == b.info &&
         a.align == b.align && a.entsize == b.entsize && a.addr == b.addr && a.size == b.size;
}

void diff_functions(const Files &files, Report &report) {
  const auto items = [&](const Side &side) {
    std::vector<Item> out;
    for (const Section &s : side.view().sections())
      if (const auto kind = elf::classify_section(s.name, s.type, s.flags);
          kind.role == SectionRole::Text && files.one_sided(s))
        add_item(out, quoted(kind.owner), "");
    return out;
  };
  diff_items({DiffTopic::Functions, "", "function", false}, items(files.a), items(files.b), report);
}

void diff_section_list(const Files &files, Report &report) {
  const auto items = [&](const Side &side) {
    std::vector<Item> out;
    for (const Section &s : side.view().sections())
      if (s.index != 0 && !files.one_sided(s))
        out.push_back({side.section(s.index), "", s.index});
    return out;
  };
  diff_items({DiffTopic::Sections, "", "section"}, items(files.a), items(files.b), report);
}

void diff_symbols(const Files &files, Report &report) {
  if (files.same_numbers)
    return;
  for (const Pair &pair : files.pairs)
    if (is_symbol_table(pair.a->type) && is_symbol_table(pair.b->type))
      diff_items({DiffTopic::Symbols, pair.a->name, "symbol"},
                 symbol_items(files, files.a, *pair.a), symbol_items(files, files.b, *pair.b),
                 report);
}

void diff_section_headers(const Files &files, Report &report) {
  for (const Pair &pair : files.pairs) {
    if (files.same_numbers && same_header(*pair.a, *pair.b))
      continue;
    for (const SectionField &field : kSectionFields) {
      const std::string a = field.text(files.a, *pair.a);
      const std::string b = field.text(files.b, *pair.b);
      if (a != b)
        report.add(DiffTopic::Headers, files.a.section(pair.a->index),
                   [&] { return fmt::format("{} {} vs {}", field.name, a, b); });
    }
    // The size of a table follows from its entries, which are compared one by one.
    if (pair.a->size != pair.b->size && !has_records(*pair.a))
      report.add(DiffTopic::Headers, files.a.section(pair.a->index),
                 [&] { return fmt::format("size {:#x} vs {:#x}", pair.a->size, pair.b->size); });
  }
}

// ---- Contents -----------------------------------------------------------------------------------

// Contents that are not tables. Code is compared instruction by instruction and reported by
// function and offset; data is reported by the variable it belongs to. If no other difference is
// found, the bytes between the sections are compared.

constexpr u64 kInstruction = 16;
constexpr u64 kRow = 16;

// Returns " in 'x' + 0x4", or "" if no symbol covers the offset.
std::string symbol_at(const Side &side, const Section &section, u64 offset) {
  const SymbolTable symbols = side.view().symbols();
  std::optional<Symbol> last; // the last one that begins at or before the offset
  for (u32 i = 1; i < symbols.size(); ++i)
    if (const Symbol symbol = symbols[i];
        symbol.section == section.index && symbol.in_section() && symbol.size != 0 &&
        symbol.type() != elf::SymbolType::Section && symbol.value <= offset &&
        (!last || last->value <= symbol.value))
      last = symbol;
  if (!last || offset - last->value >= last->size)
    return "";
  return fmt::format(" in {} + {:#x}", quoted(last->name), offset - last->value);
}

// Returns an instruction as disassemblers write it: two words, the low one first.
std::string instruction_words(ByteSpan bytes) {
  if (bytes.size() < kInstruction)
    return hex_bytes(bytes);
  return fmt::format("{:#018x} {:#018x}", load_le<u64>(bytes.data()),
                     load_le<u64>(bytes.data() + 8));
}

u64 count_units(ByteSpan a, ByteSpan b, u64 unit, u64 &first) {
  u64 count = 0;
  const u64 common = std::min(a.size(), b.size());
  for (u64 at = 0; at < common; at += unit) {
    const u64 n = std::min(unit, common - at);
    if (std::memcmp(a.data() + at, b.data() + at, n) == 0)
      continue;
    if (count++ == 0)
      first = at;
  }
  return count;
}

DiffTopic topic_of(SectionRole role) {
  switch (role) {
  case SectionRole::Text:
  case SectionRole::CapmercText:
  case SectionRole::MercuryText:
    return DiffTopic::Code;
  case SectionRole::Dwarf:
  case SectionRole::NvDebug:
    return DiffTopic::Debug;
  default:
    return DiffTopic::Data;
  }
}

void diff_code(const Files &files, const Pair &pair, Report &report) {
  u64 first = 0;
  const u64 count = count_units(pair.a->data, pair.b->data, kInstruction, first);
  if (count == 0)
    return;
  const std::string &place = files.a.section(pair.a->index);
  u64 told = 0;
  const u64 common = std::min(pair.a->data.size(), pair.b->data.size());
  for (u64 at = first; at < common; at += kInstruction) {
    const u64 n = std::min(kInstruction, common - at);
    const ByteSpan a = pair.a->data.subspan(at, n), b = pair.b->data.subspan(at, n);
    if (std::ranges::equal(a, b))
      continue;
    ++told;
    report.add(DiffTopic::Code, place, [&] {
      return fmt::format("instruction at {:#x}{}: {} vs {}", at,
                         told == 1 && count > 1 ? fmt::format(" (first of {})", count) : "",
                         instruction_words(a), instruction_words(b));
    });
  }
}

void diff_data(const Files &files, const Pair &pair, DiffTopic topic, Report &report) {
  u64 first = 0;
  const ByteSpan a = pair.a->data, b = pair.b->data;
  const u64 rows = count_units(a, b, kRow, first);
  if (rows == 0)
    return;
  report.add(topic, files.a.section(pair.a->index), [&] {
    u64 ignored = 0;
    const u64 common = std::min(a.size(), b.size());
    u64 at = first;
    while (a[at] == b[at])
      ++at;
    const u64 bytes = count_units(a, b, 1, ignored);
    const u64 n = std::min<u64>(kRow, common - first);
    return fmt::format("bytes differ from {:#x}{} ({} in all): at {:#x} {} vs {}", at,
                       symbol_at(files.a, *pair.a, at), bytes, first,
                       hex_bytes(a.subspan(first, n)), hex_bytes(b.subspan(first, n)));
  });
}

std::string capsule_code(const Side &side, const elf::Capsule &capsule) {
  return capsule.text_section < side.view().sections().size() ? side.section(capsule.text_section)
                                                              : "no section";
}

// Compares the first word of a capsule, a section index, by name, and the records by the
// instruction they belong to.
void diff_capsule(const Files &files, const Pair &pair, Report &report) {
  const elf::Capsule a = elf::decode_capsule(pair.a->data), b = elf::decode_capsule(pair.b->data);
  if (!a.has_header || !b.has_header)
    return diff_data(files, pair, DiffTopic::Code, report);
  const std::string &place = files.a.section(pair.a->index);
  const auto tell = [&](bool differs, auto make) {
    if (differs)
      report.add(DiffTopic::Code, place, make);
    return differs;
  };
  const std::string code_a = capsule_code(files.a, a), code_b = capsule_code(files.b, b);
  tell(code_a != code_b, [&] { return fmt::format("capsule of {} vs {}", code_a, code_b); });
  tell(a.magic != b.magic, [&] { return fmt::format("magic {:#x} vs {:#x}", a.magic, b.magic); });
  if (tell(a.instruction_count != b.instruction_count, [&] {
        return fmt::format("Mercury instructions {} vs {}", a.instruction_count,
                           b.instruction_count);
      }))
    return;
  for (u32 i = 0; i < a.instruction_count; ++i)
    tell(a.recovered(i) != b.recovered(i), [&] {
      return fmt::format("instruction {} has a record in the {} file only", i,
                         a.recovered(i) ? "second" : "first");
    });
  for (size_t i = 0; i < std::min(a.records.size(), b.records.size()); ++i)
    tell(!std::ranges::equal(a.records[i].bytes, b.records[i].bytes), [&] {
      return fmt::format("record of instruction {}: {} vs {}", a.records[i].instruction,
                         hex_bytes(a.records[i].bytes), hex_bytes(b.records[i].bytes));
    });
  tell(a.records.size() != b.records.size(),
       [&] { return fmt::format("records {} vs {}", a.records.size(), b.records.size()); });
  tell(!std::ranges::equal(a.rest, b.rest), [] { return std::string("unreadable ends differ"); });
}

void diff_contents(const Files &files, Report &report) {
  for (const Pair &pair : files.pairs) {
    if (pair.a->data.empty() || pair.b->data.empty() || has_records(*pair.a))
      continue;
    const SectionRole role = elf::classify_section(pair.a->name, pair.a->type, pair.a->flags).role;
    if (const DiffTopic topic = topic_of(role); role == SectionRole::Text)
      diff_code(files, pair, report);
    else if (role == SectionRole::CapmercText)
      diff_capsule(files, pair, report);
    else
      diff_data(files, pair, topic, report);
  }
}

// Compares the bytes between sections. Runs only if no other difference was found.
void diff_padding(const Files &files, Report &report) {
  const ByteSpan a = files.a.view().file(), b = files.b.view().file();
  if (std::ranges::equal(a, b))
    return;
  report.add(DiffTopic::Padding, "", [&] {
    const u64 common = std::min(a.size(), b.size());
    const auto [in_a, in_b] =
        std::mismatch(a.begin(), a.begin() + static_cast<i64>(common), b.begin());
    const u64 at = static_cast<u64>(in_a - a.begin());
    if (at == common)
      return fmt::format("file size {:#x} vs {:#x}", a.size(), b.size());
    std::string_view where = "outside all sections";
    for (const Section &s : files.a.view().sections())
      if (!s.data.empty() && at >= s.offset && at - s.offset < s.size)
        where = files.a.section(s.index);
    return fmt::format("bytes differ that nothing above explains, first at file offset {:#x} ({}): "
                       "{:#04x} vs {:#04x}",
                       at, where, *in_a, *in_b);
  });
}

// ---- The file -----------------------------------------------------------------------------------

// Offsets and counts in the header follow from the sections, so their topic is Layout.
void diff_header_fields(const Files &files, DiffTopic topic, Report &report) {
  const FileHeader &a = files.a.view().header(), &b = files.b.view().header();
  const auto compare = [&](DiffTopic of, std::string_view name, u64 x, u64 y) {
    if (of == topic && x != y)
      report.add(topic, "ELF header", [&] { return fmt::format("{} {:#x} vs {:#x}", name, x, y); });
  };
  const auto ident = [&](std::string_view name, u32 at) {
    compare(DiffTopic::Header, name, a.ident[at], b.ident[at]);
  };
  const auto field = [&](DiffTopic of, std::string_view name, auto member) {
    compare(of, name, static_cast<u64>(a.*member), static_cast<u64>(b.*member));
  };
  using enum DiffTopic;
  ident("class", elf::kIdentClass);
  ident("OSABI", elf::kIdentOsAbi);
  ident("ABI version", elf::kIdentAbiVersion);
  field(Header, "type", &FileHeader::type);
  field(Header, "machine", &FileHeader::machine);
  field(Header, "version", &FileHeader::version);
  field(Header, "entry", &FileHeader::entry);
  field(Header, "flags", &FileHeader::flags);
  field(Header, "header size", &FileHeader::ehsize);
  field(Header, "program header size", &FileHeader::phentsize);
  field(Header, "section header size", &FileHeader::shentsize);
  field(Layout, "stored section count", &FileHeader::shnum);
  field(Layout, "index of the section names", &FileHeader::shstrndx);
  field(Layout, "offset of the section table", &FileHeader::shoff);
  field(Layout, "offset of the program headers", &FileHeader::phoff);
}

// Reports the first section whose value differs, with the number of all such sections.
void diff_places(const Files &files, u64 (*value)(const Section &), std::string_view what,
                 Report &report) {
  const Pair *first = nullptr;
  u64 count = 0;
  for (const Pair &pair : files.pairs)
    if (value(*pair.a) != value(*pair.b)) {
      first = first ? first : &pair;
      ++count;
    }
  if (first)
    report.add(DiffTopic::Layout, files.a.section(first->a->index), [&] {
      return fmt::format("{} {:#x} vs {:#x} (the first of {} sections)", what, value(*first->a),
                         value(*first->b), count);
    });
}

// The sections that a segment loads, for comparisons in which sections may move. A move changes
// padding, and a section without bytes may end up on the other side of the segment's end. So a
// segment is compared by the sections whose bytes it holds, and by padding only if there is more
// than an alignment can require.
struct Loaded {
  const Section *first = nullptr;
  const Section *last = nullptr;
  u64 most_padding = 1;
};

Loaded loaded_sections(const elf::ElfView &view, const Segment &segment) {
  Loaded out;
  for (const Section &s : view.sections()) {
    out.most_padding = std::max(out.most_padding, s.align);
    const bool has_bytes = s.index != 0 && s.type != elf::SectionType::Nobits && s.size != 0;
    if (!has_bytes || s.offset < segment.offset || s.offset - segment.offset >= segment.filesz)
      continue;
    out.first = out.first && out.first->offset <= s.offset ? out.first : &s;
    out.last = out.last && out.last->offset > s.offset ? out.last : &s;
  }
  return out;
}

std::string loaded_text(const elf::ElfView &view, const Segment &segment) {
  const Loaded loaded = loaded_sections(view, segment);
  if (!loaded.first)
    return segment.filesz < loaded.most_padding
               ? "without content"
               : fmt::format("{:#x} bytes outside of sections", segment.filesz);
  std::string out = fmt::format("from '{}' to '{}'", loaded.first->name, loaded.last->name);
  const u64 before = loaded.first->offset - segment.offset;
  if (before >= loaded.most_padding)
    out += fmt::format(", {:#x} bytes before", before);
  const u64 last_at = loaded.last->offset - segment.offset;
  if (segment.filesz - last_at < loaded.last->size)
    out += fmt::format(", only {:#x} bytes of the last", segment.filesz - last_at);
  else if (const u64 behind = segment.filesz - last_at - loaded.last->size;
           behind >= loaded.most_padding)
    out += fmt::format(", {:#x} bytes behind", behind);
  return out;
}

// Also ignores Layout if Tkinfo is ignored and the notes differ in size, which moves all later
// bytes.
DiffOptions forgive_moves(const DiffOptions &options, const Files &files) {
  DiffOptions out = options;
  for (const Pair &pair : files.pairs)
    if (options.ignores(DiffTopic::Tkinfo) && pair.a->name == ".note.nv.tkinfo" &&
        pair.a->size != pair.b->size)
      out.ignored[static_cast<u32>(DiffTopic::Layout)] = true;
  return out;
}

// True if no topic is ignored: only then is a difference between sections an unexplained one.
bool nothing_ignored(const DiffOptions &options) {
  return std::ranges::find(options.ignored, true) == options.ignored.end();
}

void diff_header(const Files &files, Report &report) {
  diff_header_fields(files, DiffTopic::Header, report);
  if (!std::ranges::equal(files.a.view().header().ident, files.b.view().header().ident) &&
      !report.any())
    report.add(DiffTopic::Header, "ELF header",
               [] { return std::string("identification bytes differ"); });
}

void diff_segments(const Files &files, Report &report) {
  const bool with_places = !report.options().ignores(DiffTopic::Layout);
  const auto items = [&](const elf::ElfView &view) {
    std::vector<Item> out;
    for (const Segment &s : view.segments()) {
      std::string value = fmt::format(
          "type {}, flags {}, address {:#x}, physical {:#x}, alignment {}",
          name_or_number(elf::kSegmentTypeNames.name_of(s.type), static_cast<u32>(s.type)), s.flags,
          s.vaddr, s.paddr, s.align);
      if (with_places)
        value += fmt::format(", file size {:#x}, memory size {:#x}, offset {:#x}", s.filesz,
                             s.memsz, s.offset);
      else
        value +=
            fmt::format(", {}, {:#x} more in memory", loaded_text(view, s), s.memsz - s.filesz);
      add_item(out, fmt::format("{}", out.size()), std::move(value));
    }
    return out;
  };
  diff_items({DiffTopic::Segments, "", "program header", false}, items(files.a.view()),
             items(files.b.view()), report);
}

void diff_layout(const Files &files, Report &report) {
  diff_places(
      files, [](const Section &s) { return s.offset; }, "offset", report);
  diff_places(
      files, [](const Section &s) -> u64 { return s.name_offset; }, "name at", report);
  diff_header_fields(files, DiffTopic::Layout, report);
}

} // namespace

} // namespace diff

DiffResult diff_files(const elf::ElfView &a, const elf::ElfView &b, const DiffOptions &options) {
  using namespace diff;
  if (std::ranges::equal(a.file(), b.file()))
    return {};
  const Files files = match_sections(a, b);
  Report report(forgive_moves(options, files));
  diff_header(files, report);
  diff_functions(files, report);
  diff_section_list(files, report);
  diff_symbols(files, report);
  diff_section_headers(files, report);
  diff_records(files, report);
  diff_contents(files, report);
  diff_segments(files, report);
  diff_layout(files, report);
  if (!report.any() && nothing_ignored(options))
    diff_padding(files, report);
  return std::move(report).take();
}

} // namespace culink::text
