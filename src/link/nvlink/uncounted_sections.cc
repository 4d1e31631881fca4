// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of more sections than a symbol can name. In nvlink's, .symtab_shndx has a number for every
// symbol, although the ELF specification demands 0 where the symbol needs none: that of its section
// in order of creation, counting sections that are only names, one without a name after the notes
// of an executable, and some that are created twice (Q059).
#include "link/nvlink/uncounted_sections.h"

namespace culink::nvlink {

std::optional<std::vector<elf::SectionId>>
uncounted_sections(const Program &program, const OutputSections &sections,
                   std::span<const elf::SectionId> section_of) {
  if (!program.policy.fills_indices)
    return std::nullopt;
  std::vector<elf::SectionId> out;
  if (program.policy.executable && sections.cuinfo.valid())
    out.push_back(section_of[sections.cuinfo.value]);
  for (const OutId id : sections.created_again)
    out.push_back(section_of[id.value]);
  return out;
}

} // namespace culink::nvlink
