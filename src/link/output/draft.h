// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <optional>

#include "elf/elf_builder.h"
#include "link/output/output_symbols.h"
#include "link/records/synthesize.h"
#include "link/relocs/classify_relocs.h"
#include "model/finalized.h"
#include "model/records.h"

namespace culink {

// Everything that the output holds. What is here by value is set free as soon as it is in the
// draft.
struct OutputPlan {
  Layout layout;
  RelocationPlan relocations;
  InfoPlan info;
  const SharedPlan &shared;
  const ImagePlan &images;
  const Synthetic &synthetic;
};

// Bytes that no section's content has.
struct FilePatch {
  elf::SectionId section;
  std::vector<u8> bytes; // from the section's start on
};

// The output with the offset and number of everything in it; only the bytes are not written yet.
// All it borrows are the bytes of the inputs.
struct FileDraft {
  elf::ElfBuilder elf;
  elf::ElfLayout layout;
  FoldedRelocations values;             // to be stored into the contents, by section
  RawVector<elf::SectionId> section_of; // by OutId
  u64 null_symbol_value = 0;
  std::vector<FilePatch> patches;
  std::vector<FinalizedObject> finalized; // whose bytes sections borrow
  InfoPlan records;                       // of .nv.info sections
  KeptRelocations relocations;            // as encode_relocations leaves them
  std::vector<std::vector<u8>> contents;  // that other sections borrow
  std::unique_ptr<NameStorage> names;     // of sections
};

// Numbers and lays out a file that has one form of its code.
[[nodiscard]] std::optional<FileDraft> draft_file(const Program &program, OutputPlan plan,
                                                  WorkerPool &pool, Diagnostics &diag);

// The same in steps, for files that have more to them than the plan.

// A file in the making: what the builder knows of the plan.
struct FileInProgress {
  elf::ElfBuilder elf;                  // borrows names of the plan, which must stay where it is
  RawVector<u8> is_emitted;             // by OutId: it is part of the file
  RawVector<elf::SectionId> section_of; // by OutId
  elf::SectionId next_section;          // behind those
  elf::SectionId rel_action;            // .nv.rel.action, or none
  OutputSymbols symbols;
  // Of the symbols, if these are all, and as they will be; contents store them.
  std::optional<elf::SymbolNumbers> numbers;
  bool relocations_grouped = false; // those of a table follow each other in the plan
};

// The builder with all symbols of the plan in it. It has no sections yet, but these have ids:
// symbols name them, and they name symbols.
[[nodiscard]] FileInProgress begin_file(const Program &program, const OutputPlan &plan,
                                        elf::SegmentRule segments, WorkerPool &pool);

// Lays out the file. The plan stays where it is until then: the builder refers to its names.
[[nodiscard]] std::optional<FileDraft> finish_file(const Program &program, OutputPlan &&plan,
                                                   FileInProgress file, WorkerPool &pool,
                                                   Diagnostics &diag);

} // namespace culink
