// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "link/output/draft.h"

namespace culink {

// The Mercury form of a section in a file with both forms of the code.
enum class Counterpart : u8 {
  None,    // one section for both: notes, the call graph, memory without bytes
  Capsule, // of code: Mercury code as a difference to SASS
  Own,     // a section with its own content
  Equal,   // a section with the same content once more: tables of unified functions and variables
  Shared,  // a header for the same bytes
  Memory,  // reserved shared memory, whose counterpart takes bytes in the file
};

// The sections of a file with both forms of the code.
struct FileShape {
  std::vector<OutId> order;             // sections that are part of the file, in its order
  std::vector<Counterpart> counterpart; // by OutId; None for those that are not part of it

  [[nodiscard]] Counterpart counterpart_of(OutId id) const { return counterpart[id.value]; }
};

[[nodiscard]] FileShape shape_file(const OutputPlan &mercury, const Release &release);

// Returns the bucket of a section of the plan, which decides its position in the file.
[[nodiscard]] elf::Bucket bucket_of(const OutputSections &sections, OutId id);

// The relocation table of a section, or nothing.
[[nodiscard]] OutId relocation_table_of(const Layout &layout, OutId target);

// Returns the header of a counterpart, without its name and its references to other sections.
[[nodiscard]] OutSection counterpart_header(const OutputSections &sections, OutId id,
                                            Counterpart kind, const OutputSymbols &symbols,
                                            bool capsules_first);

} // namespace culink
