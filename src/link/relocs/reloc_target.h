// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The resolved symbol of a relocation: its kind, which decides what is done with the relocation,
// and the value or the output symbol that is then needed.
#pragma once

#include "link/relocs/classify_relocs.h"
#include "link/relocs/reloc_action.h"

namespace culink {

struct RelocTarget {
  TargetKind kind = TargetKind::DiscardedData;
  KeptRelocation::Against against = KeptRelocation::Against::Nothing; // when kept
  u8 bank = 0;                                                        // of constants
  bool dynamic_shared = false;
  bool unlisted = false; // not named by .nv.resolvedrela
  bool dangling = false; // would be named there, if its symbol had not been removed
  u32 id = 0;            // as KeptRelocation::id
  u64 value = 0;         // where the kind has one; of an image, its slot
  u64 addend_shift = 0;  // a section symbol: where this object's part starts
};

// The results of earlier passes that relocations are resolved with, and the rules.
struct RelocationContext {
  const Program &program;
  const Layout &layout;
  const SharedPlan &shared;
  const ImagePlan &constants;
  RelocRules rules;
  std::vector<OutId> rela_of; // by OutId, or empty: see rela_beside

  // The .rela table of the section whose .rel table a group goes to.
  [[nodiscard]] OutId rela_beside(const RelocationGroup &group) const {
    return rela_of.empty() ? OutId{} : rela_of[group.target.value];
  }
};

[[nodiscard]] RelocRuleInputs rule_inputs_of(const Program &program);

// The target of a section symbol, and of a symbol that is neither that nor a function.
[[nodiscard]] RelocTarget section_target(const RelocationContext &context, ObjectId object,
                                         u32 section);
[[nodiscard]] RelocTarget other_target(const RelocationContext &context, ObjectId object,
                                       const elf::Symbol &symbol, EntityId id, FunctionId function);

[[nodiscard]] inline RelocTarget function_target(const RelocationContext &context, EntityId id) {
  if (!context.program.is_live(id))
    return {.kind = TargetKind::DiscardedFunction,
            .against = KeptRelocation::Against::Entity,
            .id = id.value};
  // Relocations do not refer to an alias, but to the function whose code it names.
  const OutId text = context.layout.placement.address_of[id.value].section;
  return {.kind = TargetKind::Function,
          .against = KeptRelocation::Against::Entity,
          .id = text.valid() ? context.layout.sections[text].function.value : id.value};
}

// `function`: whose code the relocation is in, if any. Inline, because half of all relocations of a
// program name another symbol than the one before, nearly always a function.
[[nodiscard]] [[gnu::always_inline]] inline RelocTarget
resolve_target(const RelocationContext &context, ObjectId object, u32 index, FunctionId function) {
  const elf::Symbol &symbol = context.program.objects[object.value].symbols[index];
  if (symbol.type() == elf::SymbolType::Section && symbol.in_section())
    return section_target(context, object, symbol.section);
  const EntityId id = context.program.symbols.of(object, index);
  if (id.valid() && context.program.symbols[id].function)
    return function_target(context, id);
  return other_target(context, object, symbol, id, function);
}

[[nodiscard]] bool is_shared_variable(const Program &program, const RelocTarget &target);

} // namespace culink
