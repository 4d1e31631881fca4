// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers in __constant__ data. To decide which relocations in constants to drop, nvlink checks
// whether the target of a pointer was discarded, not whether the pointer itself is part of a
// discarded definition (Q045). So a pointer to a weak function or variable whose definition in the
// same file did not prevail becomes 0.
#include "link/nvlink/lost_pointers.h"

namespace culink::nvlink {

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
  // Overridden definitions count only if they are variables in global memory.
  const InputObject &input = p.objects[object.value];
  const EntityId id = p.symbols.of(object, symbol);
  return p.policy.forgets_pointers && input.kinds[section].is_constant() && id.valid() &&
         p.symbols.outcome(object, symbol) == DefinitionOutcome::Accepted &&
         !p.symbols[id].function && is_global(input.symbols[symbol].other) &&
         p.symbols[id].prevailing != SymbolRef{object, symbol};
}

} // namespace culink::nvlink
