// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "link/output/draft.h"
#include "link/output/output_symbols.h"
#include "model/finalized.h"

namespace culink {

// What a link of Mercury code needs to write machine code, too.
struct MachineHalves {
  std::vector<InputObject> objects; // as they were read; the Mercury planes have their numbers
  const arch::ArchInfo &arch;       // the target, as its table row has it
  FinalizeObjects finalizer;        // none: the code stays as it was compiled
};

// A draft of linked Mercury code.
struct MercuryDraft {
  const Program &program;
  const MachineHalves &machine;
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

} // namespace culink
