// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row per kind of number. Flags are sums of words; bits without a word stay
// a number at the end (alloc+exec+0x100000), so every value has exactly one text.
#include "yaml/document/words.h"

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

template <const auto &table> std::optional<std::string_view> name_in(u64 number) {
  using Number = typename decltype(table.number_of(""))::value_type;
  return table.name_of(static_cast<Number>(number));
}
template <const auto &table> std::optional<u64> number_in(std::string_view name) {
  const auto number = table.number_of(name);
  return number ? std::optional(static_cast<u64>(*number)) : std::nullopt;
}

std::optional<std::string_view> name_of_relocation(u64 number) {
  const arch::RelocInfo *row = arch::find_reloc(static_cast<u32>(number));
  return row ? std::optional(row->name) : std::nullopt;
}
std::optional<u64> number_of_relocation(std::string_view name) {
  const arch::RelocInfo *row = arch::find_reloc(name);
  return row ? std::optional<u64>(row->number) : std::nullopt;
}

// Flags, or names in a table.
struct WordKind {
  std::string_view what; // for messages
  u64 most;
  std::span<const FlagWord> flags;
  std::optional<std::string_view> (*name_of)(u64 number) = nullptr;
  std::optional<u64> (*number_of)(std::string_view name) = nullptr;
};

constexpr u64 kMost32 = 0xffffffff;

// In the order of Words.
constexpr std::array<WordKind, 9> kKinds{{
    {"flags", ~u64{0}, kSectionFlags},
    {"flags", 0xff, kSymbolOther},
    {"flags", kMost32, kSegmentFlags},
    {"section type",
     kMost32,
     {},
     name_in<elf::kSectionTypeNames>,
     number_in<elf::kSectionTypeNames>},
    {"symbol type", 15, {}, name_in<elf::kSymbolTypeNames>, number_in<elf::kSymbolTypeNames>},
    {"binding", 15, {}, name_in<elf::kSymbolBindingNames>, number_in<elf::kSymbolBindingNames>},
    {"segment type",
     kMost32,
     {},
     name_in<elf::kSegmentTypeNames>,
     number_in<elf::kSegmentTypeNames>},
    {"file type (rel, exec)",
     0xffff,
     {},
     name_in<elf::kFileTypeNames>,
     number_in<elf::kFileTypeNames>},
    {"relocation type", kMost32, {}, name_of_relocation, number_of_relocation},
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

u64 read_flags(const Node &node, const WordKind &kind, Complaints &complaints) {
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
    const auto row = std::ranges::find(kind.flags, word, &FlagWord::word);
    const std::optional<u64> number = parse_number(word);
    if (row != kind.flags.end()) {
      flags |= row->bit;
    } else if (number && *number <= kind.most) {
      flags |= *number;
    } else {
      std::vector<std::string_view> known;
      for (const FlagWord &w : kind.flags)
        known.push_back(w.word);
      complaints.add(node, fmt::format("'{}' is no flag; known are {} and numbers up to {:#x}",
                                       word, fmt::join(known, ", "), kind.most));
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

} // namespace

std::string words_of(Words kind, u64 number) {
  const WordKind &row = kKinds[static_cast<size_t>(kind)];
  if (!row.flags.empty())
    return flags_text(number, row.flags);
  const std::optional<std::string_view> name = row.name_of(number);
  std::string out = name ? std::string(*name) : fmt::format("{:#x}", number);
  if (kind == Words::FileType)
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

u64 read_words(Words kind, const Node &node, Complaints &complaints) {
  const WordKind &row = kKinds[static_cast<size_t>(kind)];
  if (!row.flags.empty())
    return read_flags(node, row, complaints);
  if (node.is_scalar()) {
    if (const std::optional<u64> number = row.number_of(upper(node.text)))
      return *number;
    if (const std::optional<u64> number = parse_number(node.text); number && *number <= row.most)
      return *number;
  }
  complaints.add(node,
                 fmt::format("'{}' is no {}; `cubin dump` shows the names, numbers up to {:#x} "
                             "are taken as well",
                             node.text, row.what, row.most));
  return 0;
}

} // namespace culink::text
