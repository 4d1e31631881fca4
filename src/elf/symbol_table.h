// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbols of a file under construction, by SymbolId and in order of creation. In a large file
// most symbols are section symbols, which are derived from their sections and take eight bytes;
// only the others have a specification.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "elf/section_table.h"
#include "support/types.h"

namespace culink::elf {

// The part of the symbol table that holds a symbol. The binding usually determines it; nvlink keeps
// weak definitions among the locals.
enum class SymbolPart : u8 { Local, Global };

struct SymbolSpec {
  std::string_view name;
  SymbolBinding binding = SymbolBinding::Global;
  SymbolType type = SymbolType::NoType;
  u8 other = 0;
  SectionId section = {};  // none: undefined, unless special_section says otherwise
  u16 special_section = 0; // kSectionAbsolute, kSectionCommon
  u64 value = 0;
  u64 size = 0;
  std::optional<SymbolPart> part = {}; // default: Local for Local, Global for all others
  bool emitted = true;                 // false: only the name is stored, in .strtab
  bool named = true;       // false: without a name, like section symbols of other linkers
  bool blank_name = false; // has its own "", shared by all such symbols
};

// The numbers of symbols in the file: local symbols come first.
struct SymbolNumbers {
  std::vector<u32> of;    // by SymbolId; 0: not emitted
  std::vector<u32> order; // ids by number, so local symbols first
  u32 count = 0;          // includes the null symbol
  u32 first_global = 0;
};

class OutSymbols {
public:
  struct Entry {
    enum class Kind : u8 {
      Specified, // see spec()
      Section,   // local, with the name of the section
    };
    u32 id = 0; // index in the table of specifications, or a SectionId
    Kind kind = Kind::Specified;
    bool emitted = false; // for a section symbol
  };

  [[nodiscard]] u32 size() const { return static_cast<u32>(entries_.size()); }
  [[nodiscard]] const Entry &operator[](SymbolId id) const { return entries_[id.value]; }
  // `specified`: the number of symbols that are not section symbols.
  void reserve(u64 count, u64 specified) {
    entries_.reserve(count);
    specs_.reserve(specified);
  }

  SymbolId add(const SymbolSpec &spec) {
    entries_.push_back({static_cast<u32>(specs_.size()), Entry::Kind::Specified});
    SymbolSpec &added = specs_.emplace_back(spec);
    if (!spec.part)
      added.part = spec.binding == SymbolBinding::Local ? SymbolPart::Local : SymbolPart::Global;
    return last();
  }
  // Adds a local symbol of type Section with the final name of the section.
  SymbolId add_section(SectionId section, bool emitted = true) {
    entries_.push_back({section.value, Entry::Kind::Section, emitted});
    return last();
  }
  [[nodiscard]] bool is_emitted(const Entry &entry) const {
    return entry.kind == Entry::Kind::Specified ? specs_[entry.id].emitted : entry.emitted;
  }
  [[nodiscard]] bool is_local(const Entry &entry) const {
    return entry.kind == Entry::Kind::Section || specs_[entry.id].part == SymbolPart::Local;
  }
  // Returns none if the symbol does not require a section to be in the file.
  [[nodiscard]] SectionId section_of(const Entry &entry) const {
    if (entry.kind == Entry::Kind::Section)
      return entry.emitted ? SectionId(entry.id) : SectionId();
    return specs_[entry.id].emitted ? specs_[entry.id].section : SectionId();
  }
  // Returns the specification of a symbol.
  [[nodiscard]] SymbolSpec without_name(SymbolId id) const {
    const Entry &entry = entries_[id.value];
    if (entry.kind == Entry::Kind::Specified)
      return specs_[entry.id];
    return {.binding = SymbolBinding::Local,
            .type = SymbolType::Section,
            .section = SectionId(entry.id),
            .part = SymbolPart::Local,
            .emitted = entry.emitted};
  }
  [[nodiscard]] SymbolSpec spec(SymbolId id, const SectionTable &sections) const {
    SymbolSpec out = without_name(id);
    if (entries_[id.value].kind == Entry::Kind::Section)
      out.name = sections.name(out.section);
    return out;
  }
  [[nodiscard]] const SymbolSpec &specified(const Entry &entry) const { return specs_[entry.id]; }
  // Gives a symbol a specification and returns it. Valid until a symbol is added or changed.
  [[nodiscard]] SymbolSpec &edit(SymbolId id, const SectionTable &sections) {
    Entry &entry = entries_[id.value];
    if (entry.kind != Entry::Kind::Specified) {
      specs_.push_back(spec(id, sections));
      entry = {static_cast<u32>(specs_.size() - 1), Entry::Kind::Specified};
    }
    return specs_[entry.id];
  }

  // Returns the numbers of all symbols. Adding global symbols later does not change them.
  [[nodiscard]] SymbolNumbers numbers() const;

private:
  [[nodiscard]] SymbolId last() const { return SymbolId(size() - 1); }

  std::vector<Entry> entries_;
  std::vector<SymbolSpec> specs_;
};

} // namespace culink::elf
