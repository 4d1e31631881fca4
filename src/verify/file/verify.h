// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of a well-formed device ELF. Every file that ptxas and nvlink 13.0 write follows all of
// them. The linker checks its own output with them, and `cubin verify` checks any file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"
#include "support/result.h"
#include "support/worker_pool.h"

namespace culink {

enum class Rule : u8 {
  Structure,
  HeaderMachine,
  HeaderIdent,
  HeaderAbi,
  HeaderType,
  HeaderFlags,
  HeaderCuinfo,
  HeaderSizes,
  HeaderTables,
  SectionNull,
  SectionMissing,
  SectionUnique,
  SectionType,
  SectionFlags,
  SectionLink,
  SectionInfo,
  SectionEntry,
  SectionAlign,
  SectionAddress,
  SectionOverlap,
  SectionGap,
  FileTrailing,
  TextSize,
  TextSymbol,
  SymbolNull,
  SymbolOrder,
  SymbolKind,
  SymbolOther,
  SymbolValue,
  SymbolSection,
  SymbolFunction,
  RelocationType,
  RelocationOffset,
  RelocationAlign,
  InfoFraming,
  InfoRecord,
  InfoSymbol,
  InfoOffset,
  CapsuleText,
  CapsuleFraming,
  CapsuleSize,
  MirrorSection,
  MirrorSymbol,
  MirrorBytes,
  CallGraphFraming,
  CallGraphSymbol,
  CallGraphString,
  PrototypeSymbol,
  PrototypeString,
  NoteFraming,
  NoteName,
  NoteToolkit,
  NoteCuda,
  CompatFraming,
  CompatRecord,
  ActionType,
  SegmentPresence,
  SegmentTable,
  SegmentFields,
  SegmentCover,
};

struct RuleRow {
  Rule rule;
  std::string_view id;   // printed with a finding, stable
  std::string_view text; // the condition that must hold
};

// Returns every rule, in the order of the enum.
[[nodiscard]] std::span<const RuleRow> verify_rules();
[[nodiscard]] std::string_view rule_id(Rule rule);

// True if a rule is about content that a compiler wrote and a linker copies unchanged.
[[nodiscard]] constexpr bool is_about_carried_content(Rule rule) {
  return rule == Rule::InfoOffset;
}

struct Finding {
  Rule rule = Rule::Structure;
  Error what;
};

// Returns the target of a file if it has no rules: targets before sm_75, which CUDA 12 still wrote.
[[nodiscard]] std::optional<std::string> target_without_rules(const elf::ElfView &view);

// Returns all findings in a file; for a target without rules only its structure is checked. A rule
// that is broken many times in one section is one finding, with the first occurrence and a count.
// Time and memory are linear in the size of the file. Takes strict and tolerant views; the
// violations of a tolerant one are findings of Rule::Structure. The threads of a pool share the
// work; the findings do not depend on their number.
[[nodiscard]] std::vector<Finding> verify_device_elf(const elf::ElfView &view, WorkerPool &pool);
[[nodiscard]] std::vector<Finding> verify_device_elf(const elf::ElfView &view);

// Checks only that Mercury code and machine code agree, for programs that pass both on.
[[nodiscard]] std::vector<Finding> verify_mercury_mirror(const elf::ElfView &view);

} // namespace culink
