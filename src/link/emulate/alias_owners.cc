// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An alias is a second symbol of a function's code. When nvlink makes SASS of a linked program, it
// looks for the symbol of a code section and takes the first that it meets in the symbol table.
// Where some object refers to an alias before any refers to the function, that is the alias: it
// gets the size of the code, and debug information of the function is lost (Q107). The symbol
// tables and the debug sections of the SASS plane ask here whom nvlink takes for the owner.
#include "link/emulate/alias_owners.h"

namespace culink::emulate {

namespace {

bool alias_precedes_owner(const Layout &layout, std::span<const u32> rank, EntityId alias) {
  const OutId text = layout.placement.address_of[alias.value].section;
  if (!text.valid() || !layout.sections[text].function.valid())
    return false;
  const u32 owner = rank[layout.sections[text].function.value];
  return owner != kNoIndex && rank[alias.value] < owner;
}

} // namespace

AliasOwners find_alias_owners(const Program &program, const Layout &layout,
                              std::span<const u32> rank) {
  AliasOwners out;
  if (!program.dialect.has(Defect::AliasTakesCode))
    return out;
  for (u32 i = 0; i < rank.size(); ++i) {
    const EntityId alias(i);
    if (rank[i] == kNoIndex || !program.symbols[alias].function ||
        !alias_precedes_owner(layout, rank, alias))
      continue;
    out.aliases.push_back(alias);
    const OutId text = layout.placement.address_of[i].section;
    EntityId &owner =
        out.owner_of.try_emplace(layout.sections[text].function.value, alias).first->second;
    if (rank[i] < rank[owner.value])
      owner = alias;
  }
  return out;
}

} // namespace culink::emulate
