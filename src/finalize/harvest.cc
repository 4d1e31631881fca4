// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answer of an engine is a linked file with one .text.F, .nv.capmerc.text.F and .nv.info.F per
// function. In the debug sections a function has a part of its own: its relocation, which names it,
// stands at a known place in the frame description or at the start of the line sequence.
//
// Sections are found by name, because numbers and order are the engine's.
#include "finalize/harvest.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "elf/section_kind.h"

namespace culink {

namespace {

constexpr std::string_view kTextPrefix = ".text.";
constexpr std::string_view kCapsulePrefix = ".nv.capmerc.text.";
constexpr std::string_view kInfoPrefix = ".nv.info.";

// What a name refers to: sorted pairs, for any number of functions.
class NamedParts {
public:
  void add(std::string_view name, ByteSpan part) { parts_.emplace_back(name, part); }
  void sort() {
    std::stable_sort(parts_.begin(), parts_.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
  }
  // The first of that name.
  [[nodiscard]] std::optional<ByteSpan> find(std::string_view name) const {
    const auto at = std::lower_bound(
        parts_.begin(), parts_.end(), name,
        [](const auto &part, std::string_view wanted) { return part.first < wanted; });
    return at != parts_.end() && at->first == name ? std::optional(at->second) : std::nullopt;
  }

private:
  std::vector<std::pair<std::string_view, ByteSpan>> parts_;
};

// Offsets in a section at which the address of a function is filled in, ascending.
struct Mention {
  u64 offset;
  std::string_view function;
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
      out.push_back({relocation.offset, symbol.name});
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
NamedParts frames_of(const elf::ElfView &answer) {
  constexpr u64 kAddressInFrame = 20;
  NamedParts out;
  const elf::Section *section = answer.find(".debug_frame");
  if (!section)
    return out;
  const std::vector<Mention> mentions = mentions_in(answer, section->name);
  size_t next = 0;
  for_each_unit(section->data, [&](u64 start, u64 size) {
    while (next < mentions.size() && mentions[next].offset < start + kAddressInFrame)
      ++next;
    if (next < mentions.size() && mentions[next].offset == start + kAddressInFrame)
      out.add(mentions[next].function, section->data.subspan(start, size));
  });
  out.sort();
  return out;
}

// A line sequence starts three bytes before the address and ends with the next one or the unit.
NamedParts lines_of(const elf::ElfView &answer, std::string_view name) {
  constexpr u64 kAddressInSequence = 3;
  NamedParts out;
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
        out.add(mentions[next].function, section->data.subspan(begin, end - begin));
    }
  });
  out.sort();
  return out;
}

// name, u32 count, count times (u32, name, u32 register, u32 start, u32 end).
NamedParts registers_of(const elf::ElfView &answer) {
  constexpr u64 kBehindName = 12;
  NamedParts out;
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
      if (!variable || !slice(data, at, sizeof(u32) + variable->size() + 1 + kBehindName)) {
        out.sort();
        return out;
      }
      at += sizeof(u32) + variable->size() + 1 + kBehindName;
    }
    out.add(*function, data.subspan(start, at - start));
  }
  out.sort();
  return out;
}

// Sections by their whole name.
NamedParts sections_of(const elf::ElfView &view) {
  NamedParts out;
  for (const elf::Section &section : view.sections())
    if (has_prefix(section.name, kTextPrefix) || has_prefix(section.name, kCapsulePrefix) ||
        has_prefix(section.name, kInfoPrefix))
      out.add(section.name, section.data);
  out.sort();
  return out;
}

std::string joined_name(std::string_view prefix, std::string_view function) {
  return std::string(prefix) += function;
}

} // namespace

Result<FinalizedObject> harvest_functions(const elf::ElfView &object, std::vector<u8> answer) {
  FinalizedObject out;
  out.image = std::move(answer);
  const Result<elf::ElfView> view = elf::ElfView::open(out.image);
  if (!view)
    return Error{"answer of the finalizer", "", view.error().text()};
  const NamedParts old_sections = sections_of(object), sections = sections_of(*view);
  const NamedParts frames = frames_of(*view), registers = registers_of(*view);
  const NamedParts lines = lines_of(*view, ".debug_line");
  const NamedParts sass_lines = lines_of(*view, ".nv_debug_line_sass");
  for (const elf::Section &section : view->sections()) {
    if (!has_prefix(section.name, kTextPrefix))
      continue;
    FinalizedFunction &function = out.functions.emplace_back();
    function.name = section.name.substr(kTextPrefix.size());
    function.text = section.data;
    function.info = sections.find(joined_name(kInfoPrefix, function.name)).value_or(ByteSpan());
    function.frame = frames.find(function.name).value_or(ByteSpan());
    function.lines = lines.find(function.name).value_or(ByteSpan());
    function.sass_lines = sass_lines.find(function.name).value_or(ByteSpan());
    function.registers = registers.find(function.name).value_or(ByteSpan());
    const std::string capsule_name = joined_name(kCapsulePrefix, function.name);
    const std::optional<ByteSpan> capsule = sections.find(capsule_name);
    const std::optional<ByteSpan> old_text = old_sections.find(section.name);
    const std::optional<ByteSpan> old_capsule = old_sections.find(capsule_name);
    if (!capsule || !old_text || !old_capsule)
      return Error{"answer of the finalizer", "",
                   std::string(section.name) + " is there, but not " + capsule_name};
    function.capsule = *capsule;
    Result<InstructionMap> moved =
        map_instructions({*old_text, *old_capsule}, {function.text, function.capsule});
    if (!moved)
      return Error{std::string(section.name), "", moved.error().text()};
    function.moved = std::move(*moved);
  }
  for (const elf::Section &section : object.sections())
    if (has_prefix(section.name, kTextPrefix) && !sections.find(section.name))
      return Error{"answer of the finalizer", "",
                   std::string(section.name) + " of the object is missing"};
  return out;
}

} // namespace culink
