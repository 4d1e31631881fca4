// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The owner of a section, as nvlink sees it.
//
// An alias is a second symbol of a function's code. When nvlink makes SASS of a linked program, it
// looks for the symbol of a code section and takes the first one in the symbol table. If an object
// refers to an alias before any object refers to the function, the alias comes first: it gets the
// size of the code, and debug information of the function is lost (Q107). The passes for symbol
// tables and debug sections of the SASS plane look up the assumed owner here.
//
// A kernel that is not .visible is local to its file, and another file may have a kernel of the
// same name. The format allows both: sh_info of .nv.constant0.K and .nv.shared.K names the code of
// their kernel. nvlink looks for them by name alone, so that the first kernel of a name gets the
// parameters and the shared memory of all, and the others have none (Q130). The passes that merge
// sections and place memory look up the section of a kernel here.
#include "link/nvlink/section_owners.h"

namespace culink::nvlink {

namespace {

bool alias_precedes_owner(const Layout &layout, std::span<const u32> rank, EntityId alias) {
  const OutId text = layout.placement.address_of[alias.value].section;
  if (!text.valid() || !layout.sections.function(text).valid())
    return false;
  const u32 owner = rank[layout.sections.function(text).value];
  return owner != kNoIndex && rank[alias.value] < owner;
}

} // namespace

AliasOwners find_alias_owners(const Program &program, const Layout &layout,
                              std::span<const u32> rank) {
  AliasOwners out;
  if (!program.policy.alias_takes_code)
    return out;
  for (u32 i = 0; i < rank.size(); ++i) {
    const EntityId alias(i);
    if (rank[i] == kNoIndex || !program.symbols[alias].function ||
        layout.placement.address_of[i].value != 0 || // a function inside the code
        !alias_precedes_owner(layout, rank, alias))
      continue;
    out.aliases.push_back(alias);
    const OutId text = layout.placement.address_of[i].section;
    EntityId &owner =
        out.owner_of.try_emplace(layout.sections.function(text).value, alias).first->second;
    if (rank[i] < rank[owner.value])
      owner = alias;
  }
  return out;
}

OutId section_of_kernel(const Program &program, const OutputSections &sections, OutId newest,
                        OutId text) {
  if (!program.policy.sections_by_name)
    return sections.find_for(newest, text);
  OutId id = newest;
  while (id.valid() && sections.older(id).valid())
    id = sections.older(id);
  return id;
}

// Files with more sections than a symbol can name. nvlink stores an index in .symtab_shndx for
// every symbol, although ELF demands 0 for a symbol that does not need one. It is the position of
// the section in order of creation, counting sections that are only names, one without a name after
// the notes of an executable, sections of dead functions, and some that are created twice (Q059).

std::optional<std::vector<OutId>> uncounted_sections(const Program &program,
                                                     const OutputSections &planned,
                                                     const elf::SectionTable &file) {
  if (!program.policy.fills_indices)
    return std::nullopt;
  std::vector<OutId> out;
  if (program.policy.executable && planned.cuinfo.valid())
    out.push_back(planned.cuinfo);
  for (const OutId id : planned.followed_by_uncounted)
    if (!file[id].discarded())
      out.push_back(id);
  return out;
}

} // namespace culink::nvlink
