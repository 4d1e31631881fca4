// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "elf/elf_file.h"
#include "link/model/finalized.h"
#include "link/model/record_list.h"
#include "link/output/output_symbols.h"
#include "link/records/synthesize.h"
#include "link/relocs/classify_relocs.h"

namespace culink {

// Everything that the output holds. Members by value are freed as soon as the draft has their
// content.
struct OutputPlan {
  Layout layout;
  RelocationPlan relocations;
  InfoPlan info;
  const SharedPlan &shared;
  const ImagePlan &images;
  const Synthetic &synthetic;
};

// Bytes in the file that are not part of a section's content.
struct FilePatch {
  elf::SectionId section;
  std::vector<u8> bytes; // from the section's start on
};

// The output with the offset and number of everything in it; only the bytes are not written yet. It
// borrows only bytes of the inputs.
struct FileDraft {
  elf::ElfFile elf;
  elf::ElfLayout layout;
  FoldedRelocations values; // to be stored into the contents, by section
  u64 null_symbol_value = 0;
  std::vector<FilePatch> patches;
  std::vector<FinalizedObject> finalized; // whose bytes sections borrow
  InfoPlan records;                       // of .nv.info sections
  std::vector<std::vector<u8>> contents;  // that other sections borrow
};

// Numbers and lays out a file that has one form of its code.
[[nodiscard]] std::optional<FileDraft> draft_file(const Program &program, OutputPlan plan,
                                                  WorkerPool &pool, Diagnostics &diag);

// Steps of draft_file, for files that have more to them than the plan.

// A file in the making, and where the symbols of the plan are in it. Sections have the same ids.
struct FileInProgress {
  elf::ElfFile elf;
  OutputSymbols symbols;
  elf::SymbolNumbers numbers;

  // None: symbol 0.
  [[nodiscard]] u32 number_of(elf::SymbolId id) const {
    return id.valid() ? numbers.of[id.value] : 0;
  }
};

// The plan, where each section is now part of the file, only a name, or nothing.
[[nodiscard]] OutputPlan decide_presence(OutputPlan plan);

// The file with the symbols and the headers of the plan. `sections`: those of the plan.
[[nodiscard]] FileInProgress begin_file(const Program &program, const OutputPlan &plan,
                                        elf::SectionTable sections, elf::SegmentRule segments);

// Lays out the file. `numbers`: of all its symbols.
[[nodiscard]] std::optional<FileDraft> finish_file(OutputPlan plan, elf::ElfFile file,
                                                   elf::SymbolNumbers numbers, WorkerPool &pool,
                                                   Diagnostics &diag);

} // namespace culink
