// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a document: numbers, names, maps with known keys, words for numbers of the format,
// references to sections and symbols.
//
// Users write documents, so an error message gives line, key, the wrong text and the accepted
// alternatives. Only the first error is kept: later ones are often caused by it.
#include "yaml/document/values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <ranges>
#include <vector>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/target/reloc.h"
#include "support/bytes.h"
#include "yaml/document/byte_lines.h"

namespace culink::text {

namespace {

std::string excerpt(std::string_view text) {
  constexpr std::size_t kShown = 60;
  const std::size_t end = std::min(text.find('\n'), text.size());
  return std::string(text.substr(0, std::min(end, kShown))) +
         (std::min(end, kShown) < text.size() ? "..." : "");
}

std::string_view kind_word(const Node &node) {
  switch (node.kind) {
  case Node::Kind::Null:
    return "nothing";
  case Node::Kind::Scalar:
    return "a single value";
  case Node::Kind::Sequence:
    return "a list";
  case Node::Kind::Map:
    return "a map";
  }
  return "";
}

} // namespace

void Complaints::add(const Node &node, std::string message) {
  if (!first_)
    first_ = Error{node.line == 0 ? std::string() : fmt::format("line {}", node.line), node.key,
                   std::move(message)};
}

bool Complaints::spend(u64 bytes, const Node &node) {
  if (bytes <= kMaxImageBytes && (spent_ += bytes) <= kMaxImageBytes)
    return true;
  add(node, fmt::format("the file would be larger than {:#x} bytes", kMaxImageBytes));
  return false;
}

std::optional<u64> parse_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::optional<i64> parse_signed(std::string_view text) {
  const bool negative = text.starts_with("-");
  const std::optional<u64> value = parse_number(negative ? text.substr(1) : text);
  if (!value || (negative && *value > u64{1} << 63))
    return std::nullopt;
  return static_cast<i64>(negative ? 0 - *value : *value);
}

u64 read_number(const Node &node, u64 max, Complaints &complaints) {
  const std::optional<u64> value = node.is_scalar() ? parse_number(node.text) : std::nullopt;
  if (!value) {
    complaints.add(node, node.is_scalar()
                             ? fmt::format("'{}' is not a number (decimal, or 0x and hexadecimal)",
                                           excerpt(node.text))
                             : fmt::format("a number is needed here, not {}", kind_word(node)));
    return 0;
  }
  if (*value > max) {
    complaints.add(node, fmt::format("{} is too large, the maximum here is {:#x}", node.text, max));
    return 0;
  }
  return *value;
}

std::string read_name(const Node &node, Complaints &complaints) {
  std::string name;
  if (node.is_scalar())
    name = node.text;
  else if (node.is_map() && node.items.size() == 1 && node.items[0].key == "hex")
    name = as_text(read_data(node.items[0], complaints));
  else
    complaints.add(node,
                   fmt::format("a name is needed here (or {{hex: ...}}), not {}", kind_word(node)));
  if (name.find('\0') != std::string::npos) {
    complaints.add(node, "a name cannot hold a zero byte");
    name.clear();
  }
  return name;
}

Node name_node(std::string_view name) {
  if (is_yaml_text(name))
    return Node::scalar(std::string(name));
  Node out = Node::map(Node::Style::Flow);
  out.set("hex", hex_string(as_bytes(name)));
  return out;
}

MapReader::MapReader(const Node &map, std::span<const std::string_view> keys,
                     Complaints &complaints)
    : map_(map), complaints_(complaints) {
  if (!map.is_map()) {
    complaints.add(map, fmt::format("a map (key: value) is needed here, not {}", kind_word(map)));
    return;
  }
  for (std::size_t i = 0; i < map.items.size(); ++i) {
    const Node &item = map.items[i];
    bool known = false;
    for (const std::string_view key : keys)
      known = known || key == item.key;
    if (!known) {
      complaints.add(item, fmt::format("unknown key; known here: {}", fmt::join(keys, ", ")));
      return; // so from here on each item has a known key, and the search below is short
    }
    for (std::size_t j = 0; j < i; ++j)
      if (map.items[j].key == item.key) {
        complaints.add(item, fmt::format("given twice, first in line {}", map.items[j].line));
        return;
      }
  }
}

u64 MapReader::number(std::string_view key, u64 otherwise, u64 max) const {
  const Node *item = find(key);
  return item ? read_number(*item, max, complaints_) : otherwise;
}

bool MapReader::flag(std::string_view key) const {
  const Node *item = find(key);
  if (!item)
    return false;
  if (item->is_scalar() && (item->text == "true" || item->text == "yes"))
    return true;
  if (!item->is_scalar() || (item->text != "false" && item->text != "no"))
    complaints_.add(*item, "true or false is needed here");
  return false;
}

std::string MapReader::name(std::string_view key) const {
  const Node *item = find(key);
  return item ? read_name(*item, complaints_) : std::string();
}

std::span<const Node> MapReader::list(std::string_view key) const {
  const Node *item = find(key);
  return item ? read_list(*item, complaints_) : std::span<const Node>();
}

std::span<const Node> read_list(const Node &node, Complaints &complaints) {
  if (node.kind == Node::Kind::Null)
    return {};
  if (!node.is_sequence()) {
    complaints.add(node, fmt::format("a list is needed here, not {}", kind_word(node)));
    return {};
  }
  return node.items;
}

std::string decimal(u64 value) {
  return std::to_string(value);
}

std::string hexadecimal(u64 value) {
  return value < 10 ? std::to_string(value) : fmt::format("{:#x}", value);
}

std::string signed_hexadecimal(i64 value) {
  return value < 0 ? fmt::format("-{}", hexadecimal(0 - static_cast<u64>(value)))
                   : hexadecimal(static_cast<u64>(value));
}

// ---- Words --------------------------------------------------------------------------------------

// One row per kind of number. Flags are sums of words; bits without a word become a number at the
// end (alloc+exec+0x100000), so that every value has exactly one text.

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

// A kind of number: flags, or one of the names of a table.
struct WordKind {
  std::string_view what; // for messages
  u64 most;
  std::span<const FlagWord> flags;
  std::optional<std::string_view> (*name_of)(u64 number) = nullptr;
  std::optional<u64> (*number_of)(std::string_view name) = nullptr;
};

template <const auto &table> constexpr WordKind named(std::string_view what, u64 most) {
  return {what, most, {}, name_in<table>, number_in<table>};
}

// In the order of Words.
constexpr std::array<WordKind, 9> kKinds{{
    {"flags", ~u64{0}, kSectionFlags},
    {"flags", 0xff, kSymbolOther},
    {"flags", kMaxWord, kSegmentFlags},
    named<elf::kSectionTypeNames>("section type", kMaxWord),
    named<elf::kSymbolTypeNames>("symbol type", 15),
    named<elf::kSymbolBindingNames>("binding", 15),
    named<elf::kSegmentTypeNames>("segment type", kMaxWord),
    named<elf::kFileTypeNames>("file type (rel, exec)", 0xffff),
    {"relocation type", kMaxWord, {}, name_of_relocation, number_of_relocation},
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
      const auto known = kind.flags | std::views::transform(&FlagWord::word);
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

// ---- References ---------------------------------------------------------------------------------

// References by name. If a name does not identify an entry (it is not unique, is empty, is not
// valid UTF-8, or looks like #12), the number is used, so that every entry of every file can be
// referred to.

namespace {

std::optional<u32> parse_index(std::string_view text) {
  if (text.size() < 2 || text[0] != '#')
    return std::nullopt;
  const std::optional<u64> number = parse_number(text.substr(1));
  if (!number || *number > 0xffffffff)
    return std::nullopt;
  return static_cast<u32>(*number);
}

} // namespace

void NameIndex::add(std::string_view name) {
  const u32 entry = size();
  names_.push_back(name);
  if (name.empty())
    return;
  const auto [number, added] = index_.insert(name);
  if (added)
    only_.push_back(entry);
  else
    only_[number] = kSeveral;
}

Node NameIndex::reference(u32 index) const {
  const std::string_view own = name(index);
  if (find(own) == index && !own.starts_with("#") && is_yaml_text(own))
    return Node::scalar(std::string(own));
  return Node::scalar(fmt::format("#{}", index));
}

std::optional<u32> NameIndex::find(std::string_view name) const {
  const std::optional<u32> number = name.empty() ? std::nullopt : index_.find(name);
  if (!number || only_[*number] == kSeveral)
    return std::nullopt;
  return only_[*number];
}

u32 NameIndex::resolve(const Node &node, Complaints &complaints) const {
  if (!node.is_scalar()) {
    complaints.add(node, fmt::format("the name of a {} is needed here, or #number", what_));
    return 0;
  }
  if (const std::optional<u32> index = parse_index(node.text))
    return *index;
  if (const std::optional<u32> index = find(node.text))
    return *index;
  complaints.add(node,
                 index_.find(node.text)
                     ? fmt::format("several {}s are named '{}'; write #number", what_, node.text)
                     : fmt::format("there is no {} named '{}'", what_, node.text));
  return 0;
}

} // namespace culink::text
