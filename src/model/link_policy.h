// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kind of link this is, as the questions that passes ask. It is computed once from the options
// and the dialect, so that no pass has to know which combination of -r, -g, --preserve-relocs and
// emulation means what.
#pragma once

#include "model/dialect.h"
#include "model/options.h"

namespace culink {

struct LinkPolicy {
  // The output is an executable: it has section types, symbol types and relocation numbers that
  // only the loader reads. Otherwise (-r) the output is an object.
  bool executable = true;
  // Shared memory, reserved memory and image slots get their addresses. -r leaves that to the next
  // link.
  bool places_memory = true;
  // Records of a kernel cover all functions that it reaches: registers, stack, barriers.
  bool completes_kernels = true;
  // Whatever live code refers to must be defined.
  bool requires_definitions = true;
  // Kernels were named that are to be kept. -g keeps all, and completes them.
  bool selects_kernels = false;
  // A kernel that device code launches is treated as one, whether or not it was selected.
  bool completes_launched_kernels = true;
  // Of functions that are the same, one stays.
  bool folds_identical = false;
  // Functions that variables point to are live, whatever the call graph says.
  bool keeps_pointed_to = true;

  // Definitions of dynamic shared memory, which nvlink -r makes, count as declarations: several
  // files may have them.
  bool repeats_dynamic_memory = true;
  // Images that are parameters of kernels are each kernel's own, whatever their names.
  bool keeps_opaque_apart = true;
  // A function is unified if its definition says so, whatever references before it say.
  bool keeps_unified_marks = true;

  // Sections of types that nobody knows are kept as they are.
  bool keeps_unknown_sections = true;

  // Weak symbols stand in the local part of the symbol table.
  bool weak_among_locals = true;
  // Data without initial values prevails over common symbols, as initialised data does.
  bool zeroed_data_prevails = false;

  // A parameter of one byte agrees with a later one of any size.
  bool one_byte_fits_any = false;

  // -r: every relocation that the next link can use is kept, so that linking in two steps gives the
  // same program as linking in one.
  bool keeps_all_relocations = false;
  // -r as nvlink does it: constants, section symbols and shared variables are resolved, although
  // the next link may move them (Q023).
  bool resolves_early = false;
  bool resolves_shared_early = false;

  // Symbols of kernel parameters and compiler constants are kept.
  bool keeps_constant_symbols = false;
  // Symbols of shared variables are kept.
  bool keeps_shared_symbols = false;
  // Resolved relocations are listed in .nv.resolvedrela sections (--preserve-relocs).
  bool lists_resolved = false;
};

[[nodiscard]] LinkPolicy make_link_policy(const LinkOptions &options, const Dialect &dialect);

} // namespace culink
