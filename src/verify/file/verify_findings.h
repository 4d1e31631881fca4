// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the files of the verifier, and included by them only.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "elf/records/nv_info.h"
#include "elf/section_kind.h"
#include "elf/target/reloc.h"
#include "support/worker_pool.h"
#include "verify/file/verify.h"

namespace culink::verify {

struct FieldMessage {
  std::string field;
  std::string message;
};

// Collects findings. A damaged table can break one rule in each of a million entries, so one rule
// in one section is one finding: texts are made for the first occurrence only, the rest is counted.
class Findings {
public:
  // `make` returns a FieldMessage and is called only when this is the first of its kind.
  template <typename Make> void in_section(Rule rule, const elf::Section &section, Make make) {
    const u64 key = (u64{section.index} << 8) | static_cast<u8>(rule);
    List &all = list();
    const auto [entry, is_new] = all.first.try_emplace(key, static_cast<u32>(all.entries.size()));
    if (!is_new) {
      ++all.entries[entry->second].repeats;
      return;
    }
    FieldMessage text = make();
    all.entries.push_back(
        {{rule, {elf::describe_section(section), std::move(text.field), std::move(text.message)}},
         key});
  }
  void push(Rule rule, std::string place, std::string field, std::string message) {
    list().entries.push_back(
        {{rule, {std::move(place), std::move(field), std::move(message)}}, kNoSection});
  }
  [[nodiscard]] bool empty() const { return !list_; }
  // Adds what was found after this. The same rule in the same section remains one finding, so that
  // it does not matter into how many parts a file was divided.
  void append(Findings &&later);
  [[nodiscard]] std::vector<Finding> take() &&;

private:
  static constexpr u64 kNoSection = ~u64{0};
  struct Entry {
    Finding finding;
    u64 key;         // section and rule, or kNoSection
    u32 repeats = 0; // how many more of the same kind
  };
  struct List {
    std::vector<Entry> entries;
    std::unordered_map<u64, u32> first; // by key: which of the entries
  };
  [[nodiscard]] List &list() {
    if (!list_)
      list_ = std::make_unique<List>();
    return *list_;
  }
  std::unique_ptr<List> list_; // null: nothing was found, as in most of the many parts of a file
};

using SectionRange = std::span<const elf::Section>;

// What the checks of single sections leave for those of the whole file, so that not every topic
// needs a walk of its own: a large file has a hundred thousand sections, more than the caches hold.
struct Survey {
  std::vector<const elf::Section *> symbol_tables;
  std::vector<const elf::Section *> calls;       // call graphs and prototypes
  std::vector<const elf::Section *> notes;       // and other sections with their kind of records
  std::vector<const elf::Section *> short_names; // at most kShortName characters
  std::vector<SectionRange> no_data;             // memory without contents
  // Sections are in the file in the order of the table, aligned, without address, without overlap,
  // and with nothing but zeros between them.
  bool tidy = true;
  const elf::Section *first = nullptr; // if tidy: the one with the first bytes
  const elf::Section *last = nullptr;  // and with the last
};
inline constexpr size_t kShortName = 15;

// What sections of a file have in common: looked up once for all of them.
class FileMemory {
public:
  explicit FileMemory(const elf::ElfView &view) : view_(view) {}

  [[nodiscard]] const elf::ElfView &view() const { return view_; }
  // The table that sh_link names.
  [[nodiscard]] const elf::SymbolTable &linked_symbols(const elf::Section &user) {
    if (user.link != linked_) {
      linked_ = user.link;
      symbols_ = view_.linked_symbols(user);
    }
    return symbols_;
  }

private:
  const elf::ElfView &view_;
  u32 linked_ = ~u32{0};
  elf::SymbolTable symbols_;
};

// Adds a section to the survey of those before it.
void survey_section(const elf::ElfView &view, const elf::Section &section, Survey &survey);
// Adds the survey of the sections that follow.
void append_survey(const elf::ElfView &view, Survey &survey, const Survey &later);

// Bytes, on every architecture since sm_70.
constexpr u64 kInstructionSize = 16;

// What .note.nv.cuinfo is called in files of toolkits 12.8 and 12.9 for sm_100 and later.
inline constexpr std::string_view kCuverName = ".note.nv.cuver";

// Files of toolkits before 13 for sm_90 and below: other flags, links and versions.
[[nodiscard]] inline bool has_old_abi(const elf::ElfView &view) {
  return view.header().ident[elf::kIdentOsAbi] == elf::kOsAbiCudaOld;
}

// Local symbols may follow global ones.
[[nodiscard]] inline bool is_before_toolkit_13(const elf::ElfView &view) {
  return has_old_abi(view) || view.find(kCuverName);
}

// The topics. Those of ranges take any part of the section table.
void check_header(const elf::ElfView &view, Findings &findings);
void check_names(const elf::ElfView &view, const Survey &survey, Findings &findings);
void check_section(const elf::Section &section, FileMemory &memory, Findings &findings);
void check_layout(const elf::ElfView &view, const Survey &survey, Findings &findings);
void check_symbols(const elf::ElfView &view, const elf::Section &table, u32 begin, u32 end,
                   Findings &findings);
void check_relocations(const elf::ElfView &view, const elf::Section &table, Findings &findings);
// Records from `begin` up to `end`, which are offsets of records or of the section's end.
void check_info(const elf::Section &section, u64 begin, u64 end, FileMemory &memory,
                Findings &findings);
void check_mirror(const elf::ElfView &view, Findings &findings);
void check_calls(const elf::ElfView &view, const elf::Section &section, Findings &findings);
void check_note(const elf::Section &section, Findings &findings);
void check_segments(const elf::ElfView &view, Findings &findings);
void check_cover(const elf::ElfView &view, SectionRange sections, Findings &findings);
void check_segment_sizes(const elf::ElfView &view, const Survey &survey, Findings &findings);

// All topics but the header, of a device file.
[[nodiscard]] Findings check_contents(const elf::ElfView &view, WorkerPool &pool);

} // namespace culink::verify
