// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <memory_resource>
#include <optional>

#include "elf/elf_builder.h"
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
  std::vector<FoldedRelocation> values;   // to be stored into the contents, by section
  std::vector<elf::SectionId> section_of; // by OutId
  u64 null_symbol_value = 0;
  std::vector<FilePatch> patches;
  std::vector<FinalizedObject> finalized;                     // whose bytes sections borrow
  std::vector<u8> records;                                    // of .nv.info sections
  std::unique_ptr<std::pmr::monotonic_buffer_resource> names; // of sections
};

struct MachineHalves; // machine_half.h

// The type that a section of an object has in an executable.
[[nodiscard]] elf::SectionType type_in_executable(elf::SectionType type);

// Numbers and lays out the file. `machine`: of links of Mercury code, else nothing.
[[nodiscard]] std::optional<FileDraft> draft_file(const Program &program, OutputPlan plan,
                                                  const MachineHalves *machine, WorkerPool &pool,
                                                  Diagnostics &diag);

} // namespace culink
