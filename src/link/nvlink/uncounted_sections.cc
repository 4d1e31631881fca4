// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of more sections than a symbol can name. In nvlink's, .symtab_shndx has a number for every
// symbol, although the ELF specification demands 0 where the symbol needs none: that of its section
// in order of creation, counting sections that are only names, one without a name after the notes
// of an executable, and some that are created twice (Q059).
#include "link/nvlink/uncounted_sections.h"

namespace culink::nvlink {

std::optional<std::vector<OutId>> uncounted_sections(const Program &program,
                                                     const OutputSections &planned,
                                                     const elf::SectionTable &file) {
  if (!program.policy.fills_indices)
    return std::nullopt;
  std::vector<OutId> out;
  if (program.policy.executable && planned.cuinfo.valid())
    out.push_back(planned.cuinfo);
  for (const OutId id : planned.created_again)
    if (!file[id].discarded())
      out.push_back(id);
  return out;
}

} // namespace culink::nvlink
