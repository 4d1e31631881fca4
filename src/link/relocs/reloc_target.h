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
  RelocRuleInputs rules;
  std::vector<OutId> rela_of; // by OutId of a section: its .rela table
};

[[nodiscard]] RelocRuleInputs rule_inputs_of(const Program &program);

// Resolves the symbol. `function`: the owner of the code with the relocation, if any.
[[nodiscard]] RelocTarget resolve_target(const RelocationContext &context, ObjectId object,
                                         u32 index, FunctionId function);

[[nodiscard]] bool is_shared_variable(const Program &program, const RelocTarget &target);

} // namespace culink
