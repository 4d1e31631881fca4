// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the files of the verifier, and included by them only.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "verify/verify.h"

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
    const auto [entry, is_new] = first_.try_emplace(key, static_cast<u32>(findings_.size()));
    if (!is_new) {
      ++repeats_[entry->second];
      return;
    }
    FieldMessage text = make();
    push(rule, elf::describe_section(section), std::move(text.field), std::move(text.message));
  }
  void push(Rule rule, std::string place, std::string field, std::string message) {
    findings_.push_back({rule, {std::move(place), std::move(field), std::move(message)}});
    repeats_.push_back(0);
  }
  [[nodiscard]] std::vector<Finding> take() &&;

private:
  std::vector<Finding> findings_;
  std::vector<u32> repeats_; // how many more of the same kind, per finding
  std::unordered_map<u64, u32> first_;
};

// The result of one walk over the sections, so that not every topic needs a walk of its own: a
// large file has a hundred thousand of them, more than the caches hold.
struct Survey {
  std::vector<const elf::Section *> symbol_tables;
  std::vector<const elf::Section *> relocation_tables;
  std::vector<const elf::Section *> infos;       // .nv.info of both planes
  std::vector<const elf::Section *> calls;       // call graphs and prototypes
  std::vector<const elf::Section *> notes;       // and other sections with their kind of records
  std::vector<const elf::Section *> short_names; // at most kShortName characters
  // Sections are in the file in the order of the table, aligned, without address, without overlap,
  // and with nothing but zeros between them.
  bool tidy = true;
  const elf::Section *last = nullptr; // if tidy: the one with the last bytes
};
inline constexpr size_t kShortName = 15;
[[nodiscard]] Survey survey_sections(const elf::ElfView &view);

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

void check_header(const elf::ElfView &view, Findings &findings);
void check_segments(const elf::ElfView &view, Findings &findings);
void check_section_table(const elf::ElfView &view, const Survey &survey, Findings &findings);
void check_layout(const elf::ElfView &view, const Survey &survey, Findings &findings);
void check_symbols(const elf::ElfView &view, const Survey &survey, Findings &findings);
void check_relocations(const elf::ElfView &view, const Survey &survey, Findings &findings);
void check_info(const elf::ElfView &view, const Survey &survey, Findings &findings);
void check_mirror(const elf::ElfView &view, Findings &findings);
void check_call_graph(const elf::ElfView &view, const Survey &survey, Findings &findings);
void check_notes(const elf::ElfView &view, const Survey &survey, Findings &findings);

} // namespace culink::verify
