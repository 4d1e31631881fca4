// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/reloc_field.h"
#include "link/merge.h"
#include "link/place_constants.h"
#include "link/place_shared.h"
#include "model/diagnostics.h"

namespace culink {

// A relocation of the output: for the loader, or for the next link.
struct KeptRelocation {
  enum class Against : u8 { Nothing, Entity, Section, Instance };
  u64 offset = 0;
  i64 addend = 0;
  u32 type = 0;
  Against against = Against::Nothing;
  u32 id = 0; // EntityId, OutId, or a position in Merged::instances
};

// A value that the linker stores.
struct FoldedRelocation {
  u64 offset = 0;
  const arch::RelocInfo *row = nullptr;
  arch::FieldValue value;
  bool implicit_addend = false; // the field's old content is added
};

struct RelocationPlan {
  std::vector<std::vector<KeptRelocation>> kept; // by OutId of a table, in output order
  // By OutId of the section; to be stored in this order.
  std::vector<std::vector<FoldedRelocation>> folded;
};

// Decides what becomes of every relocation: stored now, kept, or dropped.
[[nodiscard]] RelocationPlan classify_relocations(const Program &program, const Merged &merged,
                                                  const SharedPlan &shared,
                                                  const ConstantPlan &constants, Diagnostics &diag);

} // namespace culink
