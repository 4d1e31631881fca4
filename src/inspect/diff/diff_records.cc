// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Record sections of the two files: relocations, .nv.info, call graph, prototypes, .nv.compat and
// notes. Every symbol index and string offset becomes a name before anything is compared. A record
// is matched by what it is about (attribute and symbol, caller, place in the code), so a changed
// value is reported as a change of that record.
#include <algorithm>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"
#include "elf/section_kind.h"
#include "elf/target/reloc.h"
#include "inspect/diff/diff_report.h"
#include "support/bytes.h"

namespace culink::text::diff {

using elf::Section;
using elf::SectionRole;
using elf::SymbolTable;

namespace {

// What the codec could not read, as one entry, so that it is compared too.
void add_rest(std::vector<Item> &items, ByteSpan rest) {
  if (rest.empty())
    return;
  std::string bytes;
  for (const u8 byte : rest)
    bytes += fmt::format("{:02x}", byte);
  add_item(items, "unreadable rest", std::move(bytes));
}

// A string of the symbol table's string table.
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
      // One symbol says what the record is about; a list of them is what it says.
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

// ---- Which comparison for which role ------------------------------------------------------------

struct RecordRow {
  SectionRole role;
  DiffTopic topic;
  std::string_view noun;
  std::vector<Item> (*items)(const Side &, const Section &);
};

constexpr std::array kRecords = std::to_array<RecordRow>({
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

} // namespace

bool has_records(const Section &section) {
  const SectionRole role = role_of(section);
  return role == SectionRole::StringTable || role == SectionRole::SymbolTable ||
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

} // namespace culink::text::diff
