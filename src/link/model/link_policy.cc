// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the LinkPolicy from the options, the target and the dialect. -r decides most fields; -g
// and --preserve-relocs keep symbols that an executable would lose. A defect of the dialect is
// copied, or limited to the options with which nvlink has it. This runs once, before all passes,
// and they read the result through Program::policy, so no pass interprets options itself.
#include "link/model/link_policy.h"

namespace culink {

LinkPolicy make_link_policy(const LinkOptions &options, const arch::ArchInfo &arch,
                            const Dialect &dialect) {
  LinkPolicy policy{dialect.release, dialect.defects};
  const bool object = options.relocatable;
  const bool debug = options.keeps_debug_symbols();
  const bool keeps_all_kernels = policy.selects_debugged ? debug : options.debug;
  policy.emulates_nvlink = !dialect.name.empty();
  policy.executable = !object;
  policy.places_memory = !object;
  policy.completes_kernels = !object;
  policy.requires_definitions = !object;
  policy.selects_kernels = options.kernels_used.has_value() && !keeps_all_kernels;
  policy.folds_identical = options.fold_identical && !options.keeps_all_code();
  policy.keeps_all_relocations = object && !policy.resolves_early;
  policy.keeps_constant_symbols = object || options.preserve_relocs;
  policy.keeps_shared_symbols = object || debug || options.preserve_relocs;
  policy.lists_resolved = options.preserve_relocs;

  policy.resolves_early &= object;
  policy.resolves_shared_early &= object;
  policy.leaves_blank_symbols &= options.debug || options.preserve_relocs;
  policy.loses_place_in_cie &= object || debug;
  policy.keeps_unnamed_shared &= !debug;
  policy.loses_placed_shared &= debug;
  policy.keeps_dynamic_symbol &= arch.reserved_shared != 0;
  policy.keeps_dropped_symbols = policy.guesses_alignment && options.preserve_relocs;
  policy.aligns_by_first_function = policy.keeps_first_alignment && !debug;
  policy.updates_image_base =
      !object && arch.code_kind == arch::CodeKind::Sass && !policy.keeps_image_base;
  policy.counts_tables_twice = arch.code_kind == arch::CodeKind::Capmerc;
  return policy;
}

} // namespace culink
