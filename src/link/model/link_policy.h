// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kind of a link, as decisions that passes need. It is computed once from the options, the
// target and the dialect, so that no pass has to know which combination of -r, -g,
// --preserve-relocs and emulation means what.
//
// A difference between releases has one home, a field of Release or Defects (link/model/dialect.h),
// and is a field of the policy as well. Where options limit a defect, the policy has the result.
#pragma once

#include "culink/link_options.h"
#include "elf/target/arch.h"
#include "link/model/dialect.h"

namespace culink {

struct LinkPolicy : Release, Defects {
  // A release of nvlink is emulated to the byte: relocations that no compiler writes are taken as
  // nvlink takes them, and finalized code comes from the engine of that release.
  bool emulates_nvlink = false;
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
  // Identical functions become one.
  bool folds_identical = false;

  // -r: every relocation that the next link can use is kept, so that linking in two steps gives the
  // same program as linking in one. Otherwise -r resolves early.
  bool keeps_all_relocations = false;

  // Symbols of kernel parameters and compiler constants are kept.
  bool keeps_constant_symbols = false;
  // Symbols of shared variables are kept.
  bool keeps_shared_symbols = false;
  // Resolved relocations are listed in .nv.resolvedrela sections (--preserve-relocs).
  bool lists_resolved = false;

  // Symbols of __constant__ variables that are left out stay, marked as internal (Q051).
  bool keeps_dropped_symbols = false;
  // Only the first function of a group aligns dynamic memory (Q116).
  bool aligns_by_first_function = false;
  // Loads of images by index get the offset of the first slot (Q112).
  bool updates_image_base = false;
  // Names of tables without addends, and lists of resolved relocations, count twice among the
  // sections when they are created (Q059).
  bool counts_tables_twice = false;
};

[[nodiscard]] LinkPolicy make_link_policy(const LinkOptions &options, const arch::ArchInfo &arch,
                                          const Dialect &dialect);

} // namespace culink
