// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "link/mercury/sass_inputs.h"
#include "link/output/draft.h"
#include "link/output/output_symbols.h"

namespace culink {

// A draft of linked Mercury code.
struct MercuryDraft {
  const Program &program;
  const SassInputs &machine;
  elf::ElfBuilder &elf;
  OutputPlan &plan;
  std::vector<elf::SectionId> &section_of; // by OutId; Mercury twins come behind
  const OutputSymbols &symbols;
  const std::vector<bool> &is_emitted;
};

struct MachineAdditions {
  std::vector<FilePatch> patches;
  std::vector<FinalizedObject> finalized; // whose bytes the draft borrows
};

// Turns linked Mercury code into a file with both forms of it: what the draft holds becomes the
// Mercury twins, and machine code takes its place.
[[nodiscard]] MachineAdditions add_machine_half(const MercuryDraft &draft, WorkerPool &pool,
                                                Diagnostics &diag);

// Numbers and lays out a file with Mercury code and SASS.
[[nodiscard]] std::optional<FileDraft> draft_mercury_file(const Program &program, OutputPlan plan,
                                                          const SassInputs &inputs,
                                                          WorkerPool &pool, Diagnostics &diag);

} // namespace culink
