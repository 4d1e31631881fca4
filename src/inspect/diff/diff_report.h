// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the files of the comparison, private to this room.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "elf/section_kind.h"
#include "inspect/diff/diff.h"
#include "support/string_index.h"

namespace culink::text::diff {

// Collects differences. Texts beyond the limit of a topic are never formatted.
class Report {
public:
  explicit Report(const DiffOptions &options) : options_(options) {}

  // `make` returns the text; it is called only if the difference will be reported.
  template <typename Make> void add(DiffTopic topic, std::string_view place, Make make) {
    if (options_.ignores(topic))
      return;
    if (result_.counts[static_cast<u32>(topic)]++ < options_.limit)
      result_.differences.push_back({topic, std::string(place), make()});
  }
  [[nodiscard]] bool any() const { return result_.count() != 0; }
  [[nodiscard]] const DiffOptions &options() const { return options_; }
  [[nodiscard]] DiffResult take() &&;

private:
  DiffOptions options_;
  DiffResult result_;
};

// One entry of a list that both files have: its subject (key) and its value. Entries are matched by
// key; the n-th entry of a key in one list is matched with the n-th in the other.
struct Item {
  std::string key;
  std::string value;
  u32 index; // in its table
};

// Appends an entry; its index is its position in the list.
void add_item(std::vector<Item> &items, std::string key, std::string value);

struct ItemWords {
  DiffTopic topic;
  std::string_view place; // the section that holds the list
  std::string_view noun;  // "symbol", "record"
  bool numbered = true;   // report the index of an entry
};

// Reports missing, new and changed entries, and whether the common ones are in the same order.
void diff_items(const ItemWords &words, const std::vector<Item> &a, const std::vector<Item> &b,
                Report &report);

// Both files with their sections matched by name and occurrence.
struct Pair {
  const elf::Section *a;
  const elf::Section *b;
};

// A file and the names that reports use for its sections and symbols.
class Side {
public:
  explicit Side(const elf::ElfView &view);

  [[nodiscard]] const elf::ElfView &view() const { return view_; }
  // "'.text.f'", "'.text.f' (2nd)"; "section 7" if it has no name, "nothing" for 0.
  [[nodiscard]] const std::string &section(u32 index) const;
  // Returns a symbol's name; for a section symbol its section's name; otherwise its number.
  [[nodiscard]] std::string symbol(const elf::SymbolTable &symbols, u32 index) const;
  [[nodiscard]] std::string symbol_section(const elf::Symbol &symbol) const;

private:
  const elf::ElfView &view_;
  std::vector<std::string> section_names_; // unique: repeated names are numbered
};

// Returns a name from a file in printable form, in single quotes.
[[nodiscard]] std::string quoted(std::string_view name);
// Returns the name of a number, or the number in hexadecimal if it has none.
[[nodiscard]] std::string name_or_number(std::optional<std::string_view> name, u64 number);
[[nodiscard]] elf::SectionRole role_of(const elf::Section &section);

struct Files {
  Side a;
  Side b;
  std::vector<Pair> pairs; // sections of the same name, in the first file's order
  NameSet functions_a;     // functions that have code
  NameSet functions_b;
  bool same_numbers = false; // section and symbol numbers mean the same in both files

  // True if the section belongs to a function that has code in only one file. Such a function is
  // reported once, and its sections are not.
  [[nodiscard]] bool one_sided(const elf::Section &section) const;
};

[[nodiscard]] Files match_sections(const elf::ElfView &a, const elf::ElfView &b);

} // namespace culink::text::diff
