// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answer of an engine is a linked file with one .text.F, .nv.capmerc.text.F and .nv.info.F per
// function. Each function also has a part of the debug sections: the relocation that names the
// function is at a known offset in the frame description or at the start of the line sequence. The
// linker takes over all of these, function by function.
//
// Sections are found by name, because the engine renumbers them. An object of a relocatable link
// may have several local functions of one name; engines preserve their order. Everything else about
// a function is found by the number of its section.
#include "compilers/finalize/harvest.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "elf/elf_view.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"
#include "elf/records/nv_registers.h"
#include "elf/section_kind.h"
#include "support/bytes.h"
#include "support/string_index.h"

namespace culink {

// A record holds the range of code offsets in which a variable is in a register. If nvlink looks up
// the offsets of a discarded definition in the code of another definition, it reads beyond the end
// of a table, and its output changes from run to run (Q106). Such offsets can be recognised. The
// table of registers of the SASS plane is made from the table of the Mercury plane: it has the same
// blocks, and each block has the same records, sorted by register and offset. So each SASS record
// leads to its Mercury record, which shows whether the offsets are within the Mercury code of the
// function.

namespace {

constexpr std::string_view kTable = ".nv_debug_info_reg_sass",
                           kMercuryTable = ".nv.merc.nv_debug_info_reg_sass",
                           kMercurySymbols = ".nv.merc.symtab";

NameMap<u64> sizes_of_functions(const elf::ElfView &file, const elf::Section &table) {
  NameMap<u64> out;
  for (const elf::Symbol &symbol : file.symbols(table).all())
    if (symbol.type() == elf::SymbolType::Function && symbol.in_section())
      out.emplace(symbol.name, symbol.size);
  return out;
}

} // namespace

void clear_unknown_locations(std::vector<u8> &linked_file) {
  const Result<elf::ElfView> view = elf::ElfView::open(linked_file);
  if (!view)
    return;
  const elf::Section *table = view->find(kTable), *mercury = view->find(kMercuryTable);
  const elf::Section *symbols = view->find(kMercurySymbols);
  if (!table || !mercury || !symbols)
    return;
  const NameMap<u64> sizes = sizes_of_functions(*view, *symbols);
  const std::vector<elf::RegisterBlock> blocks = elf::split_registers(table->data);
  std::vector<elf::RegisterBlock> origins = elf::split_registers(mercury->data);
  std::vector<u64> unknown; // offsets in the section, of values to clear
  for (size_t i = 0; i < std::min(blocks.size(), origins.size()); ++i) {
    std::vector<elf::RegisterBlock::Record> &from = origins[i].records;
    const auto size = sizes.find(blocks[i].function);
    if (blocks[i].function != origins[i].function || from.size() != blocks[i].records.size() ||
        size == sizes.end())
      continue;
    std::stable_sort(from.begin(), from.end(), [](const auto &a, const auto &b) {
      return std::pair(a.number, a.start) < std::pair(b.number, b.start);
    });
    for (size_t k = 0; k < from.size(); ++k) {
      if (from[k].start >= size->second)
        unknown.push_back(blocks[i].records[k].offset);
      if (from[k].end >= size->second)
        unknown.push_back(blocks[i].records[k].offset + sizeof(u32));
    }
  }
  for (const u64 offset : unknown)
    store_le<u32>(linked_file.data() + table->offset + offset, 0);
}

namespace {

// Parts of the answer by the number of the code section to which they belong.
using PartsOfCode = std::unordered_map<u32, ByteSpan>;

constexpr std::string_view kText = ".text.";

// Only relocatable links preserve stubs of unified functions.
bool is_code(const elf::Section &section) {
  return has_prefix(section.name, kText) || has_prefix(section.name, ".nv.uft.rel.");
}

// Returns the function's name. A stub does not have the name of its section.
std::string_view function_of(const elf::ElfView &file, const elf::Section &section) {
  if (has_prefix(section.name, kText))
    return section.name.substr(kText.size());
  for (const elf::Symbol &symbol : file.symbols().all())
    if (symbol.type() == elf::SymbolType::Function && symbol.section == section.index)
      return symbol.name;
  return {};
}

// A relocation that stores the address of a function.
struct CodeReference {
  u64 offset;
  u32 code; // number of the section
  i64 addend;
};

// Returns all code references in a debug section, ordered by offset.
std::vector<CodeReference> references_in(const elf::ElfView &answer, std::string_view section) {
  std::vector<CodeReference> out;
  const elf::Section *table = answer.find(".rela" + std::string(section));
  if (!table)
    return out;
  const elf::SymbolTable symbols = answer.linked_symbols(*table);
  for (const elf::Relocation relocation : answer.relocations(*table)) {
    if (relocation.symbol >= symbols.size())
      continue;
    const elf::Symbol symbol = symbols[relocation.symbol];
    if (symbol.type() == elf::SymbolType::Function)
      out.push_back({relocation.offset, symbol.section, relocation.addend});
  }
  std::sort(out.begin(), out.end(),
            [](const CodeReference &a, const CodeReference &b) { return a.offset < b.offset; });
  return out;
}

// Calls use(start, size) for every unit of a DWARF section. Lengths have 32 bits, or 64 bits after
// an escape, as in .debug_frame.
template <typename Use> void for_each_unit(ByteSpan section, Use use) {
  constexpr u32 kLongLength = 0xffffffff;
  for (u64 at = 0; at < section.size();) {
    const std::optional<u32> length = load_at<u32>(section, at);
    if (!length)
      return;
    u64 size = u64{4} + *length;
    if (*length == kLongLength) {
      const std::optional<u64> real = load_at<u64>(section, at + 4);
      if (!real || *real > section.size())
        return;
      size = 12 + *real;
    }
    if (!slice(section, at, size))
      return;
    use(at, size);
    at += size;
  }
}

// Debug information by the number of the code section.
using DebugOfCode = std::unordered_map<u32, FinalizedDebug>;

// A frame description holds the address of its function after the length and the CIE pointer. Its
// CIE precedes it.
void add_frames(const elf::ElfView &answer, DebugOfCode &out) {
  constexpr u64 kCieMark = 12, kAddressInFrame = 20, kSmallest = 36;
  const elf::Section *section = answer.find(".debug_frame");
  if (!section)
    return;
  const std::vector<CodeReference> references = references_in(answer, section->name);
  size_t next = 0;
  ByteSpan cie;
  for_each_unit(section->data, [&](u64 start, u64 size) {
    const ByteSpan record = section->data.subspan(start, size);
    if (load_at<u64>(record, kCieMark) == ~u64{0})
      cie = record;
    while (next < references.size() && references[next].offset < start + kAddressInFrame)
      ++next;
    if (size >= kSmallest && next < references.size() &&
        references[next].offset == start + kAddressInFrame)
      out[references[next].code].frames.push_back({cie, record});
  });
}

// A line sequence starts three bytes before the address. It ends at the next sequence or at the end
// of the unit.
void add_lines(const elf::ElfView &answer, std::string_view name,
               std::vector<ByteSpan> FinalizedDebug::*parts, DebugOfCode &out) {
  constexpr u64 kAddressInSequence = 3;
  const elf::Section *section = answer.find(name);
  if (!section)
    return;
  const std::vector<CodeReference> references = references_in(answer, name);
  size_t next = 0;
  for_each_unit(section->data, [&](u64 start, u64 size) {
    while (next < references.size() && references[next].offset < start + kAddressInSequence)
      ++next;
    for (; next < references.size() && references[next].offset < start + size; ++next) {
      const bool last =
          next + 1 == references.size() || references[next + 1].offset >= start + size;
      const u64 begin = references[next].offset - kAddressInSequence;
      const u64 end = last ? start + size : references[next + 1].offset - kAddressInSequence;
      if (begin < end)
        (out[references[next].code].*parts).push_back(section->data.subspan(begin, end - begin));
    }
  });
}

void add_code_offsets(const elf::ElfView &answer, std::string_view name,
                      std::vector<i64> FinalizedDebug::*offsets, DebugOfCode &out) {
  for (const CodeReference &reference : references_in(answer, name))
    (out[reference.code].*offsets).push_back(reference.addend);
}

using PartsByName = NameMap<std::vector<ByteSpan>>;

PartsByName registers_of(const elf::ElfView &answer) {
  PartsByName out;
  if (const elf::Section *section = answer.find(".nv_debug_info_reg_sass"))
    for (const elf::RegisterBlock &block : elf::split_registers(section->data))
      out[block.function].push_back(block.bytes);
  return out;
}

// The contents of the debug sections. Register blocks are found by the name of the function.
class DebugParts {
public:
  explicit DebugParts(const elf::ElfView &answer) : registers_(registers_of(answer)) {
    add_frames(answer, by_code_);
    add_lines(answer, ".debug_line", &FinalizedDebug::lines, by_code_);
    add_lines(answer, ".nv_debug_line_sass", &FinalizedDebug::sass_lines, by_code_);
    add_code_offsets(answer, ".debug_loc", &FinalizedDebug::location_offsets, by_code_);
    add_code_offsets(answer, ".debug_info", &FinalizedDebug::info_offsets, by_code_);
  }

