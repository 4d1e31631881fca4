// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>

#include "elf/target/reloc.h"
#include "link/merge/merge.h"
#include "link/model/diagnostics.h"
#include "link/place/place_images.h"
#include "link/place/place_shared.h"
#include "support/worker_pool.h"

namespace culink {

// A relocation of the output: for the loader, or for the next link.
struct KeptRelocation {
  enum class Against : u8 { Nothing, Entity, Section, Instance };
  OutId table;
  u32 id = 0; // EntityId, OutId, or a position in Layout::instances
  u64 offset = 0;
  i64 addend = 0;
  u32 type = 0;
  Against against = Against::Nothing;
};

// A value that the linker stores.
struct FoldedRelocation {
  OutId section;
  bool implicit_addend = false; // the field's old content is added
  bool image_slot = false;      // an offset in bank 0
  u64 offset = 0;
  const arch::RelocInfo *row = nullptr;
  arch::FieldValue value;
};

using KeptRelocations = std::vector<KeptRelocation>;
using FoldedRelocations = std::vector<FoldedRelocation>;

struct RelocationPlan {
  KeptRelocations kept;     // those of one table in output order
  FoldedRelocations folded; // by section; to be stored in this order
};

// Decides what becomes of every relocation: stored now, kept, or dropped.
[[nodiscard]] RelocationPlan classify_relocations(const Program &program, const Layout &layout,
                                                  const SharedPlan &shared, const ImagePlan &images,
                                                  WorkerPool &pool, Diagnostics &diag);

// The code of a text section.
using CodeOf = std::function<ByteSpan(OutId)>;

// Returns the plan with the values for code that loads the number of an image by an index.
[[nodiscard]] RelocationPlan index_images(const Layout &layout, const ImagePlan &images,
                                          const CodeOf &code_of, RelocationPlan plan);

} // namespace culink
