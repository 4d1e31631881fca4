// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per kind of number and direction. Flags are sums of words; bits without a word stay
// a number at the end (alloc+exec+0x100000), so every value has exactly one text.
#include "text/document/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/target/reloc.h"

namespace culink::text {

namespace {

struct FlagWord {
  u64 bit;
  std::string_view word;
};

constexpr std::array<FlagWord, 7> kSectionFlags{{
    {elf::kFlagWrite, "write"},
    {elf::kFlagAlloc, "alloc"},
    {elf::kFlagExec, "exec"},
    {elf::kFlagInfoLink, "info"},
    {elf::kFlagCuinfoNote, "cuinfo"},
    {elf::kFlagTkinfoNote, "tkinfo"},
    {elf::kFlagMercury, "mercury"},
}};

constexpr std::array<FlagWord, 7> kSymbolOther{{
    {1, "internal"}, // ELF's visibility; both bits set is protected
    {2, "hidden"},
    {elf::kOtherManaged, "managed"},
    {elf::kOtherKernel, "kernel"},
    {elf::kOtherGlobal, "global"},
    {elf::kOtherShared, "shared"},
    {elf::kOtherConstant, "constant"},
}};

constexpr std::array<FlagWord, 3> kSegmentFlags{{
    {elf::kSegmentRead, "read"},
    {elf::kSegmentWrite, "write"},
    {elf::kSegmentExec, "exec"},
}};

std::string flags_text(u64 flags, std::span<const FlagWord> words) {
  std::vector<std::string> parts;
  for (const FlagWord &row : words)
    if ((flags & row.bit) != 0) {
      parts.emplace_back(row.word);
      flags &= ~row.bit;
    }
  if (flags != 0 || parts.empty())
    parts.push_back(hexadecimal(flags));
  return fmt::format("{}", fmt::join(parts, "+"));
}

u64 read_flags(const Node &node, std::span<const FlagWord> words, u64 max, Complaints &complaints) {
  if (!node.is_scalar()) {
    complaints.add(node, "flags are needed here, joined by '+'");
    return 0;
  }
  u64 flags = 0;
  std::string_view rest = node.text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('+'), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto row = std::ranges::find(words, word, &FlagWord::word);
    const std::optional<u64> number = parse_number(word);
    if (row != words.end()) {
      flags |= row->bit;
    } else if (number && *number <= max) {
      flags |= *number;
    } else {
      std::vector<std::string_view> known;
      for (const FlagWord &w : words)
        known.push_back(w.word);
      complaints.add(node, fmt::format("'{}' is no flag; known are {} and numbers up to {:#x}",
                                       word, fmt::join(known, ", "), max));
      return 0;
    }
  }
  return flags;
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::toupper(c); });
  return out;
}

// A word by `from_name`, in either case, or a number up to `max`.
template <typename FromName>
u64 read_word(const Node &node, std::string_view what, u64 max, FromName from_name,
              Complaints &complaints) {
  if (node.is_scalar()) {
    if (const auto value = from_name(upper(node.text)))
      return static_cast<u64>(*value);
    if (const std::optional<u64> number = parse_number(node.text); number && *number <= max)
      return *number;
  }
  complaints.add(node,
                 fmt::format("'{}' is no {}; `cubin dump` shows the names, numbers up to {:#x} "
                             "are taken as well",
                             node.text, what, max));
  return 0;
}

template <typename Number>
Number read_word(const Node &node, std::string_view what, u64 max,
                 const elf::NameTable<Number> &names, Complaints &complaints) {
  return static_cast<Number>(read_word(
      node, what, max, [&](std::string_view name) { return names.number_of(name); }, complaints));
}

template <typename Number>
std::string word_text(const elf::NameTable<Number> &names, Number number) {
  const std::optional<std::string_view> name = names.name_of(number);
  return name ? std::string(*name) : fmt::format("{:#x}", static_cast<u64>(number));
}

} // namespace

std::string section_flags_text(u64 flags) {
  return flags_text(flags, kSectionFlags);
}
u64 read_section_flags(const Node &node, Complaints &complaints) {
  return read_flags(node, kSectionFlags, ~u64{0}, complaints);
}
std::string symbol_other_text(u8 other) {
  return flags_text(other, kSymbolOther);
}
u8 read_symbol_other(const Node &node, Complaints &complaints) {
  return static_cast<u8>(read_flags(node, kSymbolOther, 0xff, complaints));
}
std::string segment_flags_text(u32 flags) {
  return flags_text(flags, kSegmentFlags);
}
u32 read_segment_flags(const Node &node, Complaints &complaints) {
  return static_cast<u32>(read_flags(node, kSegmentFlags, 0xffffffff, complaints));
}

std::string section_type_text(elf::SectionType type) {
  return word_text(elf::kSectionTypeNames, type);
}
elf::SectionType read_section_type(const Node &node, Complaints &complaints) {
  return read_word(node, "section type", 0xffffffff, elf::kSectionTypeNames, complaints);
}
std::string symbol_type_text(elf::SymbolType type) {
  return word_text(elf::kSymbolTypeNames, type);
}
elf::SymbolType read_symbol_type(const Node &node, Complaints &complaints) {
  return read_word(node, "symbol type", 15, elf::kSymbolTypeNames, complaints);
}
std::string symbol_binding_text(elf::SymbolBinding binding) {
  return word_text(elf::kSymbolBindingNames, binding);
}
elf::SymbolBinding read_symbol_binding(const Node &node, Complaints &complaints) {
  return read_word(node, "binding", 15, elf::kSymbolBindingNames, complaints);
}
std::string segment_type_text(elf::SegmentType type) {
  return word_text(elf::kSegmentTypeNames, type);
}
elf::SegmentType read_segment_type(const Node &node, Complaints &complaints) {
  return read_word(node, "segment type", 0xffffffff, elf::kSegmentTypeNames, complaints);
}

std::string file_type_text(elf::FileType type) {
  std::string out = word_text(elf::kFileTypeNames, type);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}
elf::FileType read_file_type(const Node &node, Complaints &complaints) {
  return read_word(node, "file type (rel, exec)", 0xffff, elf::kFileTypeNames, complaints);
}

std::string relocation_type_text(u32 type) {
  const arch::RelocInfo *row = arch::find_reloc(type);
  return row ? std::string(row->name) : fmt::format("{:#x}", type);
}
u32 read_relocation_type(const Node &node, Complaints &complaints) {
  return static_cast<u32>(read_word(
      node, "relocation type", 0xffffffff,
      [](std::string_view name) -> std::optional<u32> {
        const arch::RelocInfo *row = arch::find_reloc(name);
        return row ? std::optional<u32>(row->number) : std::nullopt;
      },
      complaints));
}

} // namespace culink::text
