// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers of the comparison: a list of differences with a limit per topic, and the algorithm that
// compares two lists of named entries. It compares membership first and order second, so that an
// additional entry is reported once and not as a shift of all entries after it.
#include "inspect/diff/diff_report.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "support/string_index.h"
#include "support/text_out.h"

namespace culink::text {

namespace {

constexpr std::array<std::string_view, kDiffTopics> kTopicNames{
    "header", "functions", "sections", "symbols",   "headers", "notes",
    "tkinfo", "compat",    "info",     "callgraph", "relocs",  "code",
    "data",   "debug",     "strings",  "segments",  "layout",  "padding"};

} // namespace

std::string_view name_of_topic(DiffTopic topic) {
  return kTopicNames[static_cast<u32>(topic)];
}

std::optional<DiffTopic> topic_from_name(std::string_view name) {
  const auto found = std::ranges::find(kTopicNames, name);
  if (found == kTopicNames.end())
    return std::nullopt;
  return static_cast<DiffTopic>(found - kTopicNames.begin());
}

u64 DiffResult::count() const {
  u64 sum = 0;
  for (const u64 n : counts)
    sum += n;
  return sum;
}

namespace diff {

DiffResult Report::take() && {
  std::ranges::stable_sort(result_.differences, {}, &Difference::topic);
  return std::move(result_);
}

std::string quoted(std::string_view name) {
  return fmt::format("'{}'", printable(name));
}

std::string name_or_number(std::optional<std::string_view> name, u64 number) {
  return name ? std::string(*name) : fmt::format("{:#x}", number);
}

elf::SectionRole role_of(const elf::Section &section) {
  return elf::classify_section(section.name, section.type, section.flags).role;
}

// ---- Lists --------------------------------------------------------------------------------------

void add_item(std::vector<Item> &items, std::string key, std::string value) {
  items.push_back({std::move(key), std::move(value), static_cast<u32>(items.size())});
}

namespace {

constexpr u32 kNone = 0xffffffff;

// Holds for each entry of `a` the entry of `b` with the same key and occurrence, and the reverse.
struct Matches {
  std::vector<u32> in_b;
  std::vector<u32> in_a;
};

Matches match(const std::vector<Item> &a, const std::vector<Item> &b) {
  Matches out{std::vector<u32>(a.size(), kNone), std::vector<u32>(b.size(), kNone)};
  NameMap<std::vector<u32>> of_key; // entries of b, in reverse order
  for (u32 i = static_cast<u32>(b.size()); i-- > 0;)
    of_key[b[i].key].push_back(i);
  for (u32 i = 0; i < a.size(); ++i) {
    const auto entry = of_key.find(a[i].key);
    if (entry == of_key.end() || entry->second.empty())
      continue;
    out.in_b[i] = entry->second.back();
    out.in_a[out.in_b[i]] = i;
    entry->second.pop_back();
  }
  return out;
}

std::string told(const Item &item) {
  return item.value.empty() ? item.key : item.key + ": " + item.value;
}

// Reports the first place where the order of the entries that both lists have differs.
void diff_order(const ItemWords &words, const std::vector<Item> &a, const std::vector<Item> &b,
                const Matches &matches, Report &report) {
  u32 j = 0;
  for (u32 i = 0; i < a.size(); ++i) {
    if (matches.in_b[i] == kNone)
      continue;
    while (j < b.size() && matches.in_a[j] == kNone)
      ++j;
    if (matches.in_b[i] != j) {
      report.add(words.topic, words.place, [&] {
        return fmt::format("{} order differs from {} {}: {} vs {}", words.noun, words.noun,
                           a[i].index, a[i].key, b[j].key);
      });
      return;
    }
    ++j;
  }
}

} // namespace

namespace {

std::string numbered(const ItemWords &words, const Item &item) {
  return words.numbered ? fmt::format("{} {}", words.noun, item.index) : std::string(words.noun);
}

// Returns `text` without the leading words that it shares with `other`.
std::string_view without_common_words(std::string_view other, std::string_view text) {
  for (size_t end = text.find(' '); end != std::string_view::npos; end = text.find(' ')) {
    if (!other.starts_with(text.substr(0, end + 1)))
      break;
    other.remove_prefix(end + 1);
    text.remove_prefix(end + 1);
  }
  return text;
}

// Returns the fields that differ between two values of the form "field x, field y".
std::string changed(std::string_view a, std::string_view b) {
  constexpr std::string_view kBetween = ", ";
  std::string out;
  while (!a.empty() || !b.empty()) {
    const size_t end_a = std::min(a.find(kBetween), a.size());
    const size_t end_b = std::min(b.find(kBetween), b.size());
    if (a.empty() != b.empty() || (end_a == a.size()) != (end_b == b.size()))
      return {}; // the values have different fields
    if (const auto x = a.substr(0, end_a), y = b.substr(0, end_b); x != y)
      out += fmt::format("{}{} vs {}", out.empty() ? "" : kBetween, x, without_common_words(x, y));
    a.remove_prefix(std::min(end_a + kBetween.size(), a.size()));
    b.remove_prefix(std::min(end_b + kBetween.size(), b.size()));
  }
  return out;
}

} // namespace

void diff_items(const ItemWords &words, const std::vector<Item> &a, const std::vector<Item> &b,
                Report &report) {
  const Matches matches = match(a, b);
  for (u32 i = 0; i < a.size(); ++i)
    if (matches.in_b[i] == kNone)
      report.add(words.topic, words.place, [&] {
        return fmt::format("{} only in the first file: {}", numbered(words, a[i]), told(a[i]));
      });
  for (u32 i = 0; i < b.size(); ++i)
    if (matches.in_a[i] == kNone)
      report.add(words.topic, words.place, [&] {
        return fmt::format("{} only in the second file: {}", numbered(words, b[i]), told(b[i]));
      });
  diff_order(words, a, b, matches, report);
  for (u32 i = 0; i < a.size(); ++i) {
    if (matches.in_b[i] == kNone || a[i].value == b[matches.in_b[i]].value)
      continue;
    report.add(words.topic, words.place, [&] {
      const Item &other = b[matches.in_b[i]];
      std::string what = changed(a[i].value, other.value);
      if (what.empty())
        what = a[i].value + " vs " + other.value;
      return fmt::format("{} {}: {}", numbered(words, a[i]), a[i].key, what);
    });
  }
}

// ---- Names --------------------------------------------------------------------------------------

Side::Side(const elf::ElfView &view) : view_(view) {
  NameMap<u32> seen;
  section_names_.reserve(view.sections().size());
  for (const elf::Section &s : view.sections()) {
    if (s.index == 0)
      section_names_.emplace_back("nothing");
    else if (s.name.empty())
      section_names_.push_back(fmt::format("section {}", s.index));
    else if (const u32 n = ++seen[s.name]; n > 1)
      section_names_.push_back(fmt::format("{} ({})", quoted(s.name), n));
    else
      section_names_.push_back(quoted(s.name));
  }
}

const std::string &Side::section(u32 index) const {
  static const std::string kOutside = "a section that does not exist";
  return index < section_names_.size() ? section_names_[index] : kOutside;
}

std::string Side::symbol(const elf::SymbolTable &symbols, u32 index) const {
  if (index == 0)
    return "no symbol";
  if (index >= symbols.size())
    return fmt::format("symbol {} (of {})", index, symbols.size());
  const elf::Symbol symbol = symbols[index];
  if (symbol.type() == elf::SymbolType::Section && symbol.in_section())
    return fmt::format("section {}", section(symbol.section));
  return symbol.name.empty() ? fmt::format("unnamed symbol in {}", symbol_section(symbol))
                             : quoted(symbol.name);
}

std::string Side::symbol_section(const elf::Symbol &symbol) const {
  if (symbol.in_section())
    return section(symbol.section);
  if (symbol.undefined())
    return "undefined";
  if (symbol.common())
    return "common";
  return symbol.raw_section == elf::kSectionAbsolute ? "absolute"
                                                     : fmt::format("{:#x}", symbol.raw_section);
}

namespace {

NameSet functions_with_code(const elf::ElfView &view) {
  NameSet out;
  for (const elf::Section &s : view.sections())
    if (const auto kind = elf::classify_section(s.name, s.type, s.flags);
        kind.role == elf::SectionRole::Text && !kind.owner.empty())
      out.insert(kind.owner);
  return out;
}

// True if indices mean the same in both files. Equal bytes then give equal texts, and large equal
// parts need not be formatted.
bool have_same_numbers(const Files &files) {
  const auto &a = files.a.view().sections(), &b = files.b.view().sections();
  if (a.size() != b.size())
    return false;
  for (u32 i = 0; i < a.size(); ++i) {
    const bool table = is_symbol_table(a[i].type) || a[i].type == elf::SectionType::Strtab ||
                       a[i].type == elf::SectionType::SymtabShndx;
    if (files.a.section(i) != files.b.section(i) || a[i].type != b[i].type ||
        (table && !std::ranges::equal(a[i].data, b[i].data)))
      return false;
  }
  return true;
}

} // namespace

bool Files::one_sided(const elf::Section &s) const {
  const auto kind = elf::classify_section(s.name, s.type, s.flags);
  return !kind.owner.empty() &&
         functions_a.contains(kind.owner) != functions_b.contains(kind.owner);
}

Files match_sections(const elf::ElfView &a, const elf::ElfView &b) {
  Files files{Side(a), Side(b), {}, functions_with_code(a), functions_with_code(b)};
  NameMap<u32> in_b; // by numbered name: the section's index
  for (const elf::Section &s : b.sections())
    if (s.index != 0)
      in_b.emplace(files.b.section(s.index), s.index);
  for (const elf::Section &s : a.sections()) {
    if (s.index == 0)
      continue;
    if (const auto found = in_b.find(files.a.section(s.index)); found != in_b.end())
      files.pairs.push_back({&s, &b.sections()[found->second]});
  }
  files.same_numbers = have_same_numbers(files);
  return files;
}

} // namespace diff
} // namespace culink::text
