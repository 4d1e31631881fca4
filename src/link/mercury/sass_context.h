// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <vector>

#include "elf/target/arch.h"
#include "link/mercury/counterparts.h"
#include "link/model/finalized.h"
#include "link/model/input_object.h"
#include "link/nvlink/merged_debug.h"
#include "link/nvlink/section_owners.h"

namespace culink {

// The SASS plane of a link whose objects have Mercury code, too.
struct SassInputs {
  std::vector<InputObject> objects; // as they were read; the Mercury planes have their numbers
  const arch::ArchInfo &arch;       // the target, as its table row has it
  FinalizeObjects finalizer;        // none: the code stays as it was compiled
};

// The inputs of every part of the SASS plan.
struct SassContext {
  const Program &mercury; // all passes have run over its objects
  const Program &sass;    // the same program; its objects have the same numbers
  const SassInputs &inputs;
  const OutputPlan &plan; // of the Mercury plane
  const FileShape &shape;
  std::span<const u32> symbol_rank; // by EntityId: see rank_functions
  const nvlink::AliasOwners &alias_owners;
  bool finalizes = false; // code comes from an engine, or equals its output

  [[nodiscard]] const Layout &layout() const { return plan.layout; }
  [[nodiscard]] const OutSection &section(OutId id) const { return plan.layout.sections[id]; }
  [[nodiscard]] EntityId function(OutId id) const { return plan.layout.sections.function(id); }
  [[nodiscard]] std::string_view name(OutId id) const { return plan.layout.sections.name(id); }
  [[nodiscard]] Planes planes() const { return {mercury.objects, sass.objects}; }
  // The section of an object that is a part of an output section, in SASS; or nothing.
  [[nodiscard]] const elf::Section *sass_part(u32 object, OutId id) const {
    return find_part(sass.objects[object], plan.layout.placement.location_of[object], id);
  }
};

// This program over the SASS planes. `arch` must outlive it.
[[nodiscard]] Program sass_program(const Program &mercury, const SassInputs &inputs,
                                   const arch::ArchInfo &arch);

// By EntityId: the order of functions in the symbol table of the output, equal on both planes;
// kNoIndex for other entities.
[[nodiscard]] std::vector<u32> rank_functions(const Program &program,
                                              const OutputSections &sections);

// For each name the first function in the symbol table of the output that has code. nvlink finds
// this one by name.
[[nodiscard]] FunctionsByName first_functions_of_name(const SassContext &context);

} // namespace culink
