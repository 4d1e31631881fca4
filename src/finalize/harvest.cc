// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answer of an engine is a linked file with one .text.F, .nv.capmerc.text.F and .nv.info.F per
// function. In the debug sections a function has a part of its own: its relocation, which names it,
// stands at a known place in the frame description or at the start of the line sequence.
//
// Sections are found by name, because numbers are the engine's. An object that a relocatable link
// has made may have several local functions of one name; engines leave them in their order. All
// else about a function is found by the number of its section.
#include "finalize/harvest.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/bytes.h"
#include "elf/section_kind.h"

namespace culink {

namespace {

// Parts of the answer that belong to code, by the number of its section there.
using PartsOfCode = std::unordered_map<u32, ByteSpan>;

constexpr std::string_view kText = ".text.";

// Only relocatable links keep stubs of unified functions.
bool is_code(const elf::Section &section) {
  return has_prefix(section.name, kText) || has_prefix(section.name, ".nv.uft.rel.");
}

// A stub is called otherwise than its section.
std::string_view function_of(const elf::ElfView &file, const elf::Section &section) {
  if (has_prefix(section.name, kText))
    return section.name.substr(kText.size());
  const elf::SymbolTable symbols = file.symbols();
  for (u32 i = 0; i < symbols.size(); ++i)
    if (const elf::Symbol symbol = symbols[i];
        symbol.type() == elf::SymbolType::Function && symbol.section == section.index)
      return symbol.name;
  return {};
}

// Offsets in a section at which the address of a function is filled in, ascending.
struct Mention {
  u64 offset;
  u32 code; // number of the section
};

std::vector<Mention> mentions_in(const elf::ElfView &answer, std::string_view section) {
  std::vector<Mention> out;
  const elf::Section *table = answer.find(".rela" + std::string(section));
  if (!table)
    return out;
  const elf::SymbolTable symbols = answer.linked_symbols(*table);
  const elf::RelocationTable relocations = answer.relocations(*table);
  for (u32 i = 0; i < relocations.size(); ++i) {
    const elf::Relocation relocation = relocations[i];
    if (relocation.symbol >= symbols.size())
      continue;
    const elf::Symbol symbol = symbols[relocation.symbol];
    if (symbol.type() == elf::SymbolType::Function)
      out.push_back({relocation.offset, symbol.section});
  }
  std::sort(out.begin(), out.end(),
            [](const Mention &a, const Mention &b) { return a.offset < b.offset; });
  return out;
}

// Calls use(start, size) for every unit of a DWARF section. Lengths have 32 bits, or 64 after an
// escape, as those of .debug_frame do.
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

// The frame description of a function has its address behind length and CIE pointer.
PartsOfCode frames_of(const elf::ElfView &answer) {
  constexpr u64 kAddressInFrame = 20;
  PartsOfCode out;
  const elf::Section *section = answer.find(".debug_frame");
  if (!section)
    return out;
  const std::vector<Mention> mentions = mentions_in(answer, section->name);
  size_t next = 0;
  for_each_unit(section->data, [&](u64 start, u64 size) {
    while (next < mentions.size() && mentions[next].offset < start + kAddressInFrame)
      ++next;
    if (next < mentions.size() && mentions[next].offset == start + kAddressInFrame)
      out.emplace(mentions[next].code, section->data.subspan(start, size));
  });
  return out;
}

// A line sequence starts three bytes before the address and ends with the next one or the unit.
PartsOfCode lines_of(const elf::ElfView &answer, std::string_view name) {
  constexpr u64 kAddressInSequence = 3;
  PartsOfCode out;
  const elf::Section *section = answer.find(name);
  if (!section)
    return out;
  const std::vector<Mention> mentions = mentions_in(answer, name);
  size_t next = 0;
  for_each_unit(section->data, [&](u64 start, u64 size) {
    while (next < mentions.size() && mentions[next].offset < start + kAddressInSequence)
      ++next;
    for (; next < mentions.size() && mentions[next].offset < start + size; ++next) {
      const bool last = next + 1 == mentions.size() || mentions[next + 1].offset >= start + size;
      const u64 begin = mentions[next].offset - kAddressInSequence;
      const u64 end = last ? start + size : mentions[next + 1].offset - kAddressInSequence;
      if (begin < end)
        out.emplace(mentions[next].code, section->data.subspan(begin, end - begin));
    }
  });
  return out;
}

// name, u32 count, count times (u32, name, u32 register, u32 start, u32 end).
std::unordered_map<std::string_view, ByteSpan> registers_of(const elf::ElfView &answer) {
  constexpr u64 kBehindName = 12;
  std::unordered_map<std::string_view, ByteSpan> out;
  const elf::Section *section = answer.find(".nv_debug_info_reg_sass");
  if (!section)
    return out;
  const ByteSpan data = section->data;
  for (u64 at = 0; at < data.size();) {
    const u64 start = at;
    const std::optional<std::string_view> function = c_string_at(data, at);
    if (!function)
      break;
    at += function->size() + 1;
    const std::optional<u32> count = load_at<u32>(data, at);
    if (!count)
      break;
    at += sizeof(u32);
    for (u32 i = 0; i < *count; ++i) {
      const std::optional<std::string_view> variable = c_string_at(data, at + sizeof(u32));
      if (!variable || !slice(data, at, sizeof(u32) + variable->size() + 1 + kBehindName))
        return out;
      at += sizeof(u32) + variable->size() + 1 + kBehindName;
    }
    out.emplace(*function, data.subspan(start, at - start));
  }
  return out;
}

PartsOfCode infos_of(const elf::ElfView &answer) {
  PartsOfCode out;
  for (const elf::Section &section : answer.sections())
    if (section.type == elf::SectionType::CudaInfo && section.info != 0)
      out.emplace(section.info, section.data);
  return out;
}

// A capsule begins with the number of its code.
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

using CodeByName = std::unordered_map<std::string_view, const elf::Section *>;

CodeByName code_by_name(const elf::ElfView &object) {
  CodeByName out;
  for (const elf::Section &section : object.sections())
    if (is_code(section))
      out.emplace(section.name, &section);
  return out;
}

} // namespace

Result<FinalizedObject> harvest_functions(const elf::ElfView &object, std::vector<u8> answer) {
  FinalizedObject out;
  out.image = std::move(answer);
  const Result<elf::ElfView> view = elf::ElfView::open(out.image);
  if (!view)
    return Error{"answer of the finalizer", "", view.error().text()};
  CodeByName compiled = code_by_name(object);
  const PartsOfCode old_capsules = capsules_of(object), capsules = capsules_of(*view);
  const PartsOfCode infos = infos_of(*view), frames = frames_of(*view);
  const PartsOfCode lines = lines_of(*view, ".debug_line");
  const PartsOfCode sass_lines = lines_of(*view, ".nv_debug_line_sass");
  const std::unordered_map<std::string_view, ByteSpan> registers = registers_of(*view);
  for (const elf::Section &section : view->sections()) {
    if (!is_code(section))
      continue;
    const auto found = compiled.find(section.name);
    const ByteSpan capsule = part(capsules, section.index);
    if (found == compiled.end() || capsule.empty())
      return Error{"answer of the finalizer", "",
                   std::string(section.name) + " is there, but not its " +
                       (capsule.empty() ? "capsule" : "code in the object")};
    const elf::Section &old = *found->second;
    compiled.erase(found);
    FinalizedFunction &function = out.functions.emplace_back();
    function.name = function_of(*view, section);
    function.section = old.index;
    function.text = section.data;
    function.capsule = capsule;
    function.info = part(infos, section.index);
    function.frame = part(frames, section.index);
    function.lines = part(lines, section.index);
    function.sass_lines = part(sass_lines, section.index);
    const auto described = registers.find(function.name);
    function.registers = described == registers.end() ? ByteSpan() : described->second;
    Result<InstructionMap> moved = map_instructions({old.data, part(old_capsules, old.index)},
                                                    {function.text, function.capsule});
    if (!moved)
      return Error{std::string(section.name), "", moved.error().text()};
    function.moved = std::move(*moved);
  }
  for (const elf::Section &section : object.sections())
    if (has_prefix(section.name, kText) && compiled.contains(section.name))
      return Error{"answer of the finalizer", "",
                   std::string(section.name) + " of the object is missing"};
  return out;
}

} // namespace culink
