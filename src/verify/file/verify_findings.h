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
// in one section is one finding: texts are made for the first occurrence only, the rest is counted.
class Findings {
public:
  // `make` returns a FieldMessage and is called only when this is the first of its kind.
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
  std::vector<Entry> entries_;
  std::unordered_map<u64, u32> first_; // by key: which of the entries
};

using SectionRange = std::span<const elf::Section>;

// Bytes, on every architecture since sm_70.
constexpr u64 kInstructionSize = 16;

// What .note.nv.cuinfo is called in files of toolkits 12.8 and 12.9 for sm_100 and later.
inline constexpr std::string_view kCuverName = ".note.nv.cuver";

// Files of toolkits before 13 for sm_90 and below: other flags, links and versions.
[[nodiscard]] inline bool has_old_abi(const elf::ElfView &view) {
  return view.header().ident[elf::kIdentOsAbi] == elf::kOsAbiCudaOld;
}

// The topics. Those of a section do nothing for one of another kind.
void check_header(const elf::ElfView &view, Findings &findings);
void check_names(const elf::ElfView &view, Findings &findings);
void check_section(const elf::ElfView &view, const elf::Section &section, Findings &findings);
void check_layout(const elf::ElfView &view, Findings &findings);
void check_symbols(const elf::ElfView &view, const elf::Section &table, u32 begin, u32 end,
                   Findings &findings);
void check_relocations(const elf::ElfView &view, const elf::Section &table, Findings &findings);
// Records from `begin` up to `end`, which are offsets of records or of the section's end.
void check_info(const elf::ElfView &view, const elf::Section &section, u64 begin, u64 end,
                Findings &findings);
void check_mirror(const elf::ElfView &view, Findings &findings);
void check_calls(const elf::ElfView &view, const elf::Section &section, Findings &findings);
void check_note(const elf::ElfView &view, const elf::Section &section, Findings &findings);
void check_segments(const elf::ElfView &view, Findings &findings);
void check_cover(const elf::ElfView &view, SectionRange sections, Findings &findings);
void check_segment_sizes(const elf::ElfView &view, Findings &findings);

} // namespace culink::verify
