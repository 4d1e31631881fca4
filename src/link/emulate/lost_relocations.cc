// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers in __constant__ data. To know which relocations to drop, nvlink asks in constants
// whether the definition that a pointer points to was discarded, not whether the pointer itself is
// part of a discarded definition (Q045). So a pointer to a weak function or variable whose
// definition in the same file did not prevail becomes 0.
//
// Addends in fields. A relocation of a .rel table against a section of which an earlier object has
// a part needs an addend, the start of its own object's part. nvlink moves it to the .rela table
// with that alone (Q073), or folds that alone, although the field says how far behind the start it
// points.
//
// Call frames and lines of overridden definitions. They must not describe the code that prevails,
// so their addresses are dropped; if the function is dead, they are cleared with it. nvlink drops
// them only if an overridden definition had relocations in its code, and then only from .rela
// tables and from the .rel table of a section that had a .rela table first, dead or not (Q028).
//
// Lists of resolved relocations. Local functions of several files may have one name, and -r leaves
// each its sections. nvlink finds the list of a section by its name, so that the list of the first
// one has the relocations of all, some at offsets behind the end of its section (Q113).
#include "link/emulate/lost_relocations.h"

namespace culink::emulate {

bool loses_pointer(const Program &p, ObjectId object, u32 section, u32 symbol) {
  const elf::SectionKind &kind = p.objects[object.value].kinds[section];
  const DefinitionOutcome outcome = p.symbols.outcome(object, symbol);
  return p.policy.forgets_pointers && kind.role == elf::SectionRole::Constant &&
         (kind.bank == p.arch.banks.user || kind.bank == p.arch.banks.addresses) &&
         (outcome == DefinitionOutcome::DiscardedForWeak ||
          outcome == DefinitionOutcome::DiscardedForStrong);
}

bool drops_pointer(const Program &p, ObjectId object, u32 section, u32 symbol) {
  if (loses_pointer(p, object, section, symbol))
    return true;
  // Of overridden definitions only variables in global memory count.
  const InputObject &input = p.objects[object.value];
  const EntityId id = p.symbols.of(object, symbol);
  return p.policy.forgets_pointers && input.kinds[section].is_constant() && id.valid() &&
         p.symbols.outcome(object, symbol) == DefinitionOutcome::Accepted &&
         !p.symbols[id].function && is_global(input.symbols[symbol].other) &&
         p.symbols[id].prevailing != SymbolRef{object, symbol};
}

bool drops_discarded_pointers(const Program &p, ObjectId object, u32 section) {
  return !p.policy.forgets_pointers || !p.objects[object.value].kinds[section].is_constant();
}

bool drops_overridden_debug(const Program &p, EntityId function, bool had_relocations,
                            bool with_addends) {
  if (p.policy.keeps_discarded_frames)
    return false;
  if (p.policy.keeps_overridden_frames)
    return had_relocations && with_addends;
  return p.is_live(function);
}

bool loses_field_addends(const Program &p) {
  return p.policy.loses_field_addends;
}

bool shares_lists(const Program &p) {
  return p.policy.shares_lists;
}

} // namespace culink::emulate
