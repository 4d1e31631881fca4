// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From options to decisions. -r decides most of them; -g and --preserve-relocs keep symbols that an
// executable would lose. All passes read the result through Program::policy.
#include "model/link_policy.h"

namespace culink {

LinkPolicy make_link_policy(const LinkOptions &options, const Dialect &dialect) {
  const bool object = options.relocatable;
  const bool early = dialect.has(Defect::EarlyResolution);
  const bool keeps_all =
      dialect.has(Defect::SelectsDebugged) ? options.keeps_debug_symbols() : options.debug;
  return {.executable = !object,
          .places_memory = !object,
          .completes_kernels = !object,
          .requires_definitions = !object,
          .selects_kernels = options.kernels_used.has_value() && !keeps_all,
          .completes_launched_kernels = !dialect.has(Defect::LaunchedKernel),
          .folds_identical = options.fold_identical && !options.keeps_all_code(),
          .keeps_pointed_to = !dialect.has(Defect::UnlistedPointers),
          .repeats_dynamic_memory = !dialect.has(Defect::DefinedDynamicMemory),
          .keeps_opaque_apart = !dialect.has(Defect::OpaqueByName),
          .keeps_unified_marks = !dialect.has(Defect::LostUnifiedMark),
          .keeps_unknown_sections = !dialect.has(Defect::SilentlyDropped),
          .weak_among_locals = dialect.release.weak_among_locals,
          .zeroed_data_prevails = dialect.release.zeroed_data_prevails,
          .one_byte_fits_any = dialect.has(Defect::OneByteParameter),
          .keeps_all_relocations = object && !early,
          .resolves_early = object && early,
          .resolves_shared_early = object && dialect.has(Defect::EarlyShared),
          .keeps_constant_symbols = object || options.preserve_relocs,
          .keeps_shared_symbols =
              object || options.keeps_debug_symbols() || options.preserve_relocs,
          .lists_resolved = options.preserve_relocs};
}

} // namespace culink