  // May be called once for each function.
  [[nodiscard]] FinalizedDebug take(u32 code, std::string_view function) {
    FinalizedDebug out = std::move(by_code_[code]);
    if (const auto found = registers_.find(function); found != registers_.end())
      out.registers = found->second;
    return out;
  }

private:
  DebugOfCode by_code_;
  PartsByName registers_;
};

PartsOfCode infos_of(const elf::ElfView &answer) {
  PartsOfCode out;
  for (const elf::Section &section : answer.sections())
    if (section.type == elf::SectionType::CudaInfo && section.info != 0)
      out.emplace(section.info, section.data);
  return out;
}

// Adds the driver functions that machine code calls instead of Mercury instructions. Their symbols
// follow the symbols that both forms have.
void add_driver_calls(const elf::ElfView &answer, std::vector<FinalizedFunction> &functions,
                      const std::unordered_map<u32, u32> &number_of) {
  const elf::Section *mercury = answer.find(".nv.merc.symtab");
  const elf::SymbolTable symbols = answer.symbols();
  const u32 shared = mercury ? answer.symbols(*mercury).size() : symbols.size();
  for (const elf::Section &table : answer.sections()) {
    const auto function = number_of.find(table.info);
    if (table.type != elf::SectionType::Rela || function == number_of.end())
      continue;
    for (const elf::Relocation entry : answer.relocations(table))
      if (entry.symbol >= shared && entry.symbol < symbols.size() &&
          symbols[entry.symbol].type() == elf::SymbolType::Function)
        functions[function->second].driver_calls.push_back(
            {entry.offset, entry.type, entry.addend, symbols[entry.symbol].name});
  }
}

// Adds registers and stack of functions that call the driver, from the module's records.
void add_resources(const elf::ElfView &answer, std::vector<FinalizedFunction> &functions,
                   const std::unordered_map<u32, u32> &number_of) {
  const elf::Section *info = answer.find(".nv.info");
  const elf::SymbolTable symbols = answer.symbols();
  if (!info)
    return;
  for (const elf::InfoRecord &record : elf::InfoRecords(info->data)) {
    const bool registers = record.attribute == elf::InfoAttribute::Regcount;
    if ((!registers && record.attribute != elf::InfoAttribute::FrameSize) ||
        record.payload.size() < 8)
      continue;
    const u32 symbol = load_le<u32>(record.payload.data());
    const auto function =
        symbol < symbols.size() ? number_of.find(symbols[symbol].section) : number_of.end();
    if (function != number_of.end())
      (registers ? functions[function->second].registers : functions[function->second].frame) =
          load_le<u32>(record.payload.data() + 4);
  }
}

// Maps sections of code to their capsules. A capsule begins with the number of its code section.
PartsOfCode capsules_of(const elf::ElfView &file) {
  PartsOfCode out;
  for (const elf::Section &section : file.sections())
    if (section.type == elf::SectionType::CudaCapmerc)
      if (const std::optional<u32> code = load_at<u32>(section.data, 0))
        out.emplace(*code, section.data);
  return out;
}

ByteSpan part(const PartsOfCode &parts, u32 code) {
  const auto found = parts.find(code);
  return found == parts.end() ? ByteSpan() : found->second;
}

// The code sections of an object by name, last section first. So pop_back takes equal names in the
// order of the object, which engines preserve.
using CodeByName = NameMap<std::vector<const elf::Section *>>;

CodeByName code_by_name(const elf::ElfView &object) {
  CodeByName out;
  for (size_t i = object.sections().size(); i-- > 0;)
    if (const elf::Section &section = object.sections()[i]; is_code(section))
      out[section.name].push_back(&section);
  return out;
}

// If an engine has removed some sections of one name, the remaining ones are the wanted ones.
void forget_removed(CodeByName &compiled, const CodeByName &answered, std::span<const u32> wanted) {
  for (auto &[name, sections] : compiled) {
    const auto found = answered.find(name);
    if (found != answered.end() && found->second.size() < sections.size())
      std::erase_if(sections, [&](const elf::Section *section) {
        return std::find(wanted.begin(), wanted.end(), section->index) == wanted.end();
      });
  }
}

// The linker's note comes before the notes of its inputs.
u32 toolkit_of_linker(const elf::ElfView &linked) {
  const elf::Section *section = linked.find(".note.nv.tkinfo");
  if (!section)
    return 0;
  for (const elf::Note &note : elf::decode_notes(section->data).notes)
    if (const Result<elf::ToolkitInfo> info = elf::decode_toolkit_info(note.desc); info)
      return elf::toolkit_of_version(info->tool_version);
  return 0;
}

} // namespace

Result<FinalizedObject> harvest_debug(std::vector<u8> answer) {
  FinalizedObject out;
  out.image = std::move(answer);
  clear_unknown_locations(out.image);
  const Result<elf::ElfView> view = elf::ElfView::open(out.image);
  if (!view)
    return Error{"answer of the finalizer", "", view.error().text()};
  DebugParts debug(*view);
  for (const elf::Section &section : view->sections())
    if (is_code(section)) {
      FinalizedFunction &function = out.functions.emplace_back();
      function.name = function_of(*view, section);
      function.debug = debug.take(section.index, function.name);
    }
  return out;
}

Result<FinalizedObject> harvest_functions(const elf::ElfView &object, std::vector<u8> answer,
                                          std::span<const u32> wanted) {
  FinalizedObject out;
  out.image = std::move(answer);
  clear_unknown_locations(out.image);
  const Result<elf::ElfView> view = elf::ElfView::open(out.image);
  if (!view)
    return Error{"answer of the finalizer", "", view.error().text()};
  out.toolkit = toolkit_of_linker(*view);
  CodeByName compiled = code_by_name(object);
  if (!wanted.empty())
    forget_removed(compiled, code_by_name(*view), wanted);
  const PartsOfCode old_capsules = capsules_of(object), capsules = capsules_of(*view);
  const PartsOfCode infos = infos_of(*view);
  DebugParts debug(*view);
  std::unordered_map<u32, u32> number_of; // by section of the answer: the number in out.functions
  for (const elf::Section &section : view->sections()) {
    if (!is_code(section))
      continue;
    number_of.emplace(section.index, static_cast<u32>(out.functions.size()));
    std::vector<const elf::Section *> &same_name = compiled[section.name];
    const ByteSpan capsule = part(capsules, section.index);
    if (same_name.empty() || capsule.empty())
      return Error{"answer of the finalizer", "",
                   std::string(section.name) + " is there, but not its " +
                       (capsule.empty() ? "capsule" : "code in the object")};
    const elf::Section &old = *same_name.back();
    same_name.pop_back();
    FinalizedFunction &function = out.functions.emplace_back();
    function.name = function_of(*view, section);
    function.section = old.index;
    function.text = section.data;
    function.capsule = capsule;
    function.info = part(infos, section.index);
    function.debug = debug.take(section.index, function.name);
    Result<InstructionMap> moved = map_instructions({old.data, part(old_capsules, old.index)},
                                                    {function.text, function.capsule});
    if (!moved)
      return Error{std::string(section.name), "", moved.error().text()};
    function.moved = std::move(*moved);
  }
  add_driver_calls(*view, out.functions, number_of);
  add_resources(*view, out.functions, number_of);
  for (const elf::Section &section : object.sections())
    if (has_prefix(section.name, kText) && !compiled[section.name].empty() &&
        (wanted.empty() || std::find(wanted.begin(), wanted.end(), section.index) != wanted.end()))
      return Error{"answer of the finalizer", "",
                   std::string(section.name) + " of the object is missing"};
  return out;
}

} // namespace culink
