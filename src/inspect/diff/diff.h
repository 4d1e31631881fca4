// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The differences between two device ELF files, in words, for a person who wants to know why a
// linker's output is not the expected one. Sections and symbols are matched by name, records by
// their subject, so a change of numbering shows up once and not in every table.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"

namespace culink::text {

// In the order in which they are reported: causes before consequences.
enum class DiffTopic : u8 {
  Header,    // file type, architecture, flags
  Functions, // which functions have code; their sections are not reported again
  Sections,  // which sections there are, and their order
  Symbols,   // which symbols there are, their order and fields
  Headers,   // fields of matching section headers
  Notes,     // .note.nv.cuinfo and others
  Tkinfo,    // .note.nv.tkinfo
  Compat,    // .nv.compat
  Info,      // .nv.info records
  CallGraph, // .nv.callgraph and .nv.prototype
  Relocs,    // relocations
  Code,      // instructions
  Data,      // contents of data sections
  Debug,     // contents of debug sections
  Strings,   // string tables
  Segments,  // program headers
  Layout,    // offsets and sizes in the file
  Padding,   // bytes that do not belong to any section or table
};
inline constexpr u32 kDiffTopics = static_cast<u32>(DiffTopic::Padding) + 1;

[[nodiscard]] std::string_view name_of_topic(DiffTopic topic);
[[nodiscard]] std::optional<DiffTopic> topic_from_name(std::string_view name);

struct DiffOptions {
  u64 limit = 12; // differences reported per topic; further ones are only counted
  std::array<bool, kDiffTopics> ignored{};

  [[nodiscard]] bool ignores(DiffTopic topic) const { return ignored[static_cast<u32>(topic)]; }
};

struct Difference {
  DiffTopic topic = DiffTopic::Header;
  std::string place; // the section, symbol or record; may be empty
  std::string text;  // the difference; the first file comes first
};

struct DiffResult {
  std::vector<Difference> differences; // by topic
  std::array<u64, kDiffTopics> counts{};

  [[nodiscard]] u64 count() const;
  [[nodiscard]] bool same() const { return count() == 0; }
};

// Compares two files; takes tolerant and strict views. Files with different bytes always give at
// least one difference, unless its topic is ignored. Ignoring Tkinfo also ignores the changed
// offsets that a longer note causes.
[[nodiscard]] DiffResult diff_files(const elf::ElfView &a, const elf::ElfView &b,
                                    const DiffOptions &options);

} // namespace culink::text
