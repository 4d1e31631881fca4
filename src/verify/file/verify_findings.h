// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the files of the verifier, and included by them only.
#pragma once

#include <array>
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
// in one section is one finding: only the first occurrence gets a text, the others are counted.
class Findings {
public:
  // `make` returns a FieldMessage; it is called only for the first finding of its kind.
  template <typename Make> void in_section(Rule rule, const elf::Section &section, Make make) {
    const u64 key = (u64{section.index} << 8) | static_cast<u8>(rule);
    const auto [entry, is_new] = first_.try_emplace(key, static_cast<u32>(entries_.size()));
    if (!is_new) {
      ++entries_[entry->second].repeats;
      return;
    }
    FieldMessage text = make();
    entries_.push_back(
        {{rule, {elf::describe_section(section), std::move(text.field), std::move(text.message)}},
         key});
  }
  void in_section(Rule rule, const elf::Section &section, std::string field, std::string message) {
    in_section(rule, section, [&] { return FieldMessage{std::move(field), std::move(message)}; });
  }
  void push(Rule rule, std::string place, std::string field, std::string message) {
    entries_.push_back(
        {{rule, {std::move(place), std::move(field), std::move(message)}}, kNoSection});
  }
  // Appends later findings. The same rule in the same section remains one finding, so the result
  // does not depend on the number of parts that a file is divided into.
  void append(Findings &&later);
  [[nodiscard]] std::vector<Finding> take() &&;

private:
  static constexpr u64 kNoSection = ~u64{0};
  struct Entry {
    Finding finding;
    u64 key;         // section and rule, or kNoSection
    u32 repeats = 0; // further findings of the same kind
  };
  std::vector<Entry> entries_;
  std::unordered_map<u64, u32> first_; // by key: index of the entry
};

using SectionRange = std::span<const elf::Section>;

// Bytes, on every architecture since sm_70.
constexpr u64 kInstructionSize = 16;

// The name of .note.nv.cuinfo in files of toolkits 12.8 and 12.9 for sm_100 and later.
inline constexpr std::string_view kCuverName = ".note.nv.cuver";

// True for files of toolkits before 13 for sm_90 and below, with other flags, links and versions.
[[nodiscard]] inline bool has_old_abi(const elf::ElfView &view) {
  return view.header().ident[elf::kIdentOsAbi] == elf::kOsAbiCudaOld;
}

// The topics. Those that take a section ignore sections of other kinds.
void check_header(const elf::ElfView &view, Findings &findings);
void check_names(const elf::ElfView &view, Findings &findings);
void check_section(const elf::ElfView &view, const elf::Section &section, Findings &findings);
void check_layout(const elf::ElfView &view, Findings &findings);
void check_symbols(const elf::ElfView &view, const elf::Section &table, u32 begin, u32 end,
                   Findings &findings);
void check_relocations(const elf::ElfView &view, const elf::Section &table, Findings &findings);
// Checks records from `begin` up to `end`, offsets of records or of the end of the section.
void check_info(const elf::ElfView &view, const elf::Section &section, u64 begin, u64 end,
                Findings &findings);
void check_mirror(const elf::ElfView &view, Findings &findings);
void check_calls(const elf::ElfView &view, const elf::Section &section, Findings &findings);
void check_note(const elf::ElfView &view, const elf::Section &section, Findings &findings);
void check_segments(const elf::ElfView &view, Findings &findings);
void check_cover(const elf::ElfView &view, SectionRange sections, Findings &findings);
void check_segment_sizes(const elf::ElfView &view, Findings &findings);

} // namespace culink::verify
